"""Asking for a click report, and how the newest one stands to what has come since."""

from datetime import datetime
from typing import Any

from judging.access import sees_records
from judging.models import Query, Site, User
from metrics.kinds.clicks.judged import workers_qrels
from metrics.kinds.clicks.parts import DAYS, spec_of
from metrics.logs import asking
from metrics.logs.since import Since, reasons, records_since
from metrics.models import LogReport, LogReportQuerySet


def of_clicks(site: Site) -> LogReportQuerySet:
    return asking.reports(site, LogReport.Kind.CLICKS).select_related("site__owner", "site__collection")


def request_click_report(
    site: Site, *, days: int | None = DAYS, since: datetime | None = None, until: datetime | None = None
) -> LogReport:
    """The report that is being computed, or a new one of what stands now."""
    spec = spec_of(site, days=days, since=since, until=until)
    return asking.requested(site, LogReport.Kind.CLICKS, spec)


def request_again(site: Site) -> LogReport:
    """Of the same time as the newest one, if there is one."""
    report = asking.newest(of_clicks(site)) or asking.failed(of_clicks(site))
    if report is None:
        return request_click_report(site)
    since, until = (report.spec[end] and datetime.fromisoformat(report.spec[end]) for end in ("since", "until"))
    return request_click_report(site, days=report.spec["days"], since=since, until=until)


def how_it_stands(site: Site, user: User, *, asks: bool = True) -> dict[str, Any]:
    """The newest report, what it does not know, and what is on its way. If `asks`, whoever looks asks for the first one."""
    reports = of_clicks(site)
    report, failed, waiting = asking.newest(reports), asking.failed(reports), asking.unfinished(reports)
    has_records = Query.objects.filter(site=site).exists()
    if asks and has_records and not (report or failed or waiting):
        request_click_report(site)
        waiting = asking.unfinished(reports)
    return {
        "site": site,
        "owns": sees_records(user, site),
        "has_records": has_records,
        "report": report,
        "failed": failed,
        "waiting": waiting,
        "since": since_then(report) if report else None,
    }


def since_then(report: LogReport) -> Since:
    why = reasons(report)
    newest = workers_qrels(report.site).first()
    if report.spec["qrels"] != (newest and newest.pk):
        why.append("workers’ grades have changed")
    return Since(0 if is_over(report) else records_since(report), tuple(why))


def is_over(report: LogReport) -> bool:
    """Whether no record that comes now is of the time that the report is of."""
    until = report.spec["until"]
    return bool(until) and report.as_of is not None and datetime.fromisoformat(until) <= report.as_of
