"""Files in a bucket: all that is done with stored files works where the storage has neither paths nor folders."""

import errno
import os
import time
from datetime import timedelta

import polars as pl
import pytest
from django.conf import settings as live
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string

from ireval_site import environment
from judging import tasks
from judging.collections import deletion, local_copies, orphans, qrels_cache, stamps, upload_chunks
from judging.collections.attachments import attach
from judging.collections.storage import MissingFile, qrels_table, run_frame, shown_frame, store_qrels, store_run
from judging.logs import log_export
from judging.logs.archive import files, moves
from judging.logs.archive.selections import EVER, Rows, Selection
from judging.logs.archive.selections import ask as ask_log
from judging.logs.erasure import erase
from judging.logs.intake import receive
from judging.models import ArchiveFile, Document, Site, Upload
from judging.search import indexes
from judging.search.rankers import USUAL
from tests import servers
from tests.images import PNG
from tests.judging.logs.sent import click

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture(scope="module")
def service():
    """The storage that the variables name, made once: boto3 takes half a second for it."""
    with servers.s3() as variables, pytest.MonkeyPatch.context() as patched:
        for name, value in variables.items():
            patched.setenv(name, value)
        named = environment.file_storage("IREVAL_FILES")
        yield import_string(named["BACKEND"])(**named["OPTIONS"])


@pytest.fixture(autouse=True)
def bucket(service, monkeypatch, request):
    """Files are stored in a part of the bucket of this test alone."""
    monkeypatch.setattr(service, "location", f"{service.location}/{request.node.name}")
    monkeypatch.setattr(default_storage, "_wrapped", service)
    return service


@pytest.fixture
def shown(collection, researcher):
    ranking = pl.DataFrame(
        [("1", "d1", 2.0), ("1", "d2", 1.0), ("2", "d3", 1.0)], schema=["topic", "docno", "score"], orient="row"
    )
    texts = [("1", "d1", "Owls", "", "voles"), ("2", "d3", "Swallows", "", "leave")]
    frame = pl.DataFrame(texts, schema=["topic", "docno", "title", "url", "snippet"], orient="row")
    return store_run(ranking, collection=collection, name="shown", by=researcher, shown=frame)


def fetched(bucket, monkeypatch):
    """The names of files that are opened from now on."""
    names, opened = [], bucket.open
    monkeypatch.setattr(bucket, "open", lambda name, *mode: names.append(name) or opened(name, *mode))
    return names


def test_what_is_missing_is_a_missing_file(bucket):
    for ask in (bucket.open, bucket.size, bucket.get_modified_time):
        with pytest.raises(FileNotFoundError):
            ask("runs/1/none.parquet")
    assert bucket.listdir("runs") == ([], [])
    bucket.delete("runs/1")  # neither the folder nor a file


def test_a_run_is_fetched_once_and_read_in_parts(bucket, shown, monkeypatch):
    names = fetched(bucket, monkeypatch)
    assert run_frame(shown, topic="1", columns=["docno"])["docno"].to_list() == ["d1", "d2"]
    assert run_frame(shown).height == 3
    assert shown_frame(shown, ["2"])["title"].to_list() == ["Swallows"]
    assert names == [shown.file.name, shown.shown.name]


def test_a_run_that_the_bucket_has_lost_is_named(runs):
    default_storage.delete(runs[0].file.name)
    with pytest.raises(MissingFile, match="of run “alpha” is missing from the storage"):
        run_frame(runs[0])
    assert list(local_copies.copies()) == []


def test_copies_that_were_not_used_for_longest_make_room(runs, shown, settings):
    first, second = (local_copies.path_of(run.file.name) for run in runs)
    os.utime(second, (time.time() - 60,) * 2)
    settings.COPIES_MAX_BYTES = first.stat().st_size + default_storage.size(shown.file.name)
    third = local_copies.path_of(shown.file.name)
    assert [copy.exists() for copy in (first, second, third)] == [True, False, True]
    settings.COPIES_MAX_BYTES = 1
    assert local_copies.path_of(runs[1].file.name) == second  # the newest stays, however large
    assert [copy.exists() for copy in (first, second, third)] == [False, True, False]


