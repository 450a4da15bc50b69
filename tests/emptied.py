"""Tables emptied after a test that commits: only those with rows, which are few. Django would empty all, and fill two again."""

from typing import Any

from django.core.management.color import no_style
from django.db import connections

KEPT = {"django_content_type", "auth_permission"}  # as `migrate` fills them


def may_be(connection) -> bool:
    """Whether this can be done: PostgreSQL lets superusers alone delete past triggers and foreign keys."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('is_superuser')")
        return cursor.fetchone() == ("on",)


def empty(test_case: Any) -> None:
    """In place of TransactionTestCase._fixture_teardown."""
    for alias in test_case._databases_names(include_mirrors=False):
        connection = connections[alias]
        if full := tables_with_rows(connection):
            if connection.vendor == "postgresql":
                deletions = [f"DELETE FROM {connection.ops.quote_name(table)};" for table in full]
                with connection.cursor() as cursor:
                    cursor.execute(
                        f"BEGIN; SET LOCAL session_replication_role = replica; {' '.join(deletions)} COMMIT", params=None
                    )
            else:
                connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), full))


def tables_with_rows(connection) -> list[str]:
    there = connection.introspection.django_table_names(only_existing=True, include_views=False)
    tables = [table for table in there if table not in KEPT]
    asked = (
        f"SELECT {number} WHERE EXISTS (SELECT 1 FROM {connection.ops.quote_name(table)})" for number, table in enumerate(tables)
    )
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(asked))
        return [tables[number] for (number,) in cursor.fetchall()]
