"""The page that adds files, as it works without a script: what they are taken for, what is confirmed, and what came of it."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judging import tasks
from judging.collections import upload_chunks
from judging.models import Outbox, Upload
from tests.judging.stored import everything_stored

RUN = b"1 Q0 d1 1 9 bm25\n"


@pytest.fixture
def own(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def drop(own, collection):
    """Sends files by the form, without saying what they are."""
    url = reverse("upload_new", args=[collection.pk])
    return lambda *files: own.post(url, {"file": [SimpleUploadedFile(name, content) for name, content in files]})


@pytest.fixture
def confirm(own, collection):
    """Confirms what waits for it: as it was taken for, or as `taken` says, with fields of the form."""

    def confirm(taken=None, **fields):
        page = own.get(reverse("upload_new", args=[collection.pk]))
        form = {}
        for row in page.context["rows"]:
            form[f"{row.prefix}-taken"] = row["taken"].value() if taken is None else taken
            form |= {f"{row.prefix}-{name}": value for name, value in fields.items()}
        return own.post(reverse("uploads_confirm", args=[collection.pk]), form)

    return confirm


@pytest.fixture
def send(drop, confirm):
    """Drops files and confirms what they are."""

    def send(*files, **fields):
        drop(*files)
        return confirm(**fields)

    return send


def check_all():
    for upload in Upload.objects.filter(state=Upload.State.WAITING):
        tasks.check_upload(upload=str(upload.pk))


def test_one_file_leads_to_its_page(own, send, collection):
    reply = send(("bm25.run", RUN), name="First", description="Plain")
    upload = Upload.objects.get()
    assert reply.url == reverse("upload", args=[upload.pk])
    assert "Waiting" in own.get(reply.url).content.decode()
    check_all()
    page = own.get(reply.url).content.decode()
    assert "Imported" in page
    assert reverse("run", args=[collection.runs.get(name="First").pk]) in page


def test_several_files_at_once(send, collection):
    reply = send(*((f"run{n}.txt.xz", RUN) for n in range(21)))
    assert reply.url == reverse("collection", args=[collection.pk])
    check_all()
    assert set(collection.runs.values_list("name", flat=True)) == {f"run{n}" for n in range(21)}


def test_each_file_is_recognised_and_nothing_comes_in_before_somebody_confirms(own, drop, confirm, collection):
    runs = collection.runs.count()
    reply = drop(("a", RUN), ("b", b"1 0 d1 1\n"), ("c", b'{"_id": "d9", "text": "Grebes"}\n'), ("d", b"Read me first.\n"))
    assert reply.url == reverse("upload_new", args=[collection.pk])
    check_all()
    assert collection.runs.count() == runs
    page = own.get(reply.url)
    assert [row["taken"].value() for row in page.context["rows"]] == ["run:auto", "qrels:auto", "topics:beir", ""]
    content = page.content.decode()
    assert "TREC’s run." in content
    assert "none of the formats that are read here" in content

    assert confirm().url == reverse("collection", args=[collection.pk])
    check_all()
    assert collection.runs.count() == runs + 1
    assert collection.qrels.count() == 1
    assert set(collection.uploads.values_list("filename", "state")) == {
        ("a", "done"),
        ("b", "done"),
        ("c", "done"),
    }  # d is forgotten
    assert "Left out, and not kept: d." in own.get(reverse("collection", args=[collection.pk])).content.decode()


def test_a_wrong_guess_is_corrected(drop, confirm, collection):
    drop(("corpus.jsonl", b'{"_id": "d9", "text": "Grebes"}\n'))
    confirm(taken="documents:beir")
    check_all()
    assert collection.documents.filter(docno="d9").exists()
    assert not collection.topics.filter(number="d9").exists()


def test_what_is_confirmed_twice_is_imported_once(own, drop, collection):
    drop(("bm25.run", RUN))
    upload = Upload.objects.get()
    fields = {f"{upload.pk}-taken": "run:auto"}
    replies = [own.post(reverse("uploads_confirm", args=[collection.pk]), fields) for _ in range(2)]
    assert [reply.status_code for reply in replies] == [302, 302]
    check_all()
    assert collection.runs.filter(name="bm25").count() == 1


def test_a_file_that_came_after_the_page_is_not_confirmed_with_it(own, drop, collection):
    drop(("a.run", RUN))
    fields = {f"{Upload.objects.get().pk}-taken": "run:auto"}
    drop(("b.run", RUN))
    own.post(reverse("uploads_confirm", args=[collection.pk]), fields)
    assert set(Upload.objects.values_list("filename", "state")) == {("a.run", "waiting"), ("b.run", "recognised")}
    page = own.get(reverse("collection", args=[collection.pk])).content.decode()
    assert "1 file waits to be confirmed" in page


def test_runs_wait_for_documents_and_topics(send, collection, django_capture_on_commit_callbacks):
    collection.topics.all().delete()
    send(("a.run", RUN), ("topics.jsonl", b'{"_id": "7", "text": "geese"}\n'))
    run, topics = Upload.objects.get(filename="a.run"), Upload.objects.get(filename="topics.jsonl")
    tasks.check_upload(upload=str(run.pk))
    run.refresh_from_db()
    assert (run.state, run.attempts) == (Upload.State.WAITING, 0)
    with django_capture_on_commit_callbacks(execute=True):
        tasks.check_upload(upload=str(topics.pk))
    assert Outbox.objects.filter(task="judging.tasks.check_upload", arguments={"upload": str(run.pk)}).count() == 2
    tasks.check_upload(upload=str(run.pk))
    run.refresh_from_db()
    assert run.state == Upload.State.FAILED  # topic 1 is not among them, as is known by now


def test_runs_no_longer_wait_for_documents_that_were_cancelled(own, send, collection):
    send(("a.run", RUN), ("corpus.jsonl", b'{"_id": "d9", "title": "", "text": "Grebes"}\n'))
    run, corpus = Upload.objects.get(filename="a.run"), Upload.objects.get(filename="corpus.jsonl")
    own.post(reverse("upload_cancel", args=[corpus.pk]))
    assert Outbox.objects.filter(arguments={"upload": str(run.pk)}).count() == 2
    tasks.check_upload(upload=str(run.pk))
    run.refresh_from_db()
    assert run.state == Upload.State.DONE


def test_a_file_whose_name_is_too_long_for_a_run_asks_for_one(own, drop, confirm, collection):
    drop(("a" * 130 + ".run", RUN))
    reply = confirm()
    assert reply.status_code == 422
    assert "name" in reply.context["rows"][0].errors
    assert not collection.runs.filter(name="Short").exists()
    confirm(name="Short")
    check_all()
    assert collection.runs.filter(name="Short").exists()


def test_options_come_through(send, collection):
    send(("gold.txt", b"1 0 d1 1\n9 0 d1 1\n"), sparse="on", skip_unknown_topics="on", description="By hand")
    check_all()
    qrels = collection.qrels.get()
    assert (qrels.rows, qrels.sparse, qrels.description) == (1, True, "By hand")


def test_result_lists_of_two_systems_lead_to_the_collections_runs(own, send, collection):
    reply = send(("sites.csv", b"topic,rank,title,system\n1,1,Owls,A\n1,1,Ducks,B\n"), description="Tuesday")
    check_all()
    page = own.get(reply.url).content.decode()
    assert "2 systems." in page
    assert reverse("collection", args=[collection.pk]) + "#runs" in page
    assert set(collection.runs.values_list("name", "description")) == {("A", "Tuesday"), ("B", "Tuesday")}


def test_the_name_in_the_form_is_that_of_the_system(own, send, collection):
    reply = send(("site.tsv", b"topic\trank\ttitle\n1\t1\tOwls\n"), name="Our site")
    check_all()
    assert reverse("run", args=[collection.runs.get(name="Our site").pk]) in own.get(reply.url).content.decode()


def test_smart_qrels_by_the_form(send, collection):
    send(("cranqrel", b"1 1 1\n1 2 4\n"), taken="qrels:smart:cranfield-0-4")
    collection.documents.filter(docno="d1").update(docno="1")
    check_all()
    assert collection.qrels.get().grade_counts == {"1": 1, "4": 1}


def test_nothing_chosen(drop):
    assert drop().status_code == 422


def test_an_empty_file(drop):
    reply = drop(("empty.run", b""))
    assert reply.status_code == 422
    assert "empty" in reply.content.decode()
    assert not Upload.objects.exists()


def test_a_file_over_the_limit(drop, settings):
    settings.UPLOAD_MAX_BYTES = 10
    reply = drop(("large.run", RUN))
    assert reply.status_code == 422
    assert "more than the 10" in reply.content.decode()
    assert not Upload.objects.exists()
    assert upload_chunks.staged_ids() == []


def test_a_body_over_the_limit_is_refused_before_it_is_read(drop, settings, monkeypatch):
    from judging.views import uploads

    settings.UPLOAD_MAX_BYTES = 10
    monkeypatch.setattr(uploads, "FORM_BYTES", 10)

    def unread(*_):
        raise AssertionError("the body was read")

    monkeypatch.setattr("django.core.handlers.wsgi.WSGIRequest.parse_file_upload", unread)
    reply = drop(("large.run", RUN))
    assert reply.status_code == 413
    assert "more than one form may carry" in reply.content.decode()
    assert "manage.py" not in reply.content.decode(), "researchers have no shell there"


def test_something_that_files_cannot_be_is_refused(drop, confirm):
    drop(("bm25.run", RUN))
    assert confirm(taken="movie:auto").status_code == 422


def test_the_problems_are_a_table(own, send):
    reply = send(("bad.run", b"1 Q0 d1 1 9 bm25\n1 Q0 d2 2\n1 Q0 d3 3 high bm25\n"), taken="run:auto")
    before = everything_stored()
    check_all()
    page = own.get(reply.url).content.decode()
    assert "2 problems are listed below" in page
    assert "expected 6 columns (topic Q0 docno rank score tag), found 4" in page
    assert "is &quot;high&quot;; expected a number" in page
    assert everything_stored()[0] == before[0]


def test_the_page_asks_again_until_it_is_done(own, send):
    reply = send(("bm25.run", RUN))
    waiting = own.get(reply.url, headers={"HX-Request": "true"}).content.decode()
    assert 'hx-trigger="every 1s"' in waiting
    check_all()
    done = own.get(reply.url, headers={"HX-Request": "true"}).content.decode()
    assert "hx-trigger" not in done
    assert "<html" not in done


def test_the_collections_page_shows_what_is_on_its_way(own, send, collection):
    send(("bm25.run", RUN))
    url = reverse("collection", args=[collection.pk])
    assert "bm25.run" in own.get(url).content.decode()
    assert 'hx-trigger="every 2s"' in own.get(url, headers={"HX-Request": "true"}).content.decode()


def test_a_run_that_was_deleted_is_not_linked(own, send, collection):
    reply = send(("bm25.run", RUN))
    check_all()
    collection.runs.all().delete()
    assert "See the run" not in own.get(reply.url).content.decode()


def test_whose_runs_came_in_is_asked_until_it_is_said(own, send, collection):
    page = own.get((reply := send(("dense-v2.run", RUN))).url).content.decode()
    assert "Which system" not in page
    check_all()
    page = own.get(reply.url).content.decode()
    assert "Which system?" in page
    assert ('value="dense"' in page, 'value="v2"' in page) == (True, True)
    form = {f"system-run-{collection.runs.get().pk}": "dense", "back": reply.url}
    assert own.post(reverse("collection_systems", args=[collection.pk]), form).url == reply.url
    assert "Which system" not in own.get(reply.url).content.decode()


def test_an_upload_that_stopped_coming_does_not_hide_what_comes_next(own, collection, researcher):
    Upload.objects.create(collection=collection, filename="half.run", size=9, created_by=researcher)
    page = own.get(reverse("collection", args=[collection.pk])).content.decode()
    assert "half.run" in page
    assert "Make runs here" in page
    assert "hx-trigger" not in page


def test_documents_that_are_wanted_where_mentioned_wait_for_the_runs_that_mention_them(send, collection):
    corpus = b'{"_id": "d8", "title": "Grebes", "text": ""}\n{"_id": "d9", "title": "Coots", "text": ""}\n'
    send(("corpus.jsonl", corpus), ("a.run", b"1 Q0 d1 1 9 a\n1 Q0 d9 2 8 a\n"), only_mentioned="on")
    documents, run = Upload.objects.get(filename="corpus.jsonl"), Upload.objects.get(filename="a.run")
    for upload in (documents, run, documents):
        tasks.check_upload(upload=str(upload.pk))
    documents.refresh_from_db()
    assert documents.summary["counts"] == {"read": 2, "added": 1, "already_there": 0, "not_mentioned": 1}
