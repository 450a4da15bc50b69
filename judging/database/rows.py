"""Rows of statements that are written out, as models: what the ORM does, without building the statement each time."""

from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any, Generic, TypeVar

from django.db import connection, models
from django.db.models.base import ModelState

Model = TypeVar("Model", bound=models.Model)


class Columns(Generic[Model]):
    """Some columns of a model: how a statement lists them, and how a part of its row becomes an instance.

    What was left out is fetched when somebody asks for it.
    """

    def __init__(self, model: type[Model], alias: str, names: str):
        self.model = model
        self.fields = [concrete(model, name) for name in names.split()]
        self.attributes = [field.attname for field in self.fields]
        self.listed = ", ".join(f"{alias}.{field.column}" for field in self.fields)

    def __str__(self) -> str:
        return self.listed

    def __len__(self) -> int:
        return len(self.fields)

    @cached_property
    def converters(self) -> list[tuple[int, list, Any]]:
        """The place of each column that this database keeps in another form, the functions that restore it, and its
        expression."""
        columns = [(at, field.get_col(field.model._meta.db_table)) for at, field in enumerate(self.fields)]
        converting = [(at, connection.ops.get_db_converters(col) + col.get_db_converters(connection), col) for at, col in columns]
        return [conversion for conversion in converting if conversion[1]]

    def read(self, row: tuple) -> Model:
        values = list(row)
        for at, converters, column in self.converters:
            for convert in converters:
                values[at] = convert(values[at], column, connection)
        # As from_db does it, without looking at every field that was left out and asking who wants to hear of it.
        instance = self.model.__new__(self.model)
        instance._state = ModelState()
        instance._state.adding, instance._state.db = False, connection.alias
        instance.__dict__.update(zip(self.attributes, values, strict=True))
        return instance


def read(row: tuple, *parts: Columns) -> Iterator[Any]:
    """The instances that lie side by side in a row."""
    at = 0
    for columns in parts:
        yield columns.read(row[at : at + len(columns)])
        at += len(columns)


def adapted_value(model: type[models.Model], name: str, value: Any) -> Any:
    """A value as a parameter of a statement, in the form in which the database at hand keeps the field."""
    return concrete(model, name).get_db_prep_value(value, connection)


def restored_value(model: type[models.Model], name: str, value: Any) -> Any:
    """A field's value as Python has it, from the form in which a statement's row gave it."""
    column = concrete(model, name).get_col(model._meta.db_table)
    for convert in connection.ops.get_db_converters(column) + column.get_db_converters(connection):
        value = convert(value, column, connection)
    return value


def concrete(model: type[models.Model], name: str) -> models.Field:
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field)
    return field


def insert(instance: models.Model) -> None:
    """Add the instance's row, and give the instance the key of it."""
    cursor = connection.cursor()
    places = ", ".join(f"%({name})s" for name in columns_of(type(instance)))
    cursor.execute(f"{inserting(type(instance))} VALUES ({places}) RETURNING id", values_of(instance))
    mark_as_stored(instance, cursor.fetchone()[0])


def mark_as_stored(instance: models.Model, key: int) -> None:
    """Tell the instance that its row is there."""
    instance.pk = key
    instance._state.adding, instance._state.db = False, connection.alias


@cache
def inserting(model: type[models.Model]) -> str:
    """The beginning of the statement that adds a row with all columns but the key."""
    return f"INSERT INTO {model._meta.db_table} ({', '.join(columns_of(model))})"


@cache
def columns_of(model: type[models.Model]) -> dict[str, models.Field]:
    """The model's columns without the key, which the database gives."""
    return {str(field.column): field for field in model._meta.concrete_fields if not field.primary_key}


def values_of(instance: models.Model) -> dict[str, Any]:
    """What the columns hold once the instance is stored, as parameters of a statement."""
    fields = columns_of(type(instance)).items()
    return {name: field.get_db_prep_save(field.pre_save(instance, True), connection) for name, field in fields}
