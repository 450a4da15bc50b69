"""DuckDB as the archive uses it: in a temporary folder, within a fixed memory, and without anything fetched from elsewhere.

It is imported by whoever needs it, not by each process that serves pages.
"""

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY = "600MB"
# Of as many records that come first in an order, the other columns are read once it is known which these are.
FIRST_ONES = 5000
# What DuckDB says of a full disk: where it writes a file, and where it spills into its folder, whose limit is the disk.
FULL = (os.strerror(errno.ENOSPC), "max_temp_directory_size")


shared: "ContextVar[DuckDBPyConnection | None]" = ContextVar("shared", default=None)


class Unreadable(OSError):
    """A file that DuckDB cannot read or write, and why."""


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ireval-log-") as name:
        yield Path(name)


@contextmanager
def kept_open() -> Iterator[None]:
    """Whoever asks within the block shares one database: making one takes 25 ms, as long as reading a small part."""
    with folder() as place, database(place) as db:
        before = shared.set(db)
        try:
            yield
        finally:
            shared.reset(before)


@contextmanager
def database_of_readers(folder: Path) -> Iterator["DuckDBPyConnection"]:
    """The one that is kept open, or one of its own. Whatever is made in it is temporary, and replaces what has its name."""
    if db := shared.get():
        with refusals():
            yield db
    else:
        with database(folder) as db:
            yield db


@contextmanager
def database(folder: Path, *, threads: int = 1) -> Iterator["DuckDBPyConnection"]:
    """A database in memory, which goes on in the folder where memory does not suffice."""
    import duckdb  # noqa: PLC0415  15 MB of memory

    settings: dict[str, Any] = {
        "memory_limit": MEMORY,
        "threads": threads,
        "temp_directory": str(folder / "spilled"),
        "preserve_insertion_order": False,
        "late_materialization_max_rows": FIRST_ONES,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "enable_external_file_cache": False,
    }
    with refusals(), duckdb.connect(config=settings) as connection:
        yield connection


@contextmanager
def refusals() -> Iterator[None]:
    """DuckDB's errors as those that the rest knows."""
    import duckdb  # noqa: PLC0415  15 MB of memory

    try:
        yield
    except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
        if any(words in str(error) for words in FULL):
            raise Unreadable(errno.ENOSPC, str(error)) from error
        if isinstance(error, duckdb.IOException):
            raise Unreadable(str(error)) from error
        raise


def frame_of(connection: "DuckDBPyConnection", sql: str, values: Sequence[Any] = ()) -> pl.DataFrame:
    return pl.DataFrame(connection.sql(sql, params=list(values)))


def parquet(paths: Iterable[str | Path], *options: str) -> str:
    """DuckDB's name for the rows of several files of the same columns."""
    listed = ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths)
    return f"read_parquet({', '.join([f'[{listed}]', *options])})"
