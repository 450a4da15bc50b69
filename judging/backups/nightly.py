"""Backups of every night, where the settings name a folder for them: made once a night, and kept by a rule.

The night begins at two o'clock, UTC. A laptop that sleeps then makes its backup when it is started.
"""

import shutil
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from judging.backups.archive import BackupProblem
from judging.backups.backup import back_up
from judging.models import Outbox, TaskEnd

TASK = "judging.tasks.make_backup"
BEGINS = timedelta(hours=2)
NAME = "ireval-%Y%m%d-%H%M%S.tar.zst"
LEAST_SPACE = 2**28
# So long each stays: a restored database has another one made at once, which may hold less than the night's.
UNTOUCHED = timedelta(days=2)
# What counts as one day, one week and one month: of each the last backup is kept.
PERIODS = ("%Y-%m-%d", "%G-%V", "%Y-%m")


def post_if_due() -> None:
    """Ask for tonight's backup, unless it is there or under way."""
    if not settings.BACKUP_TO or Outbox.objects.filter(task=TASK).exists():
        return
    if not TaskEnd.objects.filter(task=TASK, ended__gte=last_night()).exists():
        Outbox.objects.post(TASK, night=f"{last_night():%Y-%m-%d}")  # one that fails three times is parked, for this night


def last_night() -> datetime:
    """The beginning of the latest night."""
    return (timezone.now().astimezone(UTC) - BEGINS).replace(hour=0, minute=0, second=0, microsecond=0) + BEGINS


def last_made() -> datetime | None:
    return TaskEnd.objects.filter(task=TASK).values_list("ended", flat=True).first()


def make(folder: Path) -> Path:
    """Make a backup in the folder, and delete those that the rule does not keep. BackupProblem where there is too little room."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    refuse_little_space(folder)
    path = folder / timezone.now().astimezone(UTC).strftime(NAME)
    back_up(path)
    made = backups_in(folder)
    for moment in made.keys() - kept(made, settings.BACKUP_KEEP):
        if moment < timezone.now() - UNTOUCHED:
            made[moment].unlink(missing_ok=True)
    return path


def refuse_little_space(folder: Path) -> None:
    """A backup takes about as much as the last one, and as much again while it is made."""
    sizes = [path.stat().st_size for path in backups_in(folder).values()]
    needed = max(LEAST_SPACE, 2 * sizes[-1] if sizes else 0)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise BackupProblem(
            f"{filesizeformat(free)} are free in {folder}, and a backup needs {filesizeformat(needed)}: make room."
        )


def backups_in(folder: Path) -> dict[datetime, Path]:
    """The nightly backups by when they were begun, the oldest first. Other files are nobody's business here."""
    made = {}
    for path in sorted(folder.iterdir()):
        try:
            made[datetime.strptime(path.name, NAME).replace(tzinfo=UTC)] = path
        except ValueError:
            continue
    return made


def kept(moments: Iterable[datetime], numbers: Sequence[int]) -> set[datetime]:
    """Of so many days, weeks and months that have any, the last one each."""
    keep = set()
    for period, number in zip(PERIODS, numbers, strict=True):
        last = {moment.strftime(period): moment for moment in sorted(moments)}
        keep |= set(sorted(last.values())[-number:] if number else [])
    return keep
