from pathlib import Path

import pytest

from judging.models import Outbox, Run, Upload
from judging.tasks import check_upload

ADDRESS = "/api/v1/uploads/"
RUN = b"1 Q0 d1 1 9.5 x\n1 Q0 d2 2 8 x\n2 Q0 d3 1 7.25 x\n"


def begin(client, collection, **fields):
    sent = {"collection": collection.pk, "kind": "run", "filename": "bm25.txt", "size": len(RUN), **fields}
    return client.post(ADDRESS, sent)


def put(client, upload, offset, data: bytes, content_type="application/octet-stream"):
    return client.put(f"{upload}chunk/?offset={offset}", data, content_type=content_type)


@pytest.fixture
def upload(rita, collection):
    return f"{ADDRESS}{begin(rita, collection).json()['id']}/"


def test_a_run_in_two_chunks(rita, upload):
    assert put(rita, upload, 0, RUN[:20]).json() == {"received": 20}
    assert put(rita, upload, 20, RUN[20:]).json() == {"received": len(RUN)}
    finished = rita.post(f"{upload}finish/")
    assert (finished.status_code, finished.json()["state"]) == (202, "waiting")
    message = Outbox.objects.get()
    check_upload(**message.arguments)
    done = rita.get(upload).json()
    assert (done["state"], done["summary"]["counts"]["rows"]) == ("done", 3)
    assert done["summary"]["kept"] == Run.objects.get().pk


def test_result_lists_of_two_systems(rita, collection):
    lists = b"topic,rank,title,system\n1,1,Owls,A\n1,1,Ducks,B\n"
    upload = f"{ADDRESS}{begin(rita, collection, kind='results', filename='sites.csv', size=len(lists)).json()['id']}/"
    put(rita, upload, 0, lists)
    rita.post(f"{upload}finish/")
    check_upload(**Outbox.objects.get().arguments)
    summary = rita.get(upload).json()["summary"]
    assert summary["runs"] == list(Run.objects.order_by("name").values_list("pk", flat=True))
    assert (summary["kept"], summary["counts"]["runs"]) == (None, 2)


def test_what_is_wrong_with_the_file_is_told_line_by_line(rita, collection):
    bad = b"1 Q0 d1 1 9.5 x\n1 Q0\n"
    upload = f"{ADDRESS}{begin(rita, collection, size=len(bad)).json()['id']}/"
    put(rita, upload, 0, bad)
    rita.post(f"{upload}finish/")
    check_upload(**Outbox.objects.get().arguments)
    failed = rita.get(upload).json()
    assert failed["state"] == "failed"
    problem = failed["problems"][0]
    assert (problem["file"], problem["line"]) == ("bm25.txt", 2)
    assert problem["message"].startswith("expected 6 columns")
    assert not Run.objects.exists()


def test_a_chunk_sent_again_changes_nothing(rita, upload):
    put(rita, upload, 0, RUN[:20])
    assert put(rita, upload, 0, RUN[:20]).json() == {"received": 20}


def test_a_chunk_out_of_step_says_where_to_go_on(rita, upload):
    put(rita, upload, 0, RUN[:20])
    refused = put(rita, upload, 30, RUN[30:])
    assert refused.status_code == 409
    assert refused.json()["received"] == 20


def test_finishing_too_early_says_how_much_is_missing(rita, upload):
    put(rita, upload, 0, RUN[:20])
    refused = rita.post(f"{upload}finish/")
    assert refused.status_code == 409
    assert refused.json()["received"] == 20
    assert not Outbox.objects.exists()


def test_more_than_was_announced(rita, upload):
    assert put(rita, upload, 0, RUN + b"more").status_code == 413


