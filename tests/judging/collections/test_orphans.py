"""Stored files that no row names go to a trash once they are old, and for good after 30 days; every other file stays.

Nothing goes where the database may be another one than that which the files belong to, or an older copy of it.
"""

import logging
import os
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest
import time_machine
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.utils import timezone

from judging import tasks
from judging.collections import orphans, stamps
from judging.collections.storage import files_of, qrels_table, store_qrels, store_run
from judging.models import Installation, Qrels, Run
from tests.judging.stored import everything_stored


def age(name: str, days: float = 1.01) -> None:
    long_ago = (timezone.now() - timedelta(days=days)).timestamp()
    os.utime(default_storage.path(name), (long_ago, long_ago))


def orphan(name: str) -> str:
    name = default_storage.save(f"runs/7/{name}.parquet", ContentFile(b"PAR1"))
    age(name)
    return name


def names_of(*kept: Run | Qrels) -> list[str]:
    return [name for each in kept for name in files_of(each)]


def evidence() -> set[str]:
    """The stored files, without the storage's stamp."""
    files = (path.relative_to(settings.MEDIA_ROOT).as_posix() for path in everything_stored()[1])
    return {name for name in files if not name.startswith(stamps.FOLDER)}


@pytest.fixture
def stamped(db):
    tasks.sweep_files()


@pytest.fixture
def qrels(collection, researcher):
    frame = pl.DataFrame([("1", "d1", 1)], schema=["topic", "docno", "grade"], orient="row")
    qrels = store_qrels(frame, collection=collection, name="gold", by=researcher)
    qrels_table(qrels)  # keeps the file of the rows
    return qrels


def test_owned_files_stay_however_old(stamped, runs, qrels):
    for name in names_of(*runs, qrels):
        age(name)
    before = evidence()
    tasks.sweep_files()
    assert evidence() == before


@pytest.mark.parametrize("kind", ["runs", "qrels"])
def test_an_old_file_without_a_row_goes_and_a_young_one_stays(stamped, runs, qrels, kind):
    kept = runs[0] if kind == "runs" else qrels
    (name,) = files_of(kept)
    beside = Path(name).parent
    old, young, of_no_collection = (f"{beside}/old.parquet", f"{beside}/young.parquet", f"{kind}/987654/old.parquet")
    for other in (old, young, of_no_collection):
        default_storage.save(other, ContentFile(b"PAR1"))
    age(old)
    age(of_no_collection)
    tasks.sweep_files()
    assert [default_storage.exists(other) for other in (old, young, of_no_collection)] == [False, True, False]
    assert default_storage.exists(name)


def test_what_a_process_that_was_killed_before_it_committed_has_left(stamped, runs):
    """The row is gone, as after a rollback that could not clean up; its file is there."""
    name = runs[0].file.name
    type(runs[0]).objects.filter(pk=runs[0].pk).delete()
    tasks.sweep_files()
    assert default_storage.exists(name)
    age(name)
    tasks.sweep_files()
    assert not default_storage.exists(name)
    assert default_storage.exists(runs[1].file.name)


def test_what_a_site_shows_stays_beside_its_run_and_goes_once_no_row_names_it(stamped, collection, researcher):
    ranking = pl.DataFrame([("1", "d1", 1.0)], schema=["topic", "docno", "score"], orient="row")
    shown = ranking.select("topic", "docno", title=pl.lit("Owls"), url=pl.lit(""), snippet=pl.lit(""))
    run = store_run(ranking, collection=collection, name="site", by=researcher, shown=shown)
    age(run.shown.name)
    tasks.sweep_files()
    assert default_storage.exists(run.shown.name)
    type(run).objects.filter(pk=run.pk).delete()
    tasks.sweep_files()
    assert not default_storage.exists(run.shown.name)


def test_other_folders_are_none_of_its_business(stamped):
    name = default_storage.save("uploads/1234/0.part", ContentFile(b"a piece"))
    age(name)
    tasks.sweep_files()
    assert default_storage.exists(name)


def test_a_storage_without_any_file(db):
    tasks.sweep_files()
    assert evidence() == set()
    assert not stamps.problem()


