"""What a report of a site's log does not know: what came after it, and what would be computed in another way today."""

from typing import NamedTuple

from django.db.models import Q

from ireval import ENGINE_VERSION
from judging.logs import bots
from judging.models import Event, Query
from metrics.logs.kind import site_of
from metrics.models import Report

# Nobody needs to know of how many more, and counting them would take long.
MOST = 10_000


class Since(NamedTuple):
    """What the report does not know: `records` that came, MOST at most, and reasons besides."""

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
        why.append("the filter of programs has changed")
    if report.engine_version != ENGINE_VERSION:
        why.append("numbers are computed in another way")
    return why


def records_since(report: Report, when: Q | None = None) -> int:
    """Received after the report was begun, MOST at most; of a time if `when` says of which."""
    count = 0
    for model in (Query, Event):
        newer = model.objects.filter(when or Q(), site=site_of(report), received__gt=report.as_of)
        count += newer[: MOST - count].count()
    return count
