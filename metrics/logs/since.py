"""What a report on a site's log does not know: records that came after it, and changes in how it is computed."""

from datetime import timedelta
from typing import NamedTuple

from django.db.models import F, Q
from django.utils.translation import gettext as _

from ireval import ENGINE_VERSION
from judging.logs import bots
from judging.models import Archived, Event, Query
from metrics.logs.kind import site_of
from metrics.models import Report

# Nobody needs the exact number beyond this, and counting would take long.
MOST = 10_000
# Loading records into files takes less; those that move from tables into files came longer ago.
LONGEST_LOAD = timedelta(hours=1)


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
    why = []
    if report.spec["bots"]["version"] != bots.current(site_of(report)).version:
        why.append(_("the filter of programs has changed"))
    if report.engine_version != ENGINE_VERSION:
        why.append(_("numbers are computed in another way"))
    return why


def records_since(report: Report, when: Q | None = None) -> int:
    """The number of records received after the report began, at most MOST; only of the time that `when` selects.

    Of records that were archived since, whatever their time.
    """
    count = 0
    for model in (Query, Event):
        newer = model.objects.filter(when or Q(), site=site_of(report), received__gt=report.as_of)
        count += newer[: MOST - count].count()
    # Records that were loaded straight into files say that they were received when the load began; nobody saw them till its end.
    loaded = Q(created__gt=report.as_of, last__gt=F("created") - LONGEST_LOAD)
    archived = Archived.objects.filter(Q(first__gt=report.as_of) | loaded, site=site_of(report))
    return min(MOST, count + sum(archived.values_list("rows", flat=True)))
