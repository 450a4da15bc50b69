"""Migrations: those that a database has, and those that this version of the code knows."""

from collections.abc import Iterable

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

Migration = tuple[str, str]  # app and name


def applied() -> list[Migration]:
    """The applied migrations that the code knows: the table may name some of applications that are gone."""
    loader = MigrationLoader(connection)
    return sorted(key for key in loader.applied_migrations if key in loader.graph.nodes)


def unapplied() -> list[str]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [str(migration) for migration, _ in plan]


def unknown(migrations: Iterable[Migration]) -> list[Migration]:
    """The migrations that this code does not know: they are of a newer version."""
    nodes = MigrationLoader(None, ignore_no_migrations=True).graph.nodes
    return sorted(set(migrations) - set(nodes))


def migrate_to(migrations: Iterable[Migration]) -> None:
    """Bring an empty database to where exactly these are applied."""
    wanted = set(migrations)
    executor = MigrationExecutor(connection)
    nodes = executor.loader.graph.node_map
    executor.migrate([key for key in wanted if not any(child.key in wanted for child in nodes[key].children)])
