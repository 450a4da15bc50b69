"""What is unfinished and shows no sign of life is sent again: a message was lost, or whoever worked on it was killed."""

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from judging.models import Outbox
from metrics.models import Computed

# A step beats while it runs. Longer without a sign of life, and the broker has lost a message or is busy with others: each
# further wait is twice as long, so that a long queue is not made longer.
PATIENCE = timedelta(seconds=30)
# 30 s, 1, 2, 4, 8, 16 minutes: then something ends the Celery workers every time.
MOST_RESENT = 6


def resume_stopped(reports: QuerySet, task: str) -> int:
    """Send unfinished reports again that showed no sign of life for too long; give up on those that never do."""
    now = timezone.now()
    stopped = 0
    for resent in range(MOST_RESENT + 1):
        silent = reports.filter(state__in=Computed.UNFINISHED, resent=resent, active__lt=now - PATIENCE * 2**resent)
        for report in silent.values_list("pk", flat=True):
            stopped += send_again(reports.filter(pk=report, state__in=Computed.UNFINISHED, resent=resent), task, report, resent)
    return stopped


def send_again(report: QuerySet, task: str, pk: int, resent: int) -> int:
    """Returns 1 if this call was the one that did it, else 0: another sweep was faster, or a step came back to life."""
    if resent == MOST_RESENT:
        return give_up(report)
    with transaction.atomic():
        claimed = report.update(resent=resent + 1, active=timezone.now())
        if claimed:
            Outbox.objects.post(task, report=pk)
    return claimed


def give_up(report: QuerySet) -> int:
    reason = f"Computing stopped {MOST_RESENT} times without a result. The log of the Celery workers says why."
    return report.update(state=Computed.State.FAILED, error=reason, finished=timezone.now())
