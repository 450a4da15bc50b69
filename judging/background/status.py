"""The status of background work: Celery, its beat and the broker."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta

from django.db import DatabaseError
from django.db.models import QuerySet
from django.utils import timezone

from judging.background.heartbeat import beating, silent
from judging.models import Execution, TaskEnd

# Sweeps come every few seconds, unless all Celery workers are busy: then what they do gives a sign of life as often.
SILENT = timedelta(seconds=60)
NOTED_EVERY = timedelta(seconds=10)
# The clock calls for this one most often. Where it does not come, nor do the others, though tasks that people ask for end.
MOST_FREQUENT_SWEEP = "judging.tasks.sweep_outbox"
UNSWEPT = timedelta(minutes=10)


def note_end(task: str) -> None:
    """Write down that a task ended well; not every time, since each would wait for the disk."""
    if not TaskEnd.objects.filter(task=task).exclude(silent("ended", NOTED_EVERY)).exists():
        TaskEnd.objects.update_or_create(task=task, defaults={"ended": timezone.now()})


@contextmanager
def at_work(task: str) -> Iterator[None]:
    """Have a long sweep, which no message calls for, give signs of life: two of them keep two processes from all others.

    Why it fails is kept for administrators, until it goes well.
    """
    note_end(task)
    row = TaskEnd.objects.filter(task=task)
    try:
        with beating(row, "ended"):
            yield
    except Exception as error:
        with suppress(DatabaseError):  # the log has it
            row.update(failure=f"{type(error).__name__}: {error}"[:1000])
        raise
    row.exclude(failure="").update(failure="")


def failing() -> QuerySet[TaskEnd]:
    """Long sweeps that failed and have not gone well since."""
    return TaskEnd.objects.exclude(failure="")


def is_stopped() -> bool:
    """Whether no task has ended or given a sign of life for a minute."""
    return not (TaskEnd.objects.exclude(silent("ended", SILENT)).exists() or running().exists())


def is_unswept() -> bool:
    """Whether ten minutes have passed without a sweep: the beat is away, or every Celery process is busy."""
    return not TaskEnd.objects.filter(task=MOST_FREQUENT_SWEEP).exclude(silent("ended", UNSWEPT)).exists()


def last_sweep() -> datetime | None:
    return TaskEnd.objects.filter(task=MOST_FREQUENT_SWEEP).values_list("ended", flat=True).first()


def under_way() -> list[Execution]:
    """The tasks that are being run: they gave a sign of life of late."""
    return list(running())


def running() -> QuerySet[Execution]:
    return Execution.objects.filter(error="").exclude(silent("active", SILENT))


def last_sign() -> datetime | None:
    """When a task last ended or gave a sign of life."""
    ended = TaskEnd.objects.order_by("-ended").values_list("ended", flat=True).first()
    active = Execution.objects.order_by("-active").values_list("active", flat=True).first()
    return max((moment for moment in (ended, active) if moment), default=None)
