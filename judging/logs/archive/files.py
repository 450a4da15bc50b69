"""Files of the archive: stored once, read back before they are named, found again on whatever storage they are."""

import hashlib
import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import connection, transaction

from judging.collections.local_copies import flush, own_path
from judging.logs.archive import engine
from judging.logs.archive.engine import parquet
from judging.logs.moments import moment_of
from judging.models import ArchiveFile, Outbox

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Result = TypeVar("Result")
# So many rows lie together; whoever looks for few clients reads little else.
ROW_GROUP = 40_960
ORDER = "bucket, client, time, identity"
FACTS = "SELECT count(*), min(received), max(received), min(time), max(time) FROM {}"
# One at a time moves a site's records, or takes some out of its files.
LOCKS = {False: "SELECT pg_try_advisory_xact_lock(hashtext('archive of logs'), %s::int)",
         True: "SELECT pg_advisory_xact_lock(hashtext('archive of logs'), %s::int) IS NOT NULL"}  # fmt: skip


class Damaged(RuntimeError):
    """A file does not hold what was written into it."""


def hold(site: int, *, wait: bool = False) -> bool:
    """Keep others from a site's archive until the transaction ends; False where somebody has it. SQLite has one writer anyway."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute(LOCKS[wait], [site])
        return bool(cursor.fetchone()[0])


def write(db: "DuckDBPyConnection", select: str, path: Path, values: Sequence[Any] = ()) -> int:
    """Write what SQL selects, in the archive's order; says how many rows that were."""
    options = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP}"
    ((rows,),) = db.execute(f"COPY ({select} ORDER BY {ORDER}) TO '{path}' ({options})", list(values)).fetchall()
    return int(rows)


def store(db: "DuckDBPyConnection", path: Path, *, site: int, rows: int, **facts: Any) -> None:
    """Store a file, and name it once it was read back from where it is stored."""
    stored(db, path, site=site, rows=rows, **facts).save()


def stored(db: "DuckDBPyConnection", path: Path, *, site: int, rows: int, **facts: Any) -> ArchiveFile:
    """A stored file that nothing names yet, read back from where it is stored."""
    archived = ArchiveFile(site_id=site, rows=rows, bytes=path.stat().st_size, **facts)
    archived.sha256 = hash_of(path)
    with path.open("rb") as content:
        archived.file.save(path.name, File(content), save=False)
    copy = local(archived, path.with_suffix(".stored"))
    flush(copy)  # its records are about to leave the database
    if hash_of(copy) != archived.sha256:
        raise Damaged(f"{archived.file.name} is not what was written: look at the disk or the object storage.")
    ((counted, *moments),) = db.execute(FACTS.format(parquet([copy]))).fetchall()
    if counted != rows:
        raise Damaged(f"{archived.file.name} holds {counted:,} of {rows:,} records.")
    archived.first, archived.last, archived.earliest, archived.latest = map(moment_of, moments)
    return archived


def add(made: list[ArchiveFile], *arguments: Any, **facts: Any) -> None:
    """Store a file that is named later."""
    made.append(stored(*arguments, **facts))


def hash_of(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def local(archived: ArchiveFile, copy: Path) -> Path:
    """The path of a file; of one in a bucket, that of a copy which goes with its folder: kept ones would outlive an erasure."""
    if path := own_path(str(archived.file.name)):
        return path
    with archived.file.open() as content, copy.open("wb") as target:
        shutil.copyfileobj(content, target)
    return copy


def named(site: int, using: str = "default") -> list[ArchiveFile]:
    """The files of a site, as a database names them."""
    return list(ArchiveFile.objects.using(using).filter(site=site))


def steadily(site: int, read: Callable[[list[ArchiveFile]], Result], using: str = "default") -> Result:
    """What is read beside the site's files, while no record moves from rows into files and no file is deleted."""
    files = named(site, using)
    while True:
        try:
            result = read(files)
        except OSError:
            if files == (later := named(site, using)):
                raise
        else:
            if files == (later := named(site, using)):
                return result
        files = later


class Copies:
    """The files that are read, time and again perhaps: those of a bucket lie in a folder until others are asked for."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.paths: dict[ArchiveFile, Path] = {}

    def paths_of(self, files: Sequence[ArchiveFile]) -> list[Path]:
        for archived in self.paths.keys() - set(files):
            del self.paths[archived]
            self.copy_of(archived).unlink(missing_ok=True)
        for archived in files:
            if archived not in self.paths:
                self.paths[archived] = local(archived, self.copy_of(archived))
        return [self.paths[archived] for archived in files]

    def copy_of(self, archived: ArchiveFile) -> Path:
        return self.folder / f"{archived.pk}.parquet"


def paths_of(files: Sequence[ArchiveFile], folder: Path) -> list[Path]:
    return Copies(folder).paths_of(files)


def rewrite(archived: ArchiveFile, kept: str, values: Sequence[Any]) -> None:
    """Put a file of the records that the condition keeps in its place. Call it in a transaction, under `hold`."""
    with engine.folder() as folder, engine.database(folder) as db:
        select = f"SELECT * FROM {parquet(paths_of([archived], folder))} WHERE {kept}"  # noqa: S608  texts of ours
        path = folder / "kept.parquet"
        if rows := write(db, select, path, values):
            same = {name: getattr(archived, name) for name in ("kind", "buckets", "bucket", "loaded")}
            store(db, path, site=archived.site_id, rows=rows, **same)
    drop([archived])


def drop(files: Iterable[ArchiveFile]) -> None:
    """Name files no more. Once that has committed they are deleted, by the outbox where the process dies before it has."""
    if names := [str(archived.file.name) for archived in files]:
        ArchiveFile.objects.filter(file__in=names).delete()
        transaction.on_commit(partial(forget, names), robust=True)
        Outbox.objects.post("judging.tasks.delete_log_files", names=names)


def forget(names: Iterable[str]) -> None:
    for name in names:
        default_storage.delete(name)
