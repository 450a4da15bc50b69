"""Freshness of a click report: asking for one, how far it is, and what has come since the newest."""

from datetime import datetime
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from judging.access import sees_records
from judging.logs import volume
from judging.models import Site, User
from metrics import pipeline
from metrics.kinds.clicks.evidence import DAYS, spec_of
from metrics.kinds.clicks.query_grades import workers_qrels
from metrics.logs.staleness import Staleness, reasons, records_since
from metrics.models import Report
from metrics.pipeline import LatestReports


def latest_reports(site: Site) -> LatestReports:
    return pipeline.latest_reports(Report.Kind.CLICKS, site)


def request_click_report(
    site: Site, *, days: int | None = DAYS, since: datetime | None = None, until: datetime | None = None
) -> Report:
    """Return the report that is being computed, or ask for a new one."""
    spec = spec_of(site, days=days, since=since, until=until)
    return pipeline.ask(Report.Kind.CLICKS, site, spec)


def request_again(site: Site) -> Report:
    """Ask for the period of the newest report again, or for the usual one if there is none."""
    latest = latest_reports(site)
    report = latest.report or latest.failed
    if report is None:
        return request_click_report(site)
    since, until = (report.spec[end] and datetime.fromisoformat(report.spec[end]) for end in ("since", "until"))
    return request_click_report(site, days=report.spec["days"], since=since, until=until)


def page_context(site: Site, user: User, *, asks: bool = True) -> dict[str, Any]:
    """The context of the report's page. If `asks`, whoever looks first asks for the first report."""
    has_records = volume.has_queries(site)
    ask = partial(request_click_report, site) if asks and has_records else None
    latest = pipeline.looked_at(Report.Kind.CLICKS, site, ask)
    return {
        "site": site,
        "sees_records": sees_records(user, site),
        "has_records": has_records,
        **latest._asdict(),
        "since": staleness(latest.report) if latest.report else None,
    }


def staleness(report: Report) -> Staleness:
    """What the report does not know: records of its period that came after it, and other changes."""
    why = reasons(report)
    newest = workers_qrels(report.subject).first()
    if report.spec["qrels"] != (newest and newest.pk):
        why.append(_("workers’ grades have changed"))
    return Staleness(0 if is_over(report) else records_since(report), tuple(why))


def is_over(report: Report) -> bool:
    """Whether the period of the report was over when it was computed, so that new records cannot belong to it."""
    until = report.spec["until"]
    return bool(until) and report.as_of is not None and datetime.fromisoformat(until) <= report.as_of