def test_a_chunk_of_more_than_one_request_may_carry(rita, upload, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    refused = put(rita, upload, 0, RUN[:11])
    assert refused.status_code == 413
    assert "in chunks" in refused.json()["detail"]
    assert rita.get(upload).json()["received"] == 0


@pytest.mark.parametrize(
    "content_type", ["application/octet-stream", "text/plain", "application/json", "application/x-www-form-urlencoded"]
)
def test_a_chunk_is_taken_as_it_is_whatever_it_is_called(rita, upload, content_type):
    assert put(rita, upload, 0, b'{"a": \xff\0&', content_type).json() == {"received": 9}


@pytest.mark.parametrize("offset", ["", "x", "-1", "1e3", "9" * 40, "\0"])
def test_offsets_that_are_none(rita, upload, offset):
    refused = put(rita, upload, offset, b"x")
    assert refused.status_code == 400
    assert set(refused.json()) == {"offset"}


@pytest.mark.parametrize(
    "sent",
    [
        {"kind": "novel"},
        {"format": "docx"},
        {"format": "\0"},
        {"size": 0},
        {"size": -1},
        {"size": 10**30},
        {"filename": ""},
        {"filename": "\0"},
        {"filename": "x" * 256},
        {"filename": "a\nb"},
        {"name": "x" * 121},
        {"options": {"sparse": True}},
        {"options": {"description": "\0"}},
        {"options": {"skip_unknown_topics": "perhaps"}},
        {"options": []},
        {"options": "x"},
        {"options": {"colour": "red"}},
    ],
    ids=str,
)
def test_announcements_that_make_no_sense(rita, collection, sent):
    refused = begin(rita, collection, **sent)
    assert refused.status_code in (400, 413)
    assert refused.json()
    assert not Upload.objects.exists()


def test_a_file_over_the_limit_is_refused_before_it_is_sent(rita, collection, settings):
    settings.UPLOAD_MAX_BYTES = 1000
    refused = begin(rita, collection, size=1001)
    assert refused.status_code == 413
    assert "1,001 bytes" in refused.json()["detail"]


def test_cancelling_takes_the_bytes_away(rita, upload, settings, django_capture_on_commit_callbacks):
    put(rita, upload, 0, RUN[:20])
    assert any(path.is_file() for path in Path(settings.MEDIA_ROOT).rglob("*"))
    with django_capture_on_commit_callbacks(execute=True):
        assert rita.delete(upload).status_code == 204
    assert rita.get(upload).status_code == 404
    assert not any(path.is_file() for path in Path(settings.MEDIA_ROOT).rglob("*"))


def test_uploads_are_their_senders_own(rita, sid, wim, collection, upload):
    assert sid.get(upload).status_code == 404
    assert put(sid, upload, 0, RUN[:20]).status_code == 404
    assert sid.post(f"{upload}finish/").status_code == 404
    assert sid.delete(upload).status_code == 404
    assert sid.get(ADDRESS).json()["count"] == 0
    assert "does not exist" in begin(sid, collection).json()["collection"][0]
    assert begin(wim, collection).status_code == 403


def test_filters(rita, collection, upload):
    assert rita.get(ADDRESS, {"state": "receiving", "kind": "run", "collection": collection.pk}).json()["count"] == 1
    assert rita.get(ADDRESS, {"state": "done"}).json()["count"] == 0
    assert rita.get(ADDRESS, {"kind": "novel"}).status_code == 400


def sent_without_a_kind(rita, collection, content):
    sent = {"collection": collection.pk, "filename": "file", "size": len(content)}
    upload = f"{ADDRESS}{rita.post(ADDRESS, sent).json()['id']}/"
    put(rita, upload, 0, content)
    assert rita.post(f"{upload}finish/").json()["state"] == "recognised"
    return upload


def test_a_file_without_a_kind_is_recognised_and_imported_once_confirmed(rita, collection):
    upload = sent_without_a_kind(rita, collection, RUN)
    recognition = rita.get(upload).json()["recognition"]
    assert (recognition["kind"], recognition["sample"]) == ("run", {"topic": "1", "document": "d1", "score": "9.5"})
    assert not Outbox.objects.exists()
    confirmed = rita.post(f"{upload}confirm/", {"name": "First"})
    assert (confirmed.status_code, confirmed.json()["state"]) == (202, "waiting")
    check_upload(**Outbox.objects.get().arguments)
    assert Run.objects.get().name == "First"
    assert rita.post(f"{upload}confirm/").status_code == 409


def test_what_it_was_taken_for_is_corrected(rita, collection):
    upload = sent_without_a_kind(rita, collection, b"1 184 2\n1 12 1\n")
    refused = rita.post(f"{upload}confirm/")
    assert refused.status_code == 400
    assert "Say what kind of file it is" in str(refused.json())
    choice = {"kind": "qrels", "format": "smart", "options": {"scale": "as written"}}
    assert rita.post(f"{upload}confirm/", choice, content_type="application/json").json()["options"] == {"scale": "as written"}
    assert Upload.objects.get().format == "smart"


def test_a_format_that_there_is_not_is_refused(rita, collection):
    upload = sent_without_a_kind(rita, collection, RUN)
    assert rita.post(f"{upload}confirm/", {"format": "docx"}).status_code == 400
    assert rita.get(upload).json()["state"] == "recognised"


def test_who_may_not_change_the_collection_any_more_imports_nothing_into_it(sid, stranger, collection):
    collection.members.add(stranger)
    chunked, recognised = (f"{ADDRESS}{begin(sid, collection, **kind).json()['id']}/" for kind in ({}, {"kind": ""}))
    put(sid, chunked, 0, RUN)
    put(sid, recognised, 0, RUN)
    assert sid.post(f"{recognised}finish/").json()["state"] == "recognised"
    collection.members.remove(stranger)
    collection.readers.add(stranger)
    for answer in (
        sid.get(chunked), put(sid, chunked, 0, RUN), sid.post(f"{chunked}finish/"), sid.post(f"{recognised}confirm/", {}),
        sid.delete(chunked),
    ):  # fmt: skip
        assert answer.status_code == 404
    assert sid.get(ADDRESS).json()["count"] == 0
    assert not Outbox.objects.exists()


def test_who_is_no_researcher_any_more_imports_nothing(rita, researcher, upload):
    put(rita, upload, 0, RUN)
    researcher.is_researcher = False
    researcher.save()
    assert rita.post(f"{upload}finish/").status_code == 404
    assert not Outbox.objects.exists()
