"""Renewal of verdicts at night: those whose evidence has changed, as long as somebody looks at them."""

from datetime import datetime, timedelta
from itertools import islice

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from metrics.kinds.verdict.parts import KIND, is_current, request_verdict
from metrics.models import Report, ReportQuerySet

LOOKED_AT = timedelta(days=30)
MOST_A_NIGHT = 50
# A look is noted once a day, so that reading a page hardly ever writes.
A_LOOK = timedelta(days=1)


def note_look(report: Report) -> None:
    """Note that somebody looks at a verdict."""
    now = timezone.now()
    Report.objects.filter(pk=report.pk, looked__lt=now - A_LOOK).update(looked=now)


def renew_verdicts(now: datetime) -> int:
    """Ask again for verdicts whose evidence has changed, those computed longest ago first; returns how many."""
    outdated = (report for report in looked_at(now) if not is_current(report))
    renewed = list(islice(outdated, MOST_A_NIGHT))
    for report in renewed:
        renew(report)
    return len(renewed)


def looked_at(now: datetime) -> ReportQuerySet:
    """Finished verdicts that somebody looks at, unless a newer one is on its way or has failed: that waits for a person."""
    newer = Report.objects.filter(kind=KIND, hypothesis=OuterRef("hypothesis"), pk__gt=OuterRef("pk"))
    finished = Report.objects.filter(kind=KIND, state=Report.State.DONE, looked__gte=now - LOOKED_AT)
    return finished.exclude(Exists(newer)).with_subject().order_by("finished")


@transaction.atomic
def renew(report: Report) -> None:
    """Ask again. Nobody looked: the new report is renewed no longer than this one would be."""
    Report.objects.filter(pk=request_verdict(report.subject).pk).update(looked=report.looked)
