"""Stored files that no row names go once they are old; every other file stays."""

import os
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from judging import tasks
from judging.storing import store_qrels, store_run
from tests.judging.stored import everything_stored


def age(name: str) -> None:
    long_ago = (timezone.now() - timedelta(days=1, minutes=1)).timestamp()
    os.utime(default_storage.path(name), (long_ago, long_ago))


@pytest.fixture
def qrels(collection, researcher):
    frame = pl.DataFrame([("1", "d1", 1)], schema=["topic", "docno", "grade"], orient="row")
    return store_qrels(frame, collection=collection, name="gold", by=researcher)


def test_owned_files_stay_however_old(runs, qrels):
    for kept in (*runs, qrels):
        age(kept.file.name)
    before = everything_stored()
    tasks.sweep_files()
    assert everything_stored() == before


@pytest.mark.parametrize("kind", ["runs", "qrels"])
def test_an_old_file_without_a_row_goes_and_a_young_one_stays(runs, qrels, kind):
    kept = runs[0] if kind == "runs" else qrels
    beside = Path(kept.file.name).parent
    old, young, of_no_collection = (f"{beside}/old.parquet", f"{beside}/young.parquet", f"{kind}/987654/old.parquet")
    for name in (old, young, of_no_collection):
        default_storage.save(name, ContentFile(b"PAR1"))
    age(old)
    age(of_no_collection)
    tasks.sweep_files()
    assert [default_storage.exists(name) for name in (old, young, of_no_collection)] == [False, True, False]
    assert default_storage.exists(kept.file.name)


def test_what_a_process_that_was_killed_before_it_committed_has_left(runs):
    """The row is gone, as after a rollback that could not clean up; its file is there."""
    name = runs[0].file.name
    type(runs[0]).objects.filter(pk=runs[0].pk).delete()
    tasks.sweep_files()
    assert default_storage.exists(name)
    age(name)
    tasks.sweep_files()
    assert not default_storage.exists(name)
    assert default_storage.exists(runs[1].file.name)


def test_what_a_site_shows_stays_beside_its_run_and_goes_once_no_row_names_it(collection, researcher):
    ranking = pl.DataFrame([("1", "d1", 1.0)], schema=["topic", "docno", "score"], orient="row")
    shown = ranking.select("topic", "docno", title=pl.lit("Owls"), url=pl.lit(""), snippet=pl.lit(""))
    run = store_run(ranking, collection=collection, name="site", by=researcher, shown=shown)
    age(run.shown.name)
    tasks.sweep_files()
    assert default_storage.exists(run.shown.name)
    type(run).objects.filter(pk=run.pk).delete()
    tasks.sweep_files()
    assert not default_storage.exists(run.shown.name)


def test_other_folders_are_none_of_its_business(db):
    name = default_storage.save("uploads/1234/0.part", ContentFile(b"a piece"))
    age(name)
    tasks.sweep_files()
    assert default_storage.exists(name)


def test_a_storage_without_any_file(db):
    tasks.sweep_files()
    assert everything_stored()[1] == []


def test_it_is_swept_by_itself():
    assert settings.CELERY_BEAT_SCHEDULE["sweep-files"]["task"] == tasks.sweep_files.name
