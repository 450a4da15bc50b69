"""Erasure of what reports know of single users, when a user is forgotten or records have become too old.

Sums over many users stay: they tell of nobody, and the report of an ended experiment could not be computed again. Deleted are
queries of fewer than K users, names of units in two arms, whole click reports, and what failed reports had read.
Earlier answers are deleted likewise: of clicks as a whole, of experiments as far as readers may not see them.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from judging.logs.privacy import K
from judging.models import Site
from metrics.logs.kind import reports_on_site
from metrics.models import EarlierAnswer, Report, ReportQuerySet, Table


def forget(site: Site) -> None:
    """Erase what a site's reports know of single users, after one was erased.

    Unfinished reports are deleted: they may have read the user's records already.
    """
    reports = reports_on_site(site)
    reports.unfinished().delete()
    erase_from(reports)
    scrub_answers(answers_on_site(site))


def sweep(now: datetime) -> None:
    """Erase what reports know of single users once their records are too old to be kept."""
    for site in Site.objects.all():
        oldest = now - timedelta(days=site.keep_days)
        erase_from(reports_on_site(site).filter(as_of__lt=oldest))
        scrub_answers(answers_on_site(site).filter(computed__lt=oldest))


def erase_from(reports: ReportQuerySet) -> None:
    """Erase what these reports know of single users. Those that are not done come first: one may be published meanwhile."""
    for report in reports.exclude(state=Report.State.DONE):
        begin_anew(report)
    done = reports.filter(state=Report.State.DONE)
    done.filter(kind=Report.Kind.CLICKS).delete()
    for report in done:
        scrub(report)


@transaction.atomic
def begin_anew(report: Report) -> None:
    """Delete what a report has read and computed so far; if it is tried again, it reads what there is then.

    A failed report still says why it failed.
    """
    if Report.objects.filter(pk=report.pk).exclude(state=Report.State.DONE).update(as_of=None):
        # Emptied parts would take the findings of whoever is still computing them; to deleted ones nothing can be stored.
        report.parts.all().delete()
        Table.objects.filter(report=report).delete()


def scrub(report: Report) -> None:
    """Take out of a report what single users may stand behind."""
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


def answers_on_site(site: Site) -> QuerySet[EarlierAnswer]:
    return EarlierAnswer.objects.filter(Q(site=site) | Q(experiment__site=site))


def scrub_answers(answers: QuerySet[EarlierAnswer]) -> None:
    """Leave of earlier answers what readers may see: it tells of K users or more."""
    answers.filter(kind=Report.Kind.CLICKS).delete()
    for answer in answers.filter(for_readers__isnull=False):
        answers.filter(pk=answer.pk).update(**(answer.for_readers or {}), for_readers=None)
