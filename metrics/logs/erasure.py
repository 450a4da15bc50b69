"""What reports must not remember when a user is forgotten, or when records have become too old.

Sums of many say nothing of anybody, and the report of an experiment that is over could not be computed again. What single users
may stand behind goes: queries of fewer than K, names of units that were in two arms, and click reports as a whole.
"""

from datetime import datetime, timedelta

from django.db.models import Q

from judging.logs.privacy import K
from judging.models import Site
from metrics.logs.kind import of_site
from metrics.models import UNFINISHED, Report


def forget(site: Site) -> None:
    """Because one of its users was erased. What is being computed begins anew: it may have read them already."""
    reports = of_site(site)
    reports.filter(Q(kind=Report.Kind.CLICKS) | Q(state__in=UNFINISHED)).delete()
    for report in reports:
        scrub(report)


def sweep(now: datetime) -> None:
    """Because records that a report was computed from are too old by now."""
    for site in Site.objects.all():
        old = of_site(site).filter(as_of__lt=now - timedelta(days=site.keep_days), state=Report.State.DONE)
        old.filter(kind=Report.Kind.CLICKS).delete()
        for report in old:
            scrub(report)


def scrub(report: Report) -> None:
    result = report.result
    if not result:
        return
    if report.kind == Report.Kind.INTERLEAVING:
        scrubbed = {**result, "queries": [query for query in result["queries"] if query["users"] >= K]}
    else:
        behaviour = result["behaviour"]
        scrubbed = {**result, "behaviour": {**behaviour, "counts": {**behaviour["counts"], "crossed_units": []}}}
    if scrubbed != result:
        Report.objects.filter(pk=report.pk).update(result=scrubbed)
        report.parts.update(result={})