def test_it_is_swept_by_itself():
    assert settings.CELERY_BEAT_SCHEDULE["sweep-files"]["task"] == tasks.sweep_files.name


def test_an_orphan_waits_in_the_trash_for_30_days(stamped):
    orphan("old")
    tasks.sweep_files()
    assert evidence() == {"trash/runs/7/old.parquet"}
    age("trash/runs/7/old.parquet", days=29.9)
    tasks.sweep_files()
    assert evidence() == {"trash/runs/7/old.parquet"}
    age("trash/runs/7/old.parquet", days=30.1)
    tasks.sweep_files()
    assert evidence() == set()


def test_a_file_that_a_row_names_comes_back_from_the_trash(stamped, runs):
    run, before = runs[0], runs[0].file.read()
    Run.objects.filter(pk=run.pk).delete()
    age(run.file.name)
    tasks.sweep_files()
    assert not default_storage.exists(run.file.name)
    age(f"trash/{run.file.name}", days=31)
    run.save(force_insert=True)
    tasks.sweep_files()
    assert default_storage.open(run.file.name).read() == before
    assert not default_storage.exists(f"trash/{run.file.name}")
    assert not stamps.problem()


def test_admins_read_which_files_are_missing(stamped, runs, qrels, client, admin):
    """A backup lacks them, too. What is made again of rows is not missed."""
    name = runs[0].file.name
    default_storage.delete(name)
    default_storage.delete(names_of(qrels)[0])
    tasks.sweep_files()
    client.force_login(admin)
    assert f"Files are missing that the database names, 1 of them: {name}." in client.get("/administration/").content.decode()
    default_storage.save(name, ContentFile(b"PAR1"))
    tasks.sweep_files()
    assert not stamps.problem()


@pytest.mark.parametrize("half", ["trash/runs/7/old.parquet", "runs/7/old.parquet"])
def test_a_copy_that_was_interrupted_is_made_again(stamped, collection, researcher, half):
    """Killed while a file was copied to the trash, or back: both are there, one of them short."""
    whole = {"trash/runs/7/old.parquet", "runs/7/old.parquet"} - {half}
    default_storage.save(half, ContentFile(b"PA"))
    default_storage.save(whole.pop(), ContentFile(b"PAR1"))
    age("runs/7/old.parquet")
    tasks.sweep_files()
    assert evidence() == {"trash/runs/7/old.parquet"}
    assert default_storage.open("trash/runs/7/old.parquet").read() == b"PAR1"


# Another database than that which the files belong to.


def assert_refused(caplog, words: str) -> None:
    """For days, with nothing gone; the log says why, and so do the pages."""
    before = evidence()
    for _ in range(3):
        caplog.clear()
        tasks.sweep_files()
        assert [record.levelno for record in caplog.records] == [logging.ERROR]
        assert words in caplog.text
        assert words in stamps.problem()
    assert evidence() == before


def test_an_empty_database_deletes_nothing(stamped, runs, qrels, caplog):
    """A forgotten DATABASE_URL: a fresh SQLite beside an old folder."""
    for name in names_of(*runs, qrels):
        age(name)
    tasks.sweep_files()
    for model in (Run, Qrels, Installation):
        model.objects.all().delete()
    assert_refused(caplog, "another database")


@pytest.mark.parametrize("rows", [0, 1])
def test_a_folder_from_before_there_were_stamps_is_not_stamped_where_the_database_names_few_files(runs, qrels, caplog, rows):
    for name in names_of(*runs, qrels):
        age(name)
    Run.objects.exclude(pk__in=[run.pk for run in runs[:rows]]).delete()
    Qrels.objects.all().delete()
    assert_refused(caplog, f"{rows} of the 3 stored files")
    assert not default_storage.exists(stamps.FOLDER)


def test_a_folder_from_before_there_were_stamps_is_stamped_where_the_database_names_its_files(runs, qrels):
    tasks.sweep_files()
    assert not stamps.problem()
    assert len(stamps.stored_stamps()) == 1


def as_of_now():
    return Installation.objects.values().get()


