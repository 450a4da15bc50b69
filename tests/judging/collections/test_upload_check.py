"""What a Celery worker does with an upload: once or not at all, however often it is started, killed or overtaken."""

import errno
import os
import threading
from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.core.files.base import ContentFile
from django.db import connection
from django.urls import reverse
from django.utils import timezone, translation

from judging import tasks
from judging.background import executions, heartbeat
from judging.background.executions import Held
from judging.collections import upload_check, upload_chunks
from judging.collections.imports import CHECKS
from judging.collections.uploads import cancel_upload, receive_whole
from judging.models import Execution, Outbox, ParkedTask, Run, Upload
from judging.text.library_words import in_reader_language
from tests.judging.collections.bad_files import BAD_FILES, Bad
from tests.judging.stored import everything_stored
from tests.site.processes import wait_until

RUN = b"1 Q0 d1 1 9 bm25\n1 Q0 d2 2 8 bm25\n"


@pytest.fixture
def receive(collection, researcher):
    def receive(content=RUN, *, filename="bm25.txt", kind="run", **fields):
        return receive_whole(ContentFile(content, name=filename), collection=collection, kind=kind, by=researcher, **fields)

    return receive


@pytest.fixture
def small_limits(settings):
    settings.UNPACKED_MAX_BYTES = 2 * 2**20


def age(upload, **fields):
    """As if the upload had been in this state for hours, with nobody working on it."""
    Upload.objects.filter(pk=upload.pk).update(touched=timezone.now() - timedelta(hours=2), **fields)


def test_a_good_file_is_imported_and_its_pieces_are_gone(receive, collection):
    upload = receive(options={"description": "Plain BM25"})
    tasks.check_upload(upload=str(upload.pk))
    upload.refresh_from_db()
    run = collection.runs.get()
    assert (run.name, run.rows, run.description, run.source_name) == ("bm25", 2, "Plain BM25", "bm25.txt")
    assert upload.state == Upload.State.DONE
    assert upload.summary["kept"] == run.pk
    assert upload.summary["counts"]["rows"] == 2
    assert upload_chunks.staged_ids() == []


def test_what_was_not_read_of_a_file_is_said_beside_what_was(receive, rita):
    upload = receive(b"1 Q0 d1 1 9 bm25 x\n1 Q0 d2 2 8 bm25 y\n")
    tasks.check_upload(upload=str(upload.pk))
    upload.refresh_from_db()
    assert upload.state == Upload.State.DONE
    assert upload.summary["notes"][-1] == "bm25.txt, line 1: has 7 columns; those after column 6 (tag) are ignored."
    assert upload.summary["notes"][-1] in rita.get(reverse("upload", args=[upload.pk])).content.decode()


@pytest.mark.parametrize(
    ("kind", "filename", "content", "counts"),
    [
        ("documents", "more.jsonl", b'{"_id": "d7", "text": "Geese"}\n', {"read": 1, "added": 1}),
        ("topics", "topics.tsv", b"qid\tquery\n7\tgeese\n", {"added": 1}),
        ("qrels", "gold.txt", b"1 0 d1 1\n", {"rows": 1, "topics": 1}),
    ],
)
def test_every_kind_is_imported(receive, kind, filename, content, counts):
    upload = receive(content, kind=kind, filename=filename)
    tasks.check_upload(upload=str(upload.pk))
    upload.refresh_from_db()
    assert upload.state == Upload.State.DONE
    assert counts.items() <= upload.summary["counts"].items()


