"""Single records in files of the archive: found by their ids, or by when they were received, as the database would give them."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from judging.logs.archive import engine
from judging.logs.archive.files import Copies, paths_of
from judging.logs.archive.layout import MODELS, bucket_of
from judging.logs.moments import micros, moment_of
from judging.models import ArchiveFile, Event, Query

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# How a column of a file is asked for where a table has another kind, and how it becomes what the table has.
TEXTS = {"pk": "CAST(identity AS VARCHAR) AS pk", "identity": "CAST(identity AS VARCHAR) AS identity"}
KINDS: dict[str, Callable[[Any], Any]] = {
    "pk": UUID, "identity": UUID, "received": moment_of, "time": moment_of, "raw": json.loads, "arms": dict,
}  # fmt: skip


def find(
    files: Sequence[ArchiveFile],
    names: Sequence[str],
    wanted: Mapping[str, Collection[int]],
    *,
    of: Collection[int] | None = None,
) -> Iterator[tuple[ArchiveFile, tuple[Any, ...]]]:
    """The named columns of records that have one of the ids wanted in one of their columns, each with its file.

    `of` are clients: then records that name others are not looked for, and hardly read. One file lies here at a time.
    """
    asked = {name: list(ids) for name, ids in wanted.items() if ids}
    near = [file for file in files if of is None or may_hold(file, of)] if asked else []
    if not near:
        return
    condition = " OR ".join(f"{name} IN (SELECT unnest(${place}::BIGINT[]))" for place, name in enumerate(asked, start=1))
    if of is not None:
        buckets = "".join(f"bucket = {bucket} OR " for bucket in {bucket_of(client) for client in of})
        condition = f"({buckets}bucket IS NULL) AND ({condition})"
    with engine.folder() as spilled, engine.database(spilled) as db:
        for file in near:
            with engine.folder() as folder:
                yield from read(db, [file], paths_of([file], folder), names, where=(condition, list(asked.values())))


def may_hold(file: ArchiveFile, clients: Iterable[int]) -> bool:
    """Whether the file can have records of these clients, or of none."""
    return file.bucket is None or any(client % file.buckets == file.bucket for client in clients)


def select(
    files: Sequence[ArchiveFile], names: Sequence[str], condition: str, values: Sequence[Any] = (), copies: Copies | None = None
) -> Iterator[tuple[ArchiveFile, tuple[Any, ...]]]:
    with engine.folder() as folder, engine.database(folder) as db:
        paths = copies.paths_of(files) if copies else paths_of(files, folder)
        yield from read(db, files, paths, names, where=(condition, values))


def read(
    db: "DuckDBPyConnection",
    files: Sequence[ArchiveFile],
    paths: Sequence[Path],
    names: Sequence[str],
    *,
    where: tuple[str, Sequence[Any]],
) -> Iterator[tuple[ArchiveFile, tuple[Any, ...]]]:
    condition, values = where
    by_path = dict(zip(map(str, paths), files, strict=True))
    listed = ", ".join(TEXTS.get(name, name) for name in names)
    source = engine.parquet(paths, "filename = true")
    result = db.execute(f"SELECT filename, {listed} FROM {source} WHERE {condition}", list(values))  # noqa: S608  texts of ours
    for path, *cells in result.fetchall():
        yield by_path[path], tuple(as_in_table(name, cell) for name, cell in zip(names, cells, strict=True))


def as_in_table(name: str, cell: Any) -> Any:
    return KINDS[name](cell) if name in KINDS else cell


def records(
    files: Sequence[ArchiveFile], condition: str, values: Sequence[Any] = (), copies: Copies | None = None
) -> list[Query | Event]:
    """The records of files of one kind, as rows of their table. Copies are kept, if they are given, for who asks again."""
    if not files:
        return []
    model = MODELS[files[0].kind]
    names = [field.attname for field in model._meta.concrete_fields if field.attname != "site_id"]
    rows = select(files, names, condition, values, copies)
    return [model(**dict(zip(names, cells, strict=True)), site_id=file.site_id) for file, cells in rows]


def newest(files: Iterable[ArchiveFile], most: int) -> list[ArchiveFile]:
    """The newest files, as many as have so many records."""
    chosen: list[ArchiveFile] = []
    for file in sorted(files, key=attrgetter("last"), reverse=True):
        if sum(other.rows for other in chosen) >= most:
            break
        chosen.append(file)
    return chosen


def day_counts(files: Sequence[ArchiveFile], since: Sequence[datetime]) -> list[tuple[Any, ...]]:
    """Rows of a day of receipt (UTC), how many records came after each of these moments, and altogether."""
    if not files:
        return []
    after = ", ".join(f"count(*) FILTER (WHERE received > {micros(moment)})" for moment in since)
    with engine.folder() as folder, engine.database(folder) as db:
        source = engine.parquet(paths_of(files, folder))
        sql = f"SELECT CAST(make_timestamp(received) AS DATE) AS day, {after}, count(*) FROM {source} GROUP BY day"  # noqa: S608
        return db.execute(sql).fetchall()
