"""Renewal of reports at night: those whose evidence has changed, as long as somebody looks at them."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from judging.errors import Refusal
from metrics.kinds.report_kinds import REPORT_KINDS
from metrics.models import SUPERSEDING_SUBJECTS, Report, ReportQuerySet

LOOKED_AT = timedelta(days=30)
BEGINS = timedelta(hours=3)  # the hour of the night: backups begin at two
MOST_A_NIGHT = 50


def renew_reports(now: datetime) -> int:
    """Ask again for reports whose evidence has changed, those computed longest ago first; returns how many."""
    renewed = 0
    for report in looked_at(now):
        if renewed == MOST_A_NIGHT:
            break
        renewed += not REPORT_KINDS[report.kind].is_current(report) and renew(report)
    return renewed


def looked_at(now: datetime) -> ReportQuerySet:
    """Finished reports that somebody looks at, unless a newer one is on its way or has failed: that waits for a person.

    Where a site has readers, only its owner asks again: the difference of two reports could be what one user did.
    """
    same = Q(*(Q(**{subject: OuterRef(subject)}) for subject in SUPERSEDING_SUBJECTS), _connector=Q.OR)
    newer = Report.objects.filter(same, kind=OuterRef("kind"), pk__gt=OuterRef("pk"))
    finished = Report.objects.filter(state=Report.State.DONE, looked__gte=now - LOOKED_AT)
    unread = finished.filter(site__readers=None, experiment__site__readers=None)
    return unread.exclude(Exists(newer)).with_subject().defer("result").order_by("finished")


@transaction.atomic
def renew(report: Report) -> bool:
    """Ask again, if that can be asked. Nobody looked: the new report is renewed no longer than this one would be."""
    try:
        newer = REPORT_KINDS[report.kind].ask_again(report)
    except Refusal:
        return False
    Report.objects.filter(pk=newer.pk).update(looked=report.looked)
    return True