@pytest.mark.parametrize("bad", BAD_FILES, ids=lambda bad: bad.name)
@pytest.mark.usefixtures("runs", "small_limits")
def test_a_bad_file_fails_with_its_problems_and_leaves_nothing(bad: Bad, client, collection, researcher):
    client.force_login(researcher)
    before = everything_stored()
    client.post(reverse("upload_new", args=[collection.pk]), {"file": ContentFile(bad.content, name="bad.txt")})
    upload = Upload.objects.get()
    taken = f"{bad.kind}:{bad.format}" + (":cranfield" if bad.format == "smart" and bad.kind == "qrels" else "")
    reply = client.post(reverse("uploads_confirm", args=[collection.pk]), {f"{upload.pk}-taken": taken})
    assert reply.url == reverse("upload", args=[upload.pk])

    tasks.check_upload(upload=str(upload.pk))
    upload.refresh_from_db()
    assert upload.state == Upload.State.FAILED
    assert any(bad.says in problem["message"] and problem["line"] in (bad.line, 0) for problem in upload.problems)
    assert everything_stored() == before
    assert bad.says.encode() in client.get(reply.url).content
    assert [problem for problem in upload.problems if not is_said_in_every_language(problem["message"])] == []


def is_said_in_every_language(text: str) -> bool:
    return all(in_language(code, text) != text for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE)


def in_language(code: str, text: str) -> str:
    with translation.override(code):
        return in_reader_language(text)


def test_started_twice_it_counts_once(receive, collection):
    upload = receive()
    for _ in range(2):
        tasks.check_upload(upload=str(upload.pk))
    assert collection.runs.count() == 1
    upload.refresh_from_db()
    assert upload.attempts == 1


def test_an_upload_that_was_cancelled_meanwhile_is_not_imported(receive, collection, monkeypatch):
    upload = receive()
    overtake(monkeypatch, lambda: Upload.objects.filter(pk=upload.pk).delete())
    before = everything_stored()
    tasks.check_upload(upload=str(upload.pk))
    assert not collection.runs.exists()
    assert [path for path in everything_stored()[1] if path not in before[1]] == []


def test_who_was_overtaken_publishes_nothing(receive, collection, monkeypatch):
    """A worker that was silent for long comes back after another one took over."""
    upload = receive()

    def another_takes_over():
        age(upload)
        upload_check.sweep()
        assert upload_check.begin(str(upload.pk)) is not None

    overtake(monkeypatch, another_takes_over)
    tasks.check_upload(upload=str(upload.pk))
    assert not collection.runs.exists()
    upload.refresh_from_db()
    assert (upload.state, upload.attempts) == (Upload.State.CHECKING, 2)
    assert upload_chunks.pieces(upload.pk)  # the other one still needs them


def overtake(monkeypatch, event):
    """Let something happen between checking and publishing."""
    check = upload_check.CHECKS["run"]

    def check_and_be_overtaken(*arguments, **options):
        insert = check(*arguments, **options)
        event()
        return insert

    monkeypatch.setitem(upload_check.CHECKS, "run", check_and_be_overtaken)


@pytest.mark.django_db(transaction=True)
def test_a_file_that_takes_long_is_not_checked_by_another_beside_it(receive, collection, monkeypatch):
    upload = receive()
    Outbox.objects.all().delete()
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.01)

    def sweep_after_a_long_silence():
        age(upload)
        assert wait_until(lambda: Upload.objects.get().touched > timezone.now() - upload_check.SILENT)
        upload_check.sweep()

    overtake(monkeypatch, sweep_after_a_long_silence)
    tasks.check_upload(upload=str(upload.pk))
    assert not Outbox.objects.exists()
    assert collection.runs.exists()


def test_a_worker_that_was_killed_is_followed_by_another(receive, collection):
    upload = receive()
    Outbox.objects.all().delete()  # sent, and lost with the worker
    assert upload_check.begin(str(upload.pk)) is not None  # … which was killed after this

    upload_check.sweep()
    assert not Outbox.objects.exists()  # a sign of life was only just seen

    age(upload)
    tasks.sweep_uploads()
    (message,) = Outbox.objects.all()
    tasks.check_upload(**message.arguments)
    assert collection.runs.count() == 1
    upload.refresh_from_db()
    assert (upload.state, upload.attempts) == (Upload.State.DONE, 2)


