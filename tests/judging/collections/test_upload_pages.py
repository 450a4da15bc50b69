"""The form that adds files, as it works without a script, and what the page of an upload says."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judging import tasks
from judging.collections import upload_chunks
from judging.models import Upload
from tests.judging.stored import everything_stored

RUN = b"1 Q0 d1 1 9 bm25\n"


@pytest.fixture
def own(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def send(own, collection):
    def send(*files, kind="run", **fields):
        url = reverse("upload_new", args=[collection.pk]) + f"?kind={kind}"
        return own.post(url, {"file": [SimpleUploadedFile(name, content) for name, content in files], **fields})

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


def test_two_files_cannot_have_one_name(send):
    reply = send(("a.run", RUN), ("b.run", RUN), name="Same")
    assert reply.status_code == 422
    assert "Two files cannot have one name" in reply.content.decode()
    assert not Upload.objects.exists()


def test_a_file_whose_name_is_too_long_for_a_run_asks_for_one(own, send, collection):
    filename = "a" * 130 + ".run"
    reply = send((filename, RUN))
    assert reply.status_code == 422
    assert "name" in reply.context["form"].errors
    announced = {"kind": "run", "filename": filename, "size": len(RUN)}
    begin = reverse("upload_begin", args=[collection.pk])
    assert own.post(begin, announced).json()["error"].startswith("Name: ")
    assert not Upload.objects.exists()
    assert own.post(begin, announced | {"name": "Short"}).status_code == 201


def test_options_come_through(send, collection):
    send(("gold.txt", b"1 0 d1 1\n9 0 d1 1\n"), kind="qrels", sparse="on", skip_unknown_topics="on", description="By hand")
    check_all()
    qrels = collection.qrels.get()
    assert (qrels.rows, qrels.sparse, qrels.description) == (1, True, "By hand")


def test_result_lists_of_two_systems_lead_to_the_collections_runs(own, send, collection):
    reply = send(("sites.csv", b"topic,rank,title,system\n1,1,Owls,A\n1,1,Ducks,B\n"), kind="results", description="Tuesday")
    check_all()
    page = own.get(reply.url).content.decode()
    assert "2 systems." in page
    assert reverse("collection", args=[collection.pk]) + "#runs" in page
    assert set(collection.runs.values_list("name", "description")) == {("A", "Tuesday"), ("B", "Tuesday")}


def test_the_name_in_the_form_is_that_of_the_system(own, send, collection):
    reply = send(("site.tsv", b"topic\trank\ttitle\n1\t1\tOwls\n"), kind="results", name="Our site")
    check_all()
    assert reverse("run", args=[collection.runs.get(name="Our site").pk]) in own.get(reply.url).content.decode()


def test_smart_qrels_by_the_form(send, collection):
    send(("cranqrel", b"1 1 1\n1 2 4\n"), kind="qrels", format="smart", scale="cranfield-0-4")
    collection.documents.filter(docno="d1").update(docno="1")
    check_all()
    assert collection.qrels.get().grade_counts == {"1": 1, "4": 1}


def test_nothing_chosen(send):
    assert send().status_code == 422


def test_an_empty_file(send):
    reply = send(("empty.run", b""))
    assert reply.status_code == 422
    assert "empty" in reply.content.decode()
    assert not Upload.objects.exists()


def test_a_file_over_the_limit(send, settings):
    settings.UPLOAD_MAX_BYTES = 10
    reply = send(("large.run", RUN))
    assert reply.status_code == 422
    assert "more than the 10" in reply.content.decode()
    assert not Upload.objects.exists()
    assert upload_chunks.staged_ids() == []


def test_a_body_over_the_limit_is_refused_before_it_is_read(send, settings, monkeypatch):
    from judging.views import uploads

    settings.UPLOAD_MAX_BYTES = 10
    monkeypatch.setattr(uploads, "FORM_BYTES", 10)

    def unread(*_):
        raise AssertionError("the body was read")

    monkeypatch.setattr("django.core.handlers.wsgi.WSGIRequest.parse_file_upload", unread)
    reply = send(("large.run", RUN))
    assert reply.status_code == 413
    assert "more than one form may carry" in reply.content.decode()


def test_a_kind_that_is_none(own, collection):
    assert own.get(reverse("upload_new", args=[collection.pk]) + "?kind=movie").status_code == 404


def test_the_problems_are_a_table(own, send):
    reply = send(("bad.run", b"1 Q0 d1 1 9 bm25\n1 Q0 d2 2\n1 Q0 d3 3 high bm25\n"))
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
