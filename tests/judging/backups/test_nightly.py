"""Every night a backup, where the settings name a folder: once, kept by a rule, and what fails is said where admins look."""

import os
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from celery import current_app
from django.conf import settings
from django.utils import timezone

from ireval_site import condition
from judging import tasks
from judging.background.executions import LEAST_TRIES, MOST_STARTS
from judging.backups import nightly
from judging.backups.archive import verified_manifest
from judging.models import Outbox, ParkedTask, TaskEnd
from tests.judging.backups.places import Place

pytestmark = pytest.mark.django_db(transaction=True)
NIGHT = datetime(2026, 11, 26, 2, 10, tzinfo=UTC)
NO_ROOM = "a backup needs 1024.0"


@pytest.fixture
def folder(settings, tmp_path):
    settings.BACKUP_TO = tmp_path / "backups"
    return settings.BACKUP_TO


def sweep(moment: datetime) -> None:
    """The sweep, and Celery that runs what it asks for."""
    with time_machine.travel(moment, tick=False):
        tasks.sweep_backups()
        for message in Outbox.objects.filter(task=nightly.TASK):
            tasks.make_backup.apply(kwargs=message.arguments, task_id=f"outbox-{message.pk}-1")


def names(folder) -> list[str]:
    return [path.name for path in sorted(folder.iterdir())]


def finding() -> condition.Finding:
    return condition.nightly_backups()


def test_none_is_made_where_no_folder_is_named(runs):
    sweep(NIGHT)
    assert not Outbox.objects.exists()
    assert finding().well


def test_one_is_made_a_night_however_often_it_is_looked_for(folder, runs):
    for moment in (NIGHT, NIGHT + timedelta(minutes=15), NIGHT + timedelta(hours=23), NIGHT + timedelta(days=1)):
        sweep(moment)
    assert names(folder) == ["ireval-20261126-021000.tar.zst", "ireval-20261127-021000.tar.zst"]
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_laptop_that_slept_makes_it_once_it_is_awake(folder, runs):
    sweep(NIGHT)
    sweep(NIGHT + timedelta(days=1, hours=9))
    assert names(folder)[1:] == ["ireval-20261127-111000.tar.zst"]


@pytest.mark.slow
@pytest.mark.one_database  # other backups are restored on the others
def test_what_was_made_at_night_is_restored(folder, runs, tmp_path):
    sweep(NIGHT)
    (path,) = folder.iterdir()
    assert {run.file.name for run in runs} < {name.removeprefix("files/") for name in verified_manifest(path)["members"]}
    place = Place(tmp_path, "elsewhere")
    done = place.manage("restore", path)
    assert done.returncode == 0, done.stderr
    assert "alpha beta" in place.does("from judging.models import Run; print(*Run.objects.values_list('name', flat=True))")


def test_days_weeks_and_months_are_kept():
    """Two years of a backup each night, one of them missing."""
    nights = {NIGHT - timedelta(days=days) for days in range(730)} - {NIGHT - timedelta(days=2)}
    kept = sorted(nightly.kept(nights, (7, 4, 12)), reverse=True)
    ago = [(NIGHT - moment).days for moment in kept]
    assert ago[:7] == [0, 1, 3, 4, 5, 6, 7]
    assert [f"{moment:%G-%V}" for moment in kept if (NIGHT - moment).days in (0, 4, 11, 18)] == [
        "2026-48",
        "2026-47",
        "2026-46",
        "2026-45",
    ]
    assert {f"{moment:%Y-%m}" for moment in kept} == {f"{2025 + month // 12}-{month % 12 + 1:02d}" for month in range(11, 23)}
    assert len(kept) == 7 + 2 + 11
    assert nightly.kept(nights, (1, 0, 0)) == {NIGHT}
    assert nightly.kept(nights, (0, 0, 0)) == set()


def test_only_old_backups_of_its_own_are_deleted(folder, runs, settings):
    settings.BACKUP_KEEP = (1, 0, 0)
    folder.mkdir()
    for name in ("ireval-20261124-020000.tar.zst", "ireval-before-the-move.tar.zst", "notes.txt"):
        (folder / name).touch()
    sweep(NIGHT)
    assert names(folder) == ["ireval-20261126-021000.tar.zst", "ireval-before-the-move.tar.zst", "notes.txt"]


def test_what_a_restored_database_has_made_takes_no_good_backup_away(folder, runs, settings):
    """It knows nothing of the night's backup, so that another one is due."""
    settings.BACKUP_KEEP = (1, 0, 0)
    sweep(NIGHT)
    TaskEnd.objects.all().delete()
    sweep(NIGHT + timedelta(hours=9))
    assert names(folder) == ["ireval-20261126-021000.tar.zst", "ireval-20261126-111000.tar.zst"]


