"""The status of background work: Celery, its beat and the broker."""

from datetime import timedelta

from django.utils import timezone

from judging.models import Execution, TaskEnd

# Sweeps come every few seconds, unless all Celery workers are busy: then what they do gives a sign of life as often.
SILENT = timedelta(seconds=60)
NOTED_EVERY = timedelta(seconds=10)


def note_end(task: str) -> None:
    """Write down that a task ended well; not every time, since each would wait for the disk."""
    now = timezone.now()
    if not TaskEnd.objects.filter(task=task, ended__gt=now - NOTED_EVERY).exists():
        TaskEnd.objects.update_or_create(task=task, defaults={"ended": now})


def is_stopped() -> bool:
    """Whether no task has ended or given a sign of life for a minute."""
    since = timezone.now() - SILENT
    alive = TaskEnd.objects.filter(ended__gt=since).exists() or Execution.objects.filter(active__gt=since, error="").exists()
    return not alive
