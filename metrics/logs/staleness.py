"""What a report on a site's log does not know: records that came after it, and changes in how it is computed."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Q
from django.utils.translation import gettext as _

from ireval import ENGINE_VERSION
from judging.logs import bots
from judging.logs.archive.selections import EVER, Rows, Selection, archived_count
from judging.models import ArchiveFile, Event, Query, Site
from metrics.models import Report

# Nobody needs the exact number beyond this, and counting would take long.
MOST = 10_000
# Pages wait for it, and a copy of a file in a bucket is made each time.
MOST_OPENED = 5
MICROSECOND = timedelta(microseconds=1)


class Staleness(NamedTuple):
    """What the report does not know: the number of `records` since, at most MOST, and other reasons to compute it again."""

    records: int
    why: tuple[str, ...]

    @property
    def more(self) -> bool:
        return self.records >= MOST

    def __bool__(self) -> bool:
        return bool(self.records or self.why)


def reasons(report: Report) -> list[str]:
    assert report.log_site
    why = []
    if report.spec["bots"]["version"] != bots.current(report.log_site).version:
        why.append(_("the bot filter has changed"))
    if report.engine_version != ENGINE_VERSION:
        why.append(_("numbers are computed in another way"))
    return why


def records_since(report: Report, since: datetime = EVER[0], until: datetime = EVER[1]) -> int:
    """The number of records that came after the report began, at most MOST; only of what happened in this time."""
    assert report.as_of and report.log_site
    site, count = report.log_site, 0
    for model in (Query, Event):
        newer = model.objects.filter(site=site, received__gt=report.as_of, time__gte=since, time__lt=until)
        count += newer[: MOST - count].count()
    for rows in rows_since(report.as_of, site, since, until):
        count = min(MOST, count + rows)
        if count == MOST:
            break
    return count


def rows_since(as_of: datetime, site: Site, since: datetime, until: datetime) -> Iterator[int]:
    """The number of such records in each file, of files that have others as well only in the first few."""
    newer = ArchiveFile.objects.filter(Q(last__gt=as_of) | Q(loaded__gt=as_of), site=site, latest__gte=since, earliest__lt=until)
    opened = 0
    for file in newer:
        # Whatever was still being loaded was in no part of the report, although it had been received.
        first = EVER[0] if file.loaded and file.loaded > as_of else as_of + MICROSECOND
        if file.first >= first and file.earliest >= since and file.latest < until:
            yield file.rows
        elif opened < MOST_OPENED:
            opened += 1
            yield rows_in(file, Selection(site.pk, first, EVER[1], since, until))


def rows_in(file: ArchiveFile, selection: Selection) -> int:
    """All of its rows where it cannot be read: whoever has the report computed again is told why."""
    try:
        return archived_count(selection, file.kind, Rows(), [file])
    except OSError:
        return file.rows
