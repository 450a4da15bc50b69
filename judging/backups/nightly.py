"""Backups of every night, where the settings name a folder for them: made once a night, and kept by a rule.

The night begins at two o'clock, UTC.
"""

import logging
import shutil
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from judging.background import nights, status
from judging.background.executions import NotNow
from judging.backups.archive import BackupProblem
from judging.backups.backup import back_up
from judging.collections.upload_chunks import last_change
from judging.models import Outbox

log = logging.getLogger(__name__)

TASK = "judging.tasks.make_backup"
SWEEP = "judging.tasks.sweep_backups"  # under which administrators read why none could be made
BEGINS = timedelta(hours=2)
NAME = "ireval-%Y%m%d-%H%M%S.tar.zst"
LEAST_SPACE = 2**28
# So long each stays: a restored database has another one made at once, which may hold less than the night's.
UNTOUCHED = timedelta(days=2)
ABANDONED = 3600  # seconds
# What counts as one day, one week and one month: of each the last backup is kept.
PERIODS = ("%Y-%m-%d", "%G-%V", "%Y-%m")


def post_if_due() -> None:
    """Ask for tonight's backup, unless it is there or under way."""
    if not settings.BACKUP_TO:
        status.failing().filter(task=SWEEP).update(failure="")
    elif not Outbox.objects.filter(task=TASK).exists() and not nights.is_done(TASK, BEGINS):
        # One that fails three times is parked, for this night.
        Outbox.objects.post(TASK, night=f"{nights.latest(BEGINS):%Y-%m-%d}")


def last_made() -> datetime | None:
    return nights.last_end(TASK)


def make(folder: Path) -> None:
    """Make a backup in the folder, and delete those that the rule does not keep.

    NotNow where the disk is away or full: it may be mounted soon, or somebody makes room. Administrators read why at once.
    """
    try:
        with status.at_work(SWEEP):
            add_to(folder)
    except (OSError, BackupProblem) as problem:
        log.warning("No backup was made: %s", problem)
        raise NotNow(str(problem)) from problem


def add_to(folder: Path) -> None:
    make_folder(folder)
    clear_away(folder)
    refuse_little_space(folder)
    path = folder / timezone.now().astimezone(UTC).strftime(NAME)
    back_up(path)
    made = backups_in(folder)
    for moment in made.keys() - kept(made, settings.BACKUP_KEEP):
        if moment < timezone.now() - UNTOUCHED:
            made[moment].unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Make the last folder of the path alone: all of it would be made where a disk is not mounted yet, and fill another one."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError:
        raise BackupProblem(f"{folder.parent} is missing: mount its disk, or make that folder.") from None


def clear_away(folder: Path) -> None:
    """Remove what nightly backups whose process was killed have left: a backup under way writes something every hour."""
    drafts = defaultdict(list)
    for path in folder.iterdir():
        name, of_one, _ = path.name.partition(".tar.zst.")
        if of_one and moment_of(f"{name}.tar.zst"):
            drafts[name].append(path)
    for paths in drafts.values():
        if max(map(last_change, paths)) < time.time() - ABANDONED:
            for path in paths:
                log.warning("%s is removed: its backup was never completed", path)
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


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
        if moment := moment_of(path.name):
            made[moment] = path
    return made


def moment_of(name: str) -> datetime | None:
    """When the nightly backup of this name was begun; None for another file."""
    try:
        return datetime.strptime(name, NAME).replace(tzinfo=UTC)
    except ValueError:
        return None


def kept(moments: Iterable[datetime], numbers: Sequence[int]) -> set[datetime]:
    """Of so many days, weeks and months that have any, the last one each."""
    keep = set()
    for period, number in zip(PERIODS, numbers, strict=True):
        last = {moment.strftime(period): moment for moment in sorted(moments)}
        keep |= set(sorted(last.values())[-number:] if number else [])
    return keep
