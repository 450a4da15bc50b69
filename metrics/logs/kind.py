"""The kind of a report on a site's log: it counts what was received until one moment, in parts that hold whole units.

Records that are received after that moment do not matter.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.logs.archive import engine
from judging.logs.privacy import K, may_be_counted
from judging.models import Site
from metrics.logs import cluster
from metrics.logs.cluster import Tally
from metrics.logs.frames import Window, as_fresh_as, window_of
from metrics.models import Part, Report, ReportQuerySet
from metrics.pipeline import Findings, Kind, Reading
from metrics.stored_tables import from_parquet

# The table of a part whose sums are not enough.
ROWS = "rows"


def experiment_window(report: Report) -> Window:
    assert report.experiment and report.as_of
    return window_of(report.experiment, report.as_of)


def log_kind(
    name: Report.Kind,
    plan: Callable[[Report, datetime], tuple[dict[str, Any], int]],
    part: Callable[[Report, int, int], Tally],
    combine: Callable[[Report, Sequence[Tally]], Findings],
    window: Callable[[Report], Window] = experiment_window,
) -> Kind:
    """Make the kind of a report on a site's log.

    `plan` settles what all parts share, and their number; `part` computes one, here or on a cluster; `combine` puts their tallies
    together. `window` is what all parts read. Rows of parts say what single users did, so they are deleted when the report is
    published.
    """

    def read(report: Report) -> Reading:
        now = as_fresh_as(timezone.now())
        common, parts = plan(report, now)
        return Reading(now, spec={**common, "parts": parts}, parts=[str(number) for number in range(parts)])

    def compute(parts: Sequence[Part]) -> Iterable[Findings]:
        report, numbers = parts[0].report, [int(open_part.name) for open_part in parts]
        tallies = cluster.tallies(part, window, report, numbers) if cluster.is_set() else of_each(report, numbers)
        for sums, rows in tallies:
            yield Findings(sums, {} if rows is None else {ROWS: rows})

    def of_each(report: Report, numbers: Sequence[int]) -> Iterable[Tally]:
        for number in numbers:
            with engine.kept_open():
                tally = part(report, number, report.spec["parts"])
            yield tally

    def whole(report: Report) -> Findings:
        rows = dict(report.tables.filter(part__isnull=False, name=ROWS).values_list("part_id", "content"))
        tallies = [(part.result or {}, from_parquet(rows[part.pk]) if part.pk in rows else None) for part in report.parts.all()]
        return combine(report, tallies)

    return Kind(name, read, compute, whole, keeps_rows=False, at_once=cluster.is_set)


def reports_on_site(site: Site) -> ReportQuerySet:
    """Reports on the site's log, whatever their kind."""
    return Report.objects.filter(Q(site=site) | Q(experiment__site=site))


def too_few() -> str:
    return _("Too few users to show: readers see what %(k)s users or more did.") % {"k": K}


def count_or_few(users: int, *, sees_records: bool) -> str:
    """So many users in figures; readers are told of few only that they are few."""
    return f"{users:,}" if may_be_counted(users, sees_records=sees_records) else _("fewer than %(k)s") % {"k": K}
