"""A PostgreSQL database in a backup: each table's rows, as COPY writes them.

Neither pg_dump nor psql is needed. Any release of PostgreSQL reads what another has written: the same migrations make the tables,
and the rows go in. All are read in one snapshot, so that they agree with each other.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from judging.backups.archive import PORTION, Archive
from judging.backups.file_columns import name_queries
from judging.backups.versions import migrate_to
from judging.logs import partitions

FOLDER = "database"
SEQUENCES = "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL"
# A sequence keeps its name when its table gets another; in databases that were made later it is named as the table is now.
OTHER_NAMES = {"metrics_part_id_seq": "metrics_reportpart_id_seq", "metrics_reportpart_id_seq": "metrics_part_id_seq"}
FUNCTIONS = """SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')"""  # those of extensions stay


def dump(archive: Archive, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Add the rows to the archive. Facts for the manifest, and the names of all files that rows name."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        tables = {table: columns_of(cursor, table) for table in our_tables()}
        for table, columns in tables.items():
            rows = folder / table
            write_rows(cursor, f"COPY (SELECT {quoted_list(columns)} FROM {quoted(table)}) TO STDOUT", rows)  # noqa: S608
            archive.add_path(f"{FOLDER}/{table}", rows)
            rows.unlink()
        names = [name for query in name_queries() for (name,) in fetch_all(cursor, query)]
        months = [name for (name,) in fetch_all(cursor, partitions.EVERY_MONTH, [list(partitions.TABLES)])]
        sequences = dict(fetch_all(cursor, SEQUENCES))  # not of the snapshot: no less than any id in it
    return {"tables": tables, "months": sorted({name[-7:] for name in months}), "sequences": sequences}, names


def our_tables() -> list[str]:
    return sorted(connection.introspection.django_table_names(only_existing=True, include_views=False))


def columns_of(cursor: Any, table: str) -> list[str]:
    return [column.name for column in connection.introspection.get_table_description(cursor, table)]


def write_rows(cursor: Any, query: str, path: Path) -> None:
    with open(path, "wb") as file, cursor.copy(query) as rows:
        for portion in rows:
            file.write(portion)


def load(folder: Path, manifest: dict[str, Any]) -> None:
    """Make the tables as the backup's migrations make them, and fill them. Nothing that anybody needs is in the database."""
    clear()
    migrate_to(map(tuple, manifest["migrations"]))
    for month in manifest["months"]:
        partitions.make_month(datetime.strptime(month, "%Y_%m").replace(tzinfo=UTC))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {quoted_list(manifest['tables'])} CASCADE")  # migrations leave rows, too
        for table, columns in manifest["tables"].items():
            read_rows(cursor, f"COPY {quoted(table)} ({quoted_list(columns)}) FROM STDIN", folder / table)
        for name, value in manifest["sequences"].items():
            names = [quoted(name), quoted(OTHER_NAMES.get(name, name))]
            cursor.execute("SELECT setval(coalesce(to_regclass(%s), to_regclass(%s)), %s)", [*names, value])
            assert cursor.fetchone() == (value,), name  # NULL where there is none


def clear() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"DROP TABLE IF EXISTS {quoted(table)} CASCADE")
        for (function,) in fetch_all(cursor, FUNCTIONS):
            cursor.execute(f"DROP FUNCTION {function} CASCADE")


def read_rows(cursor: Any, query: str, path: Path) -> None:
    with open(path, "rb") as file, cursor.copy(query) as rows:
        while portion := file.read(PORTION):
            rows.write(portion)


def fetch_all(cursor: Any, query: str, parameters: list[Any] | None = None) -> list[tuple]:
    cursor.execute(query, parameters)
    return cursor.fetchall()


def quoted_list(names: Any) -> str:
    return ", ".join(map(quoted, names))


def quoted(name: str) -> str:
    return connection.ops.quote_name(name)
