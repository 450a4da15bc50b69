"""A site's records as files alone, for a cluster that can read the storage and not the database."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from judging.logs.archive import engine, files
from judging.logs.archive.layout import COLUMNS, select_made
from judging.logs.archive.moves import buckets_for, write_buckets
from judging.logs.archive.selections import Rows, Selection, fresh, may_hold, source
from judging.models import ArchiveFile

# What was sent, as it was: no report reads it.
UNREAD = {"raw": "CAST(NULL AS VARCHAR) AS raw"}


@contextmanager
def exported(selection: Selection) -> Iterator[list[ArchiveFile]]:
    """The files with a selection's records: those of the archive, and others of what is in the database, for so long alone.

    Of a process that is killed meanwhile, the sweep of orphans deletes them after a day.
    """
    made: list[ArchiveFile] = []
    try:
        with engine.folder() as folder, engine.database(folder) as db:
            named, rows = files.steadily(selection.site, partial(rows_beside, folder, selection), source().alias)
            for kind, paths in rows.items():
                select = select_of(kind, paths)
                count = int(engine.frame_of(db, f"SELECT count(*) FROM ({select})").item())  # noqa: S608  texts of ours
                write_buckets(
                    db, select, folder, site=selection.site, kind=kind, buckets=buckets_for(count), store=partial(files.add, made)
                )
        yield [*(file for file in named if may_hold(file, selection)), *made]
    finally:
        files.forget([str(file.file.name) for file in made])


def rows_beside(folder: Path, selection: Selection, named: list[ArchiveFile]) -> tuple[list[ArchiveFile], dict[str, list[Path]]]:
    """The files of the archive, and others with the rows that are beside them in the database."""
    return named, {kind: fresh(folder, selection, kind, read(kind), Rows()) for kind in COLUMNS}


def read(kind: str) -> list[str]:
    return [name for name in COLUMNS[kind] if name not in UNREAD]


def select_of(kind: str, paths: list[Path]) -> str:
    """All columns of the archive, so that its files and these are read together."""
    made = select_made(kind, read(kind), engine.parquet(paths))
    listed = ", ".join(UNREAD.get(name, name) for name in COLUMNS[kind])
    return f"SELECT {listed} FROM ({made})"  # noqa: S608  texts of ours
