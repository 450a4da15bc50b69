"""What is unfinished and shows no sign of life is sent again: a message was lost, or whoever worked on it was killed.

It is never given up here, since a long queue looks the same. What kills or fails whoever works on it is parked, and fails then.
"""

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from judging.models import Outbox, Upload
from metrics.models import Computed, LogReport, Report, StudyReport

# A step beats while it runs. Longer without a sign of life, and the broker has lost a message or is busy with others: each
# further wait is twice as long, so that a long queue is not made longer.
PATIENCE = timedelta(seconds=30)
MOST_DOUBLINGS = 6  # then it is sent again every 32 minutes
# Without a sign of life for so long, no step of it is running.
QUIET = timedelta(seconds=15)


def resume_stopped(reports: QuerySet, task: str) -> int:
    """Send unfinished reports again that showed no sign of life for too long; returns how many."""
    now = timezone.now()
    resumed = 0
    for resent in range(MOST_DOUBLINGS + 1):
        stopped = {"state__in": Computed.UNFINISHED, "resent": resent, "active__lt": now - PATIENCE * 2**resent}
        for report in reports.filter(**stopped).values_list("pk", flat=True):
            resumed += send_again(reports.filter(pk=report, **stopped), task, report, resent)
    return resumed


@transaction.atomic
def send_again(stopped: QuerySet, task: str, pk: int, resent: int) -> int:
    """Returns 1 if this call was the one that did it, else 0: another sweep was faster, or a step came back to life."""
    claimed = stopped.update(resent=min(resent + 1, MOST_DOUBLINGS), active=timezone.now())
    if claimed:
        Outbox.objects.post(task, report=pk)
    return claimed


def is_quiet(report: Computed) -> bool:
    """Whether nobody seems to work on an unfinished report just now."""
    return report.active < timezone.now() - QUIET


def before(report: Computed) -> int:
    """How many unfinished reports and imports were asked for before this one."""
    imports = Upload.objects.filter(state__in=[Upload.State.WAITING, Upload.State.CHECKING])
    reports = [model.objects.filter(state__in=Computed.UNFINISHED) for model in (Report, StudyReport, LogReport)]
    return sum(found.filter(created__lt=report.created).count() for found in (imports, *reports))