def test_what_killed_backups_left_goes_unless_it_is_being_written(folder, runs):
    folder.mkdir()
    killed, under_way = (f"ireval-{night}-020000.tar.zst" for night in ("20261124", "20261125"))
    others = ["ireval-by-hand.tar.zst.7.part", "notes.txt"]
    for name in (f"{killed}.17.part", f"{under_way}.18.part", *others):
        (folder / name).touch()
    for name in (f"{killed}.x3f", f"{under_way}.y4g"):
        (folder / name).mkdir()
        (folder / name / "database").touch()
    for path in folder.rglob("*"):
        if path != folder / f"{under_way}.y4g" / "database":
            os.utime(path, (NIGHT.timestamp(), NIGHT.timestamp() - 4000))
    os.utime(folder / f"{under_way}.y4g" / "database", (NIGHT.timestamp(), NIGHT.timestamp() - 60))
    sweep(NIGHT)
    assert names(folder) == sorted([f"{under_way}.18.part", f"{under_way}.y4g", "ireval-20261126-021000.tar.zst", *others])


def test_what_takes_longer_than_redis_waits_is_acknowledged_when_it_begins():
    """Else it would be handed out again while it runs."""
    patience = settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"]
    current_app.loader.import_default_modules()
    limits = {task: task.time_limit or settings.CELERY_TASK_TIME_LIMIT for task in current_app.tasks.values()}
    assert limits[current_app.tasks[nightly.TASK]] > patience
    assert [task.name for task, limit in limits.items() if limit >= patience and task.acks_late] == []


def test_a_worker_that_knows_no_folder_says_so(settings, runs):
    settings.BACKUP_TO = None
    done = tasks.make_backup.apply(kwargs={"night": "2026-11-26"}, task_id="m")
    assert "IREVAL_BACKUP_TO is not set" in str(done.result)
    assert nightly.last_made() is None


def test_too_little_room_is_said_to_admins_and_deletes_nothing(folder, runs, client, admin, monkeypatch):
    sweep(NIGHT)
    monkeypatch.setattr(nightly, "LEAST_SPACE", 2**60)
    tomorrow = NIGHT + timedelta(days=1)
    sweep(tomorrow)
    client.force_login(admin)
    assert NO_ROOM in client.get("/administration/").content.decode()
    for attempt in range(2 * MOST_STARTS):
        sweep(tomorrow + timedelta(minutes=15 * attempt))
    assert names(folder) == ["ireval-20261126-021000.tar.zst"]
    assert not ParkedTask.objects.exists()
    monkeypatch.undo()
    sweep(tomorrow + timedelta(hours=12))
    assert len(names(folder)) == 2
    assert NO_ROOM not in client.get("/administration/").content.decode()


def test_too_little_room_for_a_day_is_given_up_until_the_next_night(folder, runs, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(nightly, "LEAST_SPACE", 2**60)
        sweep(NIGHT)
        Outbox.objects.update(sent=LEAST_TRIES)
        for attempt in range(MOST_STARTS + 1):
            sweep(NIGHT + timedelta(days=1, minutes=15 * (1 + attempt)))
    assert NO_ROOM in ParkedTask.objects.get().reason
    sweep(NIGHT + timedelta(days=1, hours=2))
    assert names(folder) == ["ireval-20261127-041000.tar.zst"]


def test_a_disk_that_is_mounted_later_has_its_backup_then(runs, settings, tmp_path):
    """Nothing is written where it will be mounted, and the start is not the only try."""
    disk = tmp_path / "usb"
    settings.BACKUP_TO = disk / "backups"
    for seconds in (0, 8, 16, 24, 600):
        sweep(NIGHT + timedelta(seconds=seconds))
    assert not disk.exists()
    assert f"making the backup of the night: BackupProblem: {disk} is missing: mount its disk" in condition.failing_sweeps().says
    disk.mkdir()
    sweep(NIGHT + timedelta(hours=1))
    assert names(settings.BACKUP_TO) == ["ireval-20261126-031000.tar.zst"]
    assert not ParkedTask.objects.exists()
    assert condition.failing_sweeps().well


def test_why_none_was_made_is_said_no_more_once_none_is_wanted(runs, settings, tmp_path):
    settings.BACKUP_TO = tmp_path / "usb" / "backups"
    sweep(NIGHT)
    assert not condition.failing_sweeps().well
    settings.BACKUP_TO = None
    tasks.sweep_backups()
    assert condition.failing_sweeps().well


def test_what_a_clock_that_was_ahead_has_noted_stops_no_backup(folder, runs):
    sweep(NIGHT + timedelta(days=40))
    with time_machine.travel(NIGHT):
        assert not finding().well
    sweep(NIGHT)
    assert names(folder) == ["ireval-20261126-021000.tar.zst", "ireval-20270105-021000.tar.zst"]
    with time_machine.travel(NIGHT):
        assert finding().well


def test_clocks_of_hosts_may_differ_by_half_a_minute(folder, runs):
    sweep(NIGHT + timedelta(seconds=30))
    sweep(NIGHT)
    assert names(folder) == ["ireval-20261126-021030.tar.zst"]


def test_admins_read_when_the_last_one_was_made(folder, runs):
    assert (finding().well, finding().says) == (False, "None was made yet.")
    sweep(timezone.now() - timedelta(hours=2))
    assert (finding().well, finding().says) == (True, "The last one was made 2\N{NO-BREAK SPACE}hours ago.")
    with time_machine.travel(timezone.now() + timedelta(hours=40)):
        assert not finding().well
