"""What a task of a Spark cluster does: one part of a report, of files alone.

The records are read as everywhere, from rows and files. The database is one in memory that names the files and has no rows.
"""

import json
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # Django is not set up when a cluster imports this
    import pyarrow

    from judging.models import Archived
    from metrics.models import Report

# A tally comes in rows: its table in pieces that are small enough for a message, then its sums.
COLUMNS = "sums string, piece binary"
PIECE = 4 * 2**20
SETTINGS = ("STORAGES", "MEDIA_ROOT", "AUTH_USER_MODEL", "KNOX_TOKEN_MODEL", "USE_TZ", "TIME_ZONE", "DEFAULT_AUTO_FIELD")
APPS = ["django.contrib.auth", "django.contrib.contenttypes", "knox", "judging", "metrics"]


class Work(NamedTuple):
    part: Callable[..., Any]
    report: "Report"
    files: list["Archived"]
    parts: int
    numbers: list[int]


def settings_of(settings: Any) -> dict[str, Any]:
    """What of our settings a cluster needs: where files are, without keys."""
    return {name: getattr(settings, name) for name in SETTINGS}


def compute(settings: dict[str, Any], work: bytes, batches: Iterable["pyarrow.RecordBatch"]) -> Iterator["pyarrow.RecordBatch"]:
    """The tallies of the numbered parts, in rows of COLUMNS."""
    import pyarrow as pa

    set_up(settings)
    from metrics.stored_tables import as_parquet

    wanted: Work = pickle.loads(work)
    name_files(wanted.files)
    schema = pa.schema({"sums": pa.string(), "piece": pa.binary()})
    for place in (place for batch in batches for place in batch.column(0).to_pylist()):
        sums, table = wanted.part(wanted.report, wanted.numbers[place], wanted.parts)
        content = b"" if table is None else as_parquet(table)
        rows = [(None, content[start : start + PIECE]) for start in range(0, len(content), PIECE)]
        for row in [*rows, (json.dumps(sums), None)]:
            yield pa.RecordBatch.from_pylist([dict(zip(("sums", "piece"), row, strict=True))], schema)


def set_up(ours: dict[str, Any]) -> None:
    """Django, once a process: a cluster keeps them for further parts."""
    import django
    from django.conf import settings
    from django.db import connection

    if settings.configured:
        return
    memory = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
    settings.configure(**ours, DATABASES=memory, INSTALLED_APPS=APPS)
    django.setup()
    from judging.models import Archived, Event, Query

    with connection.schema_editor() as editor:
        for model in (Archived, Query, Event):
            editor.create_model(model)


def name_files(files: list["Archived"]) -> None:
    from judging.models import Archived

    Archived.objects.all().delete()
    Archived.objects.bulk_create(files)