def test_a_message_that_was_lost_is_sent_again(receive):
    upload = receive()
    Outbox.objects.all().delete()
    upload_check.sweep()
    assert not Outbox.objects.exists()
    age(upload)
    upload_check.sweep()
    upload_check.sweep()  # once is enough
    assert [message.arguments for message in Outbox.objects.all()] == [{"upload": str(upload.pk)}]


def test_what_kills_every_worker_is_given_up(receive, researcher, client):
    upload = receive()
    kill_all(upload)
    upload.refresh_from_db()
    assert upload.state == Upload.State.FAILED
    parked = ParkedTask.objects.get()
    assert (parked.task, parked.arguments, parked.starts) == ("judging.tasks.check_upload", {"upload": str(upload.pk)}, 3)
    client.force_login(researcher)
    assert b"begun 3 times" in client.get(reverse("upload", args=[upload.pk])).content


def test_what_was_given_up_is_read_again_when_an_administrator_says_so(receive, collection, admin):
    upload = receive()
    kill_all(upload)
    long_ago = (timezone.now() - timedelta(days=2)).timestamp()
    for piece in (settings.MEDIA_ROOT / upload_chunks.folder(upload.pk)).iterdir():
        os.utime(piece, (long_ago, long_ago))
    tasks.sweep_files()
    upload_check.sweep()
    executions.run_again(ParkedTask.objects.get(), by=admin)
    work_off_the_outbox()
    upload.refresh_from_db()
    assert (upload.state, upload.problems, collection.runs.count()) == (Upload.State.DONE, [], 1)
    assert upload_chunks.staged_ids() == []


def test_the_pieces_of_what_is_given_up_for_good_go(receive, admin):
    upload = receive()
    kill_all(upload)
    executions.drop(ParkedTask.objects.get(), by=admin)
    tasks.sweep_files()
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        upload_check.sweep()
    assert upload_chunks.staged_ids() == []


def kill_all(upload):
    """Every process of a Celery worker that takes the upload, until it is given up."""
    for _ in range(executions.MOST_STARTS):
        die("m", upload)
        age(upload)
        upload_check.sweep()
    tasks.check_upload.apply(kwargs={"upload": str(upload.pk)}, task_id="m")
    work_off_the_outbox()


def die(message, upload):
    """As a Celery worker takes the upload that is killed then."""
    tasks.check_upload.push_request(id=message)
    try:
        tasks.check_upload.begin({"upload": str(upload.pk)})
    finally:
        tasks.check_upload.pop_request()
    Execution.objects.update(active=timezone.now() - executions.SILENT * 2)
    assert upload_check.begin(str(upload.pk)) is not None


def work_off_the_outbox():
    for message in Outbox.objects.filter(task=upload_check.CHECK):
        done = tasks.check_upload.apply(kwargs=message.arguments, task_id=f"outbox-{message.pk}-1")
        assert not done.failed(), done.result


def test_a_disk_that_is_full_for_hours_costs_nobody_an_upload(receive, collection, monkeypatch):
    upload = receive()
    with monkeypatch.context() as patched, time_machine.travel(timezone.now(), tick=False) as clock:
        patched.setitem(upload_check.CHECKS, "run", full_disk)
        for _ in range(10):
            work_off_the_outbox()
            upload.refresh_from_db()
            assert (upload.state, upload.attempts) == (Upload.State.WAITING, 0)
            clock.shift(upload_check.UNCLAIMED + timedelta(seconds=1))
            upload_check.sweep()
    work_off_the_outbox()
    upload.refresh_from_db()
    assert (upload.state, upload.attempts, collection.runs.count()) == (Upload.State.DONE, 1, 1)
    assert not ParkedTask.objects.exists()


def test_a_fault_that_does_not_pass_within_a_day_is_told(receive, monkeypatch):
    """A file that never fits into the temporary folder, say."""
    upload = receive()
    monkeypatch.setitem(upload_check.CHECKS, "run", full_disk)
    Outbox.objects.update(created=timezone.now() - timedelta(days=2), sent=executions.LEAST_TRIES)
    for _ in range(executions.MOST_STARTS + 1):
        for message in Outbox.objects.all():
            tasks.check_upload.apply(kwargs=message.arguments, task_id=f"outbox-{message.pk}-1")
    upload.refresh_from_db()
    assert upload.state == Upload.State.FAILED
    assert ParkedTask.objects.exists()