def test_a_full_disk_keeps_no_half_of_a_copy(runs, monkeypatch):
    def fill_the_disk(source, target, size):
        target.write(source.read(9))
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space"):
        patched.setattr(local_copies.shutil, "copyfileobj", fill_the_disk)
        local_copies.path_of(runs[0].file.name)
    assert list(local_copies.copies()) == []
    assert local_copies.path_of(runs[0].file.name).exists()


def test_a_copy_that_nobody_used_for_a_day_goes_with_the_next(runs):
    first = local_copies.path_of(runs[0].file.name)
    os.utime(first, (time.time() - local_copies.UNUSED - 1,) * 2)
    local_copies.path_of(runs[1].file.name)
    assert not first.exists()


def test_a_copy_that_nobody_used_for_a_day_goes_where_no_next_one_comes(runs):
    old, used = (local_copies.path_of(run.file.name) for run in runs)
    os.utime(old, (time.time() - local_copies.UNUSED - 1,) * 2)
    tasks.sweep_files()
    assert [copy.exists() for copy in (old, used)] == [False, True]
    os.utime(used, (time.time() - local_copies.UNUSED - 1,) * 2)
    tasks.sweep_files()
    assert not used.exists(), "the last one goes, too"


def test_a_deleted_run_leaves_neither_file_nor_copy(shown, django_capture_on_commit_callbacks):
    run_frame(shown)
    name, copy = shown.file.name, local_copies.path_of(shown.file.name)
    with django_capture_on_commit_callbacks(execute=True):
        deletion.delete_run(shown)
    assert not default_storage.exists(name)
    assert not copy.exists()


def test_grades_are_cached_and_the_cache_is_made_anew(collection, researcher, django_capture_on_commit_callbacks):
    frame = pl.DataFrame([("1", "d1", 1)], schema=["topic", "docno", "grade"], orient="row")
    with django_capture_on_commit_callbacks(execute=True):
        qrels = store_qrels(frame, collection=collection, name="gold", by=researcher)
    assert qrels_cache.read(qrels)
    default_storage.delete(qrels_cache.name_of(qrels))
    default_storage.save(qrels_cache.name_of(qrels), ContentFile(b"damaged"))
    assert qrels_table(qrels).rows() == frame.rows()
    assert qrels_cache.hash_of(qrels_cache.read(qrels)) == qrels.cache


def test_pieces_of_an_upload_are_put_together_and_discarded(collection, researcher):
    upload = Upload.objects.create(collection=collection, created_by=researcher, filename="a.txt", size=9)
    for offset, piece in ((0, b"owls "), (0, b"Owls "), (5, b"eat\n")):
        upload_chunks.save_piece(upload, offset, ContentFile(piece))
    with upload_chunks.put_together(upload) as whole:
        assert whole.read_bytes() == b"Owls eat\n"
    assert upload_chunks.both_ends(upload, 6, 5) == (b"Owls e", b" eat\n")
    assert upload_chunks.staged_ids() == [str(upload.pk)]
    upload_chunks.discard(upload.pk)
    assert upload_chunks.staged_ids() == []


def test_images_and_attachments_are_served(rita, collection, researcher):
    attached = attach(collection.topics.first(), filename="map.png", content=PNG, by=researcher)
    answer = rita.get(reverse("attachment", args=[attached.pk]))
    assert (answer.status_code, answer.getvalue()) == (200, PNG)
    assert int(answer["Content-Length"]) == len(PNG)
    default_storage.delete(attached.file.name)
    assert rita.get(reverse("attachment", args=[attached.pk])).status_code == 404


