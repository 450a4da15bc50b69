"""What is done once a night, from an hour of UTC on, or at the next start where nothing ran then, as on a laptop."""

from datetime import UTC, datetime, timedelta

from django.utils import timezone

from judging.models import TaskEnd

# The clocks of hosts differ by less. Whatever ended later than that was noted by a wrong clock.
AHEAD = timedelta(minutes=1)


def latest(begins: timedelta) -> datetime:
    """When the latest night began that begins so long after midnight, UTC."""
    return (timezone.now().astimezone(UTC) - begins).replace(hour=0, minute=0, second=0, microsecond=0) + begins


def is_done(task: str, begins: timedelta) -> bool:
    """Whether the task has ended well since then."""
    ended = last_end(task)
    return ended is not None and ended >= latest(begins)


def last_end(task: str) -> datetime | None:
    """When the task last ended well; None where a clock that was ahead has noted it, so that nobody waits for that day."""
    ends = TaskEnd.objects.filter(task=task, ended__lte=timezone.now() + AHEAD)
    return ends.values_list("ended", flat=True).first()