def go_back(row):
    Installation.objects.filter(pk=row["id"]).update(**row)


def test_a_restored_older_dump_deletes_nothing(stamped, runs, qrels, caplog):
    dump = as_of_now()
    for name in names_of(*runs, qrels):
        age(name)
    tasks.sweep_files()
    tasks.sweep_files()
    go_back(dump)
    Run.objects.all().delete()
    assert_refused(caplog, "older than the files")


def test_a_dump_restored_before_the_next_sweep_deletes_nothing_that_came_after_it(stamped, runs):
    """Celery was away for days, so that the stamp is that of the dump."""
    age(stamps.stored_stamps().pop(), days=5)
    for run in runs:
        age(run.file.name, days=4)
    Run.objects.all().delete()
    before = evidence()
    tasks.sweep_files()
    assert evidence() == before


def test_a_copy_of_the_database_that_shares_the_folder_deletes_nothing(stamped, runs, researcher, collection, caplog):
    staging = as_of_now()
    run = runs[0]
    age(run.file.name)
    tasks.sweep_files()
    tasks.sweep_files()
    production = as_of_now()
    go_back(staging)
    Run.objects.filter(pk=run.pk).delete()
    assert_refused(caplog, "older than the files")
    go_back(production)
    run.save(force_insert=True)
    caplog.clear()
    tasks.sweep_files()
    assert not caplog.records
    assert not stamps.problem()


@pytest.mark.parametrize("left", ["former", "both"])
def test_a_sweep_that_was_killed_while_it_stamped_is_followed_by_the_next(stamped, left):
    """The database has the new stamp; the storage has the one before, or both."""
    former = stamps.stored_stamps().pop()
    tasks.sweep_files()
    default_storage.save(former, ContentFile(b""))
    if left == "former":
        default_storage.delete((stamps.stored_stamps() - {former}).pop())
    orphan("old")
    tasks.sweep_files()
    assert evidence() == {"trash/runs/7/old.parquet"}
    assert len(stamps.stored_stamps()) == 1
    assert not stamps.problem()


def store_many(number: int) -> list[str]:
    return [orphan(f"{number:02}") for number in range(number)]


def test_more_than_a_tenth_does_not_go_at_once(stamped, runs, caplog):
    store_many(11)
    assert_refused(caplog, "11 of the 13 stored files")


def test_few_files_go_whatever_their_share(stamped, runs):
    store_many(10)
    tasks.sweep_files()
    assert len([name for name in evidence() if name.startswith("trash/")]) == 10


def test_an_admin_can_say_that_the_files_belong_to_the_database(stamped, runs, capsys):
    Installation.objects.all().delete()
    store_many(11)
    call_command("sweep_files")
    assert "another database" in capsys.readouterr().out
    assert len([name for name in evidence() if name.startswith("trash/")]) == 0
    call_command("sweep_files", "--anyway")
    assert len([name for name in evidence() if name.startswith("trash/")]) == 11
    assert default_storage.exists(runs[0].file.name)
    tasks.sweep_files()
    assert not stamps.problem()


def test_the_dashboard_tells_admins_and_nobody_else(client, admin, researcher, runs):
    Run.objects.all().delete()
    tasks.sweep_files()
    client.force_login(admin)
    assert "0 of the 2 stored files" in client.get("/").content.decode()
    client.force_login(researcher)
    assert "stored files" not in client.get("/").content.decode()


def test_a_storage_without_folders_and_renaming(settings, db):
    settings.STORAGES = {**settings.STORAGES, "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"}}
    with time_machine.travel("2026-11-01 12:00 +0000") as clock:
        tasks.sweep_files()
        name = default_storage.save("runs/7/old.parquet", ContentFile(b"PAR1"))
        for hours in (25, 25):
            clock.shift(timedelta(hours=hours))
            tasks.sweep_files()
        assert not default_storage.exists(name)
        assert default_storage.open(f"trash/{name}").read() == b"PAR1"
        clock.shift(timedelta(days=31))
        tasks.sweep_files()
        assert orphans.files_in("trash/runs") == []
