"""Migrations: those that a database has, and those that this version of the code knows.

A backup names them one by one, also where its database was made at once by those that stand for many.
"""

from collections.abc import Iterable

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

Migration = tuple[str, str]  # app and name


class OneByOne(MigrationLoader):
    """Knows every single migration, where Django takes one that stands for many in place of them."""

    def load_disk(self) -> None:
        super().load_disk()
        self.disk_migrations = {key: migration for key, migration in self.disk_migrations.items() if not migration.replaces}


def one_by_one() -> MigrationExecutor:
    executor = MigrationExecutor(connection)
    executor.loader = OneByOne(connection)
    return executor


def applied() -> list[Migration]:
    """The applied migrations that the code knows: the table may name some of applications that are gone."""
    loader = OneByOne(connection)
    return sorted(key for key in loader.applied_migrations if key in loader.graph.nodes)


def unapplied() -> list[str]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [str(migration) for migration, _ in plan]


def unknown(migrations: Iterable[Migration]) -> list[Migration]:
    """The migrations that this code does not know: they are of a newer version."""
    nodes = OneByOne(None, ignore_no_migrations=True).graph.nodes
    return sorted(set(migrations) - set(nodes))


def migrate_to(migrations: Iterable[Migration]) -> None:
    """Bring an empty database to where exactly these are applied."""
    wanted, executor = set(migrations), one_by_one()
    nodes = executor.loader.graph.node_map
    if wanted == set(nodes):
        call_command("migrate", interactive=False, verbosity=0)
        return
    executor.migrate([key for key in wanted if not any(child.key in wanted for child in nodes[key].children)])
