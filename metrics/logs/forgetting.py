"""What reports must not remember when a user is forgotten, or when records have become too old.

Sums of many say nothing of anybody, and the report of an experiment that is over could not be computed again. What single users
may stand behind goes: queries of fewer than K, names of units that were in two arms, and click reports as a whole.
"""

from datetime import datetime, timedelta

from django.db.models import Q

from judging.logs.privacy import K
from judging.models import Site
from metrics.models import LogReport


def forget(site: Site) -> None:
    """Because one of its users was erased. What is being computed begins anew: it may have read them already."""
    reports = LogReport.objects.filter(site=site)
    reports.filter(Q(kind=LogReport.Kind.CLICKS) | Q(state__in=LogReport.UNFINISHED)).delete()
    for report in reports:
        scrub(report)


def sweep(now: datetime) -> None:
    """Because records that a report was computed from are too old by now."""
    for site in Site.objects.all():
        old = LogReport.objects.filter(site=site, as_of__lt=now - timedelta(days=site.keep_days), state=LogReport.State.DONE)
        old.filter(kind=LogReport.Kind.CLICKS).delete()
        for report in old:
            scrub(report)


def scrub(report: LogReport) -> None:
    result = report.result
    if not result:
        return
    if report.kind == LogReport.Kind.INTERLEAVING:
        scrubbed = {**result, "queries": [query for query in result["queries"] if query["users"] >= K]}
    else:
        behaviour = result["behaviour"]
        scrubbed = {**result, "behaviour": {**behaviour, "counts": {**behaviour["counts"], "crossed_units": []}}}
    if scrubbed != result:
        LogReport.objects.filter(pk=report.pk).update(result=scrubbed)
        report.parts.update(sums={})