def full_disk(*arguments, **options):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_pieces_that_are_missing_are_named(receive):
    upload = receive()
    upload_chunks.discard(upload.pk)
    tasks.check_upload(upload=str(upload.pk))
    upload.refresh_from_db()
    assert "bytes have arrived" in upload.problems[0]["message"]


def test_what_stopped_coming_is_forgotten_after_a_day(receive, settings):
    stopped = receive(filename="stopped.txt")
    old, young = stopped.pk, receive(filename="young.txt").pk
    Upload.objects.filter(pk=old).update(state=Upload.State.RECEIVING, touched=timezone.now() - timedelta(days=2))
    upload_check.sweep()
    assert not Upload.objects.filter(pk=old).exists()
    piece = settings.MEDIA_ROOT / upload_chunks.folder(old) / upload_chunks.pieces(old)[0]
    assert piece.exists()  # its upload is gone, but the piece is young: its row may be about to be written
    long_ago = (timezone.now() - timedelta(days=2)).timestamp()
    os.utime(piece, (long_ago, long_ago))
    upload_check.sweep()
    assert piece.exists()  # nothing says yet whose files these are: they may be another database's
    tasks.sweep_files()
    upload_check.sweep()
    assert upload_chunks.staged_ids() == [str(young)]


def test_what_a_killed_worker_left_in_the_temporary_folder_is_removed(db, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    long_ago = (timezone.now() - timedelta(days=2)).timestamp()
    old = ["ireval-upload-old", "ireval-log-old", "ireval-apart-old", "ireval-code-old", "ireval-broker", "others"]
    for name in [*old, "ireval-upload-young", "ireval-log-being-written"]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(RUN)
    for path in [*(tmp_path / name / "file" for name in old), *map(tmp_path.joinpath, [*old, "ireval-log-being-written"])]:
        os.utime(path, (long_ago, long_ago))
    upload_check.sweep()
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["ireval-broker", "ireval-log-being-written", "ireval-upload-young", "others"]


def test_a_run_confirmed_while_documents_are_inserted_is_called_once_they_are(
    receive, monkeypatch, django_capture_on_commit_callbacks
):
    """Its own message came too early: other transactions still saw the documents being checked."""
    documents = receive(b'{"docno": "d9", "text": "Owls"}\n', filename="corpus.jsonl", kind="documents")
    check = CHECKS["documents"]

    def checked(*arguments, **options):
        insert = check(*arguments, **options)
        return lambda: (receive(), Outbox.objects.all().delete(), insert())[-1]

    monkeypatch.setitem(CHECKS, "documents", checked)
    with django_capture_on_commit_callbacks(execute=True):
        upload_check.check(str(documents.pk))
    run = Upload.objects.get(kind=Upload.Kind.RUN)
    assert Outbox.objects.get().arguments == {"upload": str(run.pk)}


def test_progress_is_in_the_database(receive):
    upload = receive()
    attempt = upload_check.begin(str(upload.pk))
    attempt.written -= 2
    attempt.progress(1234)
    upload.refresh_from_db()
    assert upload.lines_read == 1234


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_import_it_once(receive, collection):
    upload = receive()
    errors = []
    together = threading.Barrier(2)

    def work():
        try:
            together.wait()
            tasks.check_upload(upload=str(upload.pk))
        except Held:  # by the other
            pass
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert Run.objects.filter(collection=collection).count() == 1


def test_cancelling_an_upload_that_is_being_put_together_is_no_error(receive, monkeypatch):
    upload = receive()
    put_together = upload_chunks.put_together
    monkeypatch.setattr(upload_chunks, "put_together", lambda mine: cancel_upload(upload) and put_together(mine))
    upload_check.check(str(upload.pk))
    assert not Upload.objects.exists()
