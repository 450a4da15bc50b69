"""A migration's step that makes many tables."""

from collections.abc import Sequence
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class MakeTablesAtOnce(Operation):
    """Makes the tables of all models as they are after the last of some operations.

    Django would make classes of all models anew for each operation, which took two thirds of a new database's time.
    """

    def __init__(self, operations: Sequence[Operation]):
        self.operations = operations

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)  # or they are made again each time; whoever needs them makes them
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for model in self.models(app_label, to_state):
            if self.allow_migrate_model(schema_editor.connection.alias, model):
                schema_editor.create_model(model)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for model in reversed(self.models(app_label, from_state)):
            if self.allow_migrate_model(schema_editor.connection.alias, model):
                schema_editor.delete_model(model)

    def models(self, app_label: str, state: ProjectState) -> list[Any]:
        made = [operation for operation in self.operations if isinstance(operation, CreateModel)]
        return [state.apps.get_model(app_label, operation.name) for operation in made]

    def describe(self) -> str:
        return f"Make {sum(isinstance(operation, CreateModel) for operation in self.operations)} tables"