def test_orphans_wait_in_the_trash_and_come_back_from_it(runs, monkeypatch):
    """No clock is put forward: services refuse what was signed at another time."""
    tasks.sweep_files()
    default_storage.save("runs/7/old.parquet", ContentFile(b"PAR1"))
    orphans.move(runs[0].file.name, f"{orphans.TRASH}/{runs[0].file.name}")
    tasks.sweep_files()
    assert default_storage.exists(runs[0].file.name)
    assert default_storage.exists("runs/7/old.parquet")  # its row may be about to come
    monkeypatch.setattr(orphans, "OLD", timedelta(days=-1))
    tasks.sweep_files()
    assert not default_storage.exists("runs/7/old.parquet")
    assert orphans.files_in("trash/runs") == ["trash/runs/7/old.parquet"]
    monkeypatch.setattr(orphans, "IN_TRASH", timedelta(days=-1))
    tasks.sweep_files()
    assert orphans.files_in("trash/runs") == []
    assert stamps.belongs()


def test_an_index_that_celery_built_is_read_on_other_hosts(collection, settings, tmp_path):
    indexes.load_index.cache_clear()
    indexes.build(collection, USUAL)
    settings.MEDIA_ROOT = tmp_path  # another host's, which has nothing of it
    index = indexes.load_built(collection, USUAL)
    assert [Document.objects.get(pk=key).docno for key, _ in index.best(USUAL.terms("voles"), 10)] == ["d2", "d1"]
    assert (local_copies.folder() / "search").is_dir()


def test_an_older_index_and_those_of_collections_that_are_gone_go(collection):
    indexes.build(collection, USUAL)
    default_storage.save("search/987654/ranker/contents/terms.npy", ContentFile(b"gone"))
    Document.objects.create(collection=collection, docno="d7", text="more owls")
    indexes.build(collection, USUAL)
    assert default_storage.listdir("search")[0] == [str(collection.pk)]
    (ranker,) = default_storage.listdir(f"search/{collection.pk}")[0]
    (contents,) = default_storage.listdir(f"search/{collection.pk}/{ranker}")[0]
    assert contents == indexes.contents_of(collection.pk, collection.created)[1]


def test_nothing_is_stored_on_this_host(runs, shown):
    assert [path for path in live.MEDIA_ROOT.rglob("*") if path.is_file()] == []


def test_archived_records_are_read_from_the_bucket_and_erased_in_it(researcher, django_capture_on_commit_callbacks):
    site = Site.objects.create(name="Aviary", owner=researcher)
    now = timezone.now() - timedelta(days=3)
    receive(site, [click(number=number, client_id=f"c{number}") for number in range(4)], now=now)
    before = archived_events(site)
    assert moves.archive(site, before=timezone.now()) == 4 == len(before)
    assert archived_events(site) == before
    with django_capture_on_commit_callbacks(execute=True):
        erase(site, client="c1")
    assert len(archived_events(site)) == 3
    assert [file.rows for file in ArchiveFile.objects.all()] == [3]
    assert len(default_storage.listdir(f"logs/{site.pk}")[1]) == 1


def test_an_export_fetches_each_file_once_and_keeps_none(researcher, bucket, monkeypatch):
    monkeypatch.setattr(log_export, "A_STEP", 2)
    monkeypatch.setattr(moves, "ROWS_A_FILE", 2)
    site = Site.objects.create(name="Aviary", owner=researcher)
    for day in (5, 3):
        sent = [click(number=number, client_id=f"c{number}", event_id=f"{day}-{number}") for number in range(6)]
        receive(site, sent, now=timezone.now() - timedelta(days=day))
        assert moves.archive(site, before=timezone.now()) == 6
    names, made, whole = fetched(bucket, monkeypatch), [], files.Copies.copy_of
    monkeypatch.setattr(files.Copies, "copy_of", lambda *who: made.append(whole(*who)) or made[-1])
    assert len(list(log_export.Exporter(site).records())) == 12
    assert sorted(names) == sorted(file.file.name for file in ArchiveFile.objects.all()) and len(names) > 2
    assert made and not any(path.exists() for path in made)


def archived_events(site):
    selection = Selection(site.pk, *EVER, *EVER)
    return ask_log(selection, "SELECT identity::VARCHAR, client, raw FROM events ORDER BY 1", events=Rows()).rows()
