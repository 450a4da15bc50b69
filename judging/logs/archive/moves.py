"""Moves records of closed days from their tables into files: all of a stretch of receipt, in one transaction, or none."""

import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from judging.database.row_frames import frames_of
from judging.logs import site_sweeps
from judging.logs.archive import engine, files
from judging.logs.archive.layout import COLUMNS, MODELS, MOST_BUCKETS, range_of, select_made, select_rows
from judging.logs.archive.selections import EVER, adapted, as_files
from judging.models import Site

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Fewer stay where they are: a file of few records is not worth opening.
LEAST = 100_000
# So many go at once. On SQLite everybody who writes waits for it.
MOST = {"postgresql": 4_000_000, "sqlite": 100_000}
ROWS_A_FILE = 1_000_000


log = logging.getLogger(__name__)


class RecordsChanged(RuntimeError):
    """Records of a stretch came or went while it was being archived; nothing was moved."""


class Stretch(NamedTuple):
    """Records of one kind received from one moment until just before another, and how many there are."""

    since: datetime
    until: datetime
    rows: int


def sweep(now: datetime | None = None) -> None:
    before = (now or timezone.now()) - timedelta(days=settings.LOG_ARCHIVE_DAYS)
    site_sweeps.tell(site_sweeps.try_each(partial(sweep_site, before=before)))


def sweep_site(site: Site, *, before: datetime) -> None:
    try:
        archive(site, before=before, least=LEAST)
    except RecordsChanged as problem:
        log.warning(problem)


def archive(site: Site, *, before: datetime, least: int = 1) -> int:
    """Move what was received on days that were over by then, unless there are fewer than `least`. Says how many records."""
    end = datetime.combine(before.astimezone(UTC).date(), time.min, UTC)
    return sum(archive_kind(site, kind, end, least) for kind in COLUMNS)


def archive_kind(site: Site, kind: str, end: datetime, least: int) -> int:
    """Each stretch begins where the one before ended: the index has the rows that were just deleted until it is vacuumed."""
    moved, place = 0, EVER[0]
    while (stretch := next_stretch(site, kind, (place, end), least)) and move(site, kind, stretch):
        moved += stretch.rows
        place = stretch.until
    return moved


def next_stretch(site: Site, kind: str, ends: tuple[datetime, datetime], least: int) -> Stretch | None:
    """The oldest records: of as many days as make LEAST, at most MOST. None where there are fewer than `least`.

    A stretch ends between two moments of receipt: all of one request came at one moment.
    """
    place, end = ends
    rows = MODELS[kind].objects.filter(site=site, received__gte=place, received__lt=end)
    received = rows.order_by("received").values_list("received", flat=True)
    if (first := received.first()) is None or not received[least - 1 : least]:
        return None
    enough = received[LEAST - 1 : LEAST].first()
    until = day_after(enough) if enough else end
    most = MOST[connection.vendor]
    beyond = received.filter(received__lt=until)[most : most + 1].first()
    if beyond is not None:
        until = beyond if beyond > first else beyond + timedelta(microseconds=1)
    return Stretch(first, until, rows.filter(received__lt=until).count())


def day_after(moment: datetime) -> datetime:
    return datetime.combine(moment.astimezone(UTC).date(), time.min, UTC) + timedelta(days=1)


@transaction.atomic(durable=True)
def move(site: Site, kind: str, stretch: Stretch) -> bool:
    """Write a stretch into files and take it out of its table. False where somebody else is at this site's archive."""
    if not files.hold(site.pk):
        return False
    with engine.folder() as folder:
        written = write(site, kind, stretch, folder)
    if take_out(site, kind, stretch) != written:
        raise RecordsChanged(f"{stretch.rows:,} {kind} of {site} since {stretch.since} stay in their table until the next time.")
    return True


def write(site: Site, kind: str, stretch: Stretch, folder: Path) -> int:
    """Files of a stretch; says how many records they hold."""
    with engine.database(folder, threads=os.cpu_count() or 1) as db:
        select = select_made(kind, COLUMNS[kind], engine.parquet(rows_of(site, kind, stretch, folder)))
        return write_buckets(db, select, folder, site=site.pk, kind=kind, buckets=buckets_for(stretch.rows))


def write_buckets(
    db: "DuckDBPyConnection",
    select: str,
    folder: Path,
    *,
    site: int,
    kind: str,
    buckets: int,
    store: Callable[..., object] = files.store,
) -> int:
    """A file of what SQL selects for each bucket that has records, and one of those that name no client."""
    conditions: dict[int | None, str] = {None: "bucket IS NULL"}
    conditions |= {number: "bucket BETWEEN {} AND {}".format(*range_of(number, buckets)) for number in range(buckets)}
    written = 0
    for bucket, condition in conditions.items():
        path = folder / f"bucket-{bucket}.parquet"
        rows = files.write(db, f"SELECT * FROM ({select}) WHERE {condition}", path)  # noqa: S608  texts and numbers of ours
        if rows:
            store(db, path, site=site, kind=kind, rows=rows, buckets=buckets, bucket=bucket)
        path.unlink()
        written += rows
    return written


def buckets_for(rows: int) -> int:
    buckets = 1
    while buckets < MOST_BUCKETS and rows > buckets * ROWS_A_FILE:
        buckets *= 2
    return buckets


def rows_of(site: Site, kind: str, stretch: Stretch, folder: Path) -> list[Path]:
    select, schema = select_rows(kind, COLUMNS[kind], connection.vendor)
    sql = f"{select} WHERE site_id = %s AND received >= %s AND received < %s"
    values = [site.pk, *adapted(stretch[:2], connection.vendor)]
    with frames_of(connection, sql, values, schema) as frames:
        return list(as_files(folder, kind, frames, pl.DataFrame(schema=dict(schema))))


def take_out(site: Site, kind: str, stretch: Stretch) -> int:
    rows = MODELS[kind].objects.filter(site=site, received__gte=stretch.since, received__lt=stretch.until)
    return rows._raw_delete(rows.db)
