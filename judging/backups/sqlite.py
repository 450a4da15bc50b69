"""A SQLite database as one file of a backup."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from django.db import connection

from judging.backups.archive import Archive, BackupProblem
from judging.backups.file_columns import name_queries

NAME = "database.sqlite3"


def copy_to(path: Path) -> None:
    """Copy the database as it is at this moment, whoever writes meanwhile; without what deleted rows have left in its pages."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(path)])


def dump(archive: Archive, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Add the database to the archive. Facts for the manifest, and the names of all files that its rows name."""
    copy = folder / NAME
    copy_to(copy)
    with open_database(copy) as database:
        check(database)
        names = list(names_in(database))
    archive.add_path(NAME, copy)
    return {}, names


def open_database(path: Path) -> Any:
    """Open a database by the same SQLite that Django uses: two of them in one process would break each other's locks."""
    from sqlite3 import connect  # noqa: PLC0415  whichever the settings chose

    return closing(connect(path))


def check(database: Any) -> None:
    (verdict,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise BackupProblem(f"The database is damaged: {verdict}. Keep your earlier backups.")


def names_in(database: Any) -> Iterator[str]:
    for query in name_queries():
        yield from (name for (name,) in database.execute(query))


def load(folder: Path, manifest: dict[str, Any]) -> None:
    """Replace the content of this database by that of the backup, in one transaction of SQLite's own."""
    connection.ensure_connection()
    with open_database(folder / NAME) as source:
        check(source)
        source.backup(connection.connection)
    connection.close()  # what it had prepared was about other tables
