"""Reads a site's records as DuckDB's tables `queries` and `events`, wherever they are: rows of the database, or of files.

Nothing is locked. The names of files are read before the rows and once more after them: where they differ, records have moved.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from ireval.clicks.ubi import CLICKS
from judging.database.row_frames import frames_of
from judging.logs.archive import engine
from judging.logs.archive.files import named, paths_of, steadily
from judging.logs.archive.layout import COLUMNS, MODELS, range_of, select_made, select_rows
from judging.logs.moments import EPOCH, as_text, micros
from judging.models import ArchiveFile

TRIES = 5
# Any time that a record may say.
EVER = (EPOCH, datetime(2200, 1, 1, tzinfo=UTC))
CLICKED = f"action IN ({', '.join(map(repr, CLICKS))})"


class Selection(NamedTuple):
    """Records of a site that were received from one moment until another, and say a time from one until just before another.

    What was received until then but was still being loaded from files is left out: whoever reads twice reads the same.
    """

    site: int
    first: datetime
    last: datetime
    since: datetime
    until: datetime


class Rows(NamedTuple):
    """Which of the selected records a table holds.

    `condition` is SQL that databases and DuckDB understand alike. If it chooses clients by a part of so many, `part` says so, and
    other files are not opened. `newest` is how many of the newest are enough.
    """

    condition: str = "1 = 1"
    part: tuple[int, int] = (0, 1)
    newest: int | None = None


class FilesInMotion(RuntimeError):
    """Files of the archive were deleted while they were being read, each time."""


def source() -> BaseDatabaseWrapper:
    """The database to read records from: a replica, if there is one, so that long reports do not slow down writes."""
    return connections["replica" if "replica" in connections.databases else "default"]


def ask(selection: Selection, sql: str, values: Sequence[Any] = (), **tables: Rows) -> pl.DataFrame:
    """What DuckDB answers; `tables` are those that it asks, queries and events."""
    for _ in range(TRIES):
        files = named(selection.site, source().alias)
        try:
            return answer(selection, sql, values, tables)
        except OSError:
            if named(selection.site, source().alias) == files:
                raise
    raise FilesInMotion(f"Files of site {selection.site} were written anew each time that they were read.")


def answer(selection: Selection, sql: str, values: Sequence[Any], tables: dict[str, Rows]) -> pl.DataFrame:
    """What DuckDB answers, unless a file is deleted before it was read."""
    with engine.folder() as folder, engine.database_of_readers(folder) as db:
        selects = steadily(selection.site, partial(selects_of, folder, selection, sql, tables), source().alias)
        for kind, select in selects.items():
            db.execute(f"CREATE OR REPLACE TEMP VIEW {kind} AS {select}").fetchall()
        return engine.frame_of(db, sql, values)


def count(selection: Selection, kind: str, rows: Rows) -> int:
    """The number of records; those in the database are counted there."""
    table = MODELS[kind]._meta.db_table

    def read(files: list[ArchiveFile]) -> int:
        sql, values = fresh_sql(f"SELECT count(*) FROM {table}", selection, rows)  # noqa: S608  a name of ours
        with source().cursor() as cursor:
            cursor.execute(sql, values)
            ((fresh,),) = cursor.fetchall()
        return fresh + archived_count(selection, kind, rows, files)

    return steadily(selection.site, read, source().alias)


def archived_count(selection: Selection, kind: str, rows: Rows, files: list[ArchiveFile]) -> int:
    files = [file for file in files if file.kind == kind and may_hold(file, selection, rows.part)]
    if not files:
        return 0
    with engine.folder() as folder, engine.database_of_readers(folder) as db:
        select = from_files(["received"], selection, rows, paths_of(files, folder))
        return int(engine.frame_of(db, f"SELECT count(*) FROM ({select})").item())  # noqa: S608  texts of ours


def selects_of(folder: Path, selection: Selection, sql: str, tables: dict[str, Rows], files: list[ArchiveFile]) -> dict[str, str]:
    """SQL for each table, of the columns that the statement names."""
    selects = {}
    for kind, rows in tables.items():
        names = [name for name in COLUMNS[kind] if re.search(rf"\b{name}\b", f"{sql} {rows.condition}")] or ["received"]
        parts = [select_made(kind, names, engine.parquet(fresh(folder, selection, kind, names, rows)))]
        if archived := [file for file in files if file.kind == kind and may_hold(file, selection, rows.part)]:
            parts.append(from_files(names, selection, rows, paths_of(archived, folder)))
        selects[kind] = " UNION ALL BY NAME ".join(parts)
    return selects


def may_hold(file: ArchiveFile, selection: Selection, part: tuple[int, int] = (0, 1)) -> bool:
    """Whether the file can have records of the selection and part."""
    number, parts = part
    fewer = min(file.buckets, parts)
    return (
        file.first <= selection.last
        and file.last >= selection.first
        and (file.loaded is None or file.loaded <= selection.last)
        and file.earliest < selection.until
        and file.latest >= selection.since
        and (file.bucket is None or file.bucket % fewer == number % fewer)
    )


def from_files(names: Sequence[str], selection: Selection, rows: Rows, paths: Sequence[Path]) -> str:
    first, last = range_of(*rows.part)
    of_part = f"(bucket BETWEEN {first} AND {last} OR bucket IS NULL) AND " if rows.part[1] > 1 else ""
    within = (
        f"received BETWEEN {micros(selection.first)} AND {micros(selection.last)}"
        f" AND time >= {micros(selection.since)} AND time < {micros(selection.until)}"
    )
    last_ones = "" if rows.newest is None else f" ORDER BY received DESC LIMIT {rows.newest}"
    select = f"SELECT {', '.join(names)} FROM {engine.parquet(paths)} WHERE {of_part}{within} AND ({rows.condition}){last_ones}"  # noqa: S608
    return f"SELECT * FROM ({select})"  # noqa: S608  texts and numbers of ours


def fresh(folder: Path, selection: Selection, kind: str, names: Sequence[str], rows: Rows) -> list[Path]:
    """Files with the rows that are in the database, as they are there."""
    select, schema = select_rows(kind, names, source().vendor)
    sql, values = fresh_sql(select, selection, rows)
    with frames_of(source(), sql, values, schema) as frames:
        return list(as_files(folder, kind, frames, pl.DataFrame(schema=dict(schema))))


def fresh_sql(select: str, selection: Selection, rows: Rows) -> tuple[str, list[Any]]:
    where = "site_id = %s AND received >= %s AND received <= %s AND time >= %s AND time < %s"
    last_ones = "" if rows.newest is None else f" ORDER BY received DESC LIMIT {rows.newest}"
    condition = rows.condition.replace("%", "%%")
    return f"{select} WHERE {where} AND ({condition}){last_ones}", [selection.site, *adapted(selection[1:], source().vendor)]


def adapted(moments: Sequence[datetime], vendor: str) -> list[Any]:
    return list(moments if vendor == "postgresql" else map(as_text, moments))


def as_files(folder: Path, kind: str, frames: Iterator[pl.DataFrame], empty: pl.DataFrame) -> Iterator[Path]:
    for number, frame in enumerate(frames):
        path = folder / f"{kind}-{number}.parquet"
        frame.write_parquet(path, compression="lz4", statistics=False)
        yield path
    path = folder / f"{kind}.parquet"
    empty.write_parquet(path)
    yield path
