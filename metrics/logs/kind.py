"""What reports on a site's log have in common: they count what was received until one moment, in parts of so many units.

Records come in meanwhile; those received after the report's moment do not matter.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

import polars as pl
from django.db.models import Q
from django.utils import timezone

from judging.access import sees_records
from judging.logs.privacy import K
from judging.models import Site, User
from metrics.logs.frames import as_fresh_as
from metrics.models import Part, Report, ReportQuerySet
from metrics.pipeline import Findings, Kind, Reading, Standing
from metrics.stored_tables import from_parquet

TOO_FEW = f"Too few users to show: readers see what {K} users or more did."
# The table of a part whose sums are not enough.
ROWS = "rows"
# Tally of a part, to be added up, and rows where sums are not enough.
Tally = tuple[dict[str, Any], pl.DataFrame | None]


def log_kind(
    name: Report.Kind,
    plan: Callable[[Report, datetime], tuple[dict[str, Any], int]],
    part: Callable[[Report, int, int], Tally],
    together: Callable[[Report, Sequence[Tally]], Findings],
) -> Kind:
    """`plan` settles what all parts have in common, and how many there are; `part` computes one; `together` adds them up.

    What single users did stays with the site alone: of parts' rows nothing is kept.
    """

    def read(report: Report) -> Reading:
        now = as_fresh_as(timezone.now())
        common, parts = plan(report, now)
        return Reading(now, spec={**common, "parts": parts}, parts=[str(number) for number in range(parts)])

    def compute(parts: Sequence[Part]) -> Iterable[Findings]:
        for one in parts:
            sums, rows = part(one.report, int(one.name), one.report.spec["parts"])
            yield Findings(sums, {} if rows is None else {ROWS: rows})

    def whole(report: Report) -> Findings:
        rows = dict(report.tables.filter(part__isnull=False, name=ROWS).values_list("part_id", "content"))
        found = [(part.result or {}, from_parquet(rows[part.pk]) if part.pk in rows else None) for part in report.parts.all()]
        return together(report, found)

    return Kind(name, read, compute, whole, keeps_rows=False)


def site_of(report: Report) -> Site:
    """Whose log it is of."""
    return report.experiment.site if report.experiment else report.subject


def of_site(site: Site) -> ReportQuerySet:
    """Reports on the site's log, whatever their kind."""
    return Report.objects.filter(Q(site=site) | Q(experiment__site=site))


def may_ask(user: User, site: Site, stands: Standing) -> bool:
    """Readers ask for the first report only: by what differs between two that they can time, few users could be told."""
    return sees_records(user, site) or stands.report is None
