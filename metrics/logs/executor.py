"""What a task of a Spark cluster does: one part of a report, of files alone.

It reads as everybody does, rows and files. Its database is one in memory that names the files and has no rows.
"""

import io
import json
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import django
from django.apps import apps
from django.conf import settings
from django.db import connection

if TYPE_CHECKING:  # a cluster imports this before Django is set up
    import polars as pl
    import pyarrow as pa

    from judging.models import ArchiveFile
    from metrics.models import Report

# A tally comes in rows: its table in pieces that are small enough for a message, then its sums.
COLUMNS = "sums string, piece binary"
PIECE = 4 * 2**20
SETTINGS = ("STORAGES", "MEDIA_ROOT", "AUTH_USER_MODEL", "KNOX_TOKEN_MODEL", "USE_TZ", "TIME_ZONE", "DEFAULT_AUTO_FIELD")
APPS = ["django.contrib.auth", "django.contrib.contenttypes", "knox", "judging", "metrics"]
IN_MEMORY = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}


class Work(NamedTuple):
    """Parts of a report, and the files with all that they read."""

    part: "Callable[[Report, int, int], tuple[dict[str, Any], pl.DataFrame | None]]"
    report: "Report"
    files: "list[ArchiveFile]"
    parts: int
    numbers: list[int]


def needed_settings() -> dict[str, Any]:
    """Where files are, without keys, and what models are made of."""
    return {name: getattr(settings, name) for name in SETTINGS}


def compute(needed: dict[str, Any], pickled: bytes, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
    """The tallies, in rows of COLUMNS, of the parts whose places among the numbers are given."""
    import pyarrow as pa  # noqa: PLC0415  optional

    set_up(needed)
    from judging.logs.archive import engine  # noqa: PLC0415  with models

    work: Work = pickle.loads(pickled)  # noqa: S301  by the server, whose code this is
    name_files(work.files)
    schema = pa.schema({"sums": pa.string(), "piece": pa.binary()})
    for place in (place for batch in batches for place in batch.column(0).to_pylist()):
        with engine.kept_open():
            sums, table = work.part(work.report, work.numbers[place], work.parts)
        rows: list[dict[str, Any]] = [{"sums": None, "piece": piece} for piece in pieces_of(table)]
        for row in [*rows, {"sums": json.dumps(sums), "piece": None}]:
            yield pa.RecordBatch.from_pylist([row], schema)


def pieces_of(table: "pl.DataFrame | None") -> Iterator[bytes]:
    if table is not None:
        content = io.BytesIO()
        table.write_parquet(content)
        content.seek(0)
        yield from iter(lambda: content.read(PIECE), b"")


def set_up(needed: dict[str, Any]) -> None:
    """Django, once a process: a cluster keeps it for further parts."""
    if settings.configured:
        return
    settings.configure(**needed, DATABASES=IN_MEMORY, INSTALLED_APPS=APPS)
    django.setup()
    with connection.schema_editor() as editor:
        for name in ("ArchiveFile", "Query", "Event"):
            editor.create_model(apps.get_model("judging", name))


def name_files(files: "list[ArchiveFile]") -> None:
    named = apps.get_model("judging", "ArchiveFile").objects
    named.all().delete()
    named.bulk_create(files)
