"""What is done once a night, from an hour of UTC on, or at the next start where nothing ran then, as on a laptop."""

from datetime import UTC, datetime, timedelta

from django.utils import timezone

from judging.models import TaskEnd


def latest(begins: timedelta) -> datetime:
    """When the latest night began that begins so long after midnight, UTC."""
    return (timezone.now().astimezone(UTC) - begins).replace(hour=0, minute=0, second=0, microsecond=0) + begins


def is_done(task: str, begins: timedelta) -> bool:
    """Whether the task has ended well since then."""
    return TaskEnd.objects.filter(task=task, ended__gte=latest(begins)).exists()
