"""The chunk protocol: in order, repeated, too large, cut off and taken up again, and never by a stranger."""

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse

from judging.collections import upload_chunks
from judging.models import Outbox, Upload

RUN = b"".join(b"1 Q0 d%d %d %d bm25\n" % (n, n, 10 - n) for n in range(1, 7))


@pytest.fixture
def owner(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def begin(owner, collection):
    def begin(**fields):
        form = {"filename": "bm25.txt", "size": len(RUN)} | fields
        return owner.post(reverse("upload_begin", args=[collection.pk]), form)

    return begin


def put(client, pk, offset, data, **headers):
    url = reverse("upload_chunk", args=[pk]) + f"?offset={offset}"
    return client.put(url, data, content_type="application/octet-stream", **headers)


def test_chunks_become_the_file(owner, begin):
    reply = begin()
    assert reply.status_code == 201
    pk = reply.json()["id"]
    assert put(owner, pk, 0, RUN[:50]).json() == {"received": 50}
    assert put(owner, pk, 50, RUN[50:]).json() == {"received": len(RUN)}
    assert owner.post(reverse("upload_finish", args=[pk])).json()["state"] == "recognised"
    upload = Upload.objects.get(pk=pk)
    with upload_chunks.put_together(upload) as path:
        assert path.read_bytes() == RUN
    assert upload.recognition["kind"] == "run"
    assert not Outbox.objects.exists()
    owner.post(reverse("uploads_confirm", args=[upload.collection_id]), {f"{pk}-taken": "run:auto"})
    message = Outbox.objects.get()
    assert (message.task, message.arguments) == ("judging.tasks.check_upload", {"upload": pk})


def test_both_ends_are_read_over_pieces(owner, begin):
    pk = begin().json()["id"]
    for offset in range(0, len(RUN), 40):
        put(owner, pk, offset, RUN[offset : offset + 40])
    upload = Upload.objects.get(pk=pk)
    for length in (1, 39, 40, 41, 100, len(RUN), 1000):
        assert upload_chunks.both_ends(upload, length, length) == (RUN[:length], RUN[-length:])


def test_a_chunk_that_came_before_changes_nothing(owner, begin):
    pk = begin().json()["id"]
    put(owner, pk, 0, RUN[:50])
    again = put(owner, pk, 0, RUN[:50])
    assert (again.status_code, again.json()) == (200, {"received": 50})
    put(owner, pk, 50, RUN[50:])
    with upload_chunks.put_together(Upload.objects.get(pk=pk)) as path:
        assert path.read_bytes() == RUN


@pytest.mark.parametrize("offset", [10, 60, 0])
def test_a_chunk_out_of_order_is_told_where_to_go_on(owner, begin, offset):
    pk = begin().json()["id"]
    put(owner, pk, 0, RUN[:50])
    reply = put(owner, pk, offset, RUN[offset : offset + 60])
    assert reply.status_code == 409
    assert reply.json()["received"] == 50
    assert Upload.objects.get(pk=pk).received == 50


def test_an_interrupted_chunk_is_replaced(owner, begin):
    pk = begin().json()["id"]
    put(owner, pk, 0, RUN[:50])
    half = f"{upload_chunks.folder(pk)}/{50:016d}.part"
    with default_storage.open(half, "wb") as piece:  # a request died between the file and the commit
        piece.write(b"half a chu")
    put(owner, pk, 50, RUN[50:])
    with upload_chunks.put_together(Upload.objects.get(pk=pk)) as path:
        assert path.read_bytes() == RUN


def test_the_state_says_where_to_go_on(owner, begin):
    pk = begin().json()["id"]
    put(owner, pk, 0, RUN[:50])
    state = owner.get(reverse("upload_state", args=[pk])).json()
    assert (state["received"], state["size"], state["state"]) == (50, len(RUN), "receiving")


def test_finishing_early_is_refused(owner, begin):
    pk = begin().json()["id"]
    put(owner, pk, 0, RUN[:50])
    reply = owner.post(reverse("upload_finish", args=[pk]))
    assert (reply.status_code, reply.json()["received"]) == (409, 50)
    assert not Outbox.objects.exists()


def test_finishing_twice_is_finishing_once(owner, begin):
    pk = begin().json()["id"]
    put(owner, pk, 0, RUN)
    for _ in range(2):
        reply = owner.post(reverse("upload_finish", args=[pk]))
        assert (reply.status_code, reply.json()["state"]) == (200, "recognised")


def test_more_than_announced_is_refused(owner, begin):
    pk = begin(size=100).json()["id"]
    reply = put(owner, pk, 0, RUN)
    assert reply.status_code == 413
    assert "100 bytes were announced" in reply.json()["error"]
    assert upload_chunks.pieces(pk) == []


def test_a_chunk_too_large_for_one_request_is_refused_unread(owner, begin, settings):
    pk = begin().json()["id"]
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 20
    reply = put(owner, pk, 0, RUN)
    assert reply.status_code == 413
    assert "A chunk may have 20 bytes" in reply.json()["error"]


def test_a_file_too_large_is_refused_before_it_comes(begin, settings):
    settings.UPLOAD_MAX_BYTES = 100
    reply = begin()
    assert reply.status_code == 413
    assert "more than the 100" in reply.json()["error"]
    assert not Upload.objects.exists()


def test_crumbs_are_refused(owner, begin, settings):
    settings.UPLOAD_MAX_BYTES = 2**40
    pk = begin(size=2**30).json()["id"]
    reply = put(owner, pk, 0, b"x")
    assert reply.status_code == 400
    assert "too small" in reply.json()["error"]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"size": 0}, "the file is empty"),
        ({"size": "many"}, "Expected size"),
        ({"size": -5}, "Expected size"),
        ({"filename": ""}, "Give the file a name"),
        ({"filename": "x" * 300}, "Give the file a name"),
    ],
)
def test_what_could_not_be_imported_is_refused_at_once(begin, fields, says):
    reply = begin(**fields)
    assert reply.status_code == 400
    assert says in reply.json()["error"]
    assert not Upload.objects.exists()


def test_a_path_is_no_filename(begin):
    assert begin(filename="C:\\runs\\..\\secret/bm25.txt").status_code == 201
    assert Upload.objects.get().filename == "bm25.txt"


@pytest.mark.parametrize("offset", ["", "-1", "1e3", "9" * 30])
def test_offsets_are_numbers(owner, begin, offset):
    assert put(owner, begin().json()["id"], offset, RUN).status_code == 400


def test_cancelling_leaves_nothing(owner, begin):
    pk = begin().json()["id"]
    put(owner, pk, 0, RUN[:50])
    owner.post(reverse("upload_cancel", args=[pk]))
    assert not Upload.objects.exists()
    assert upload_chunks.staged_ids() == []
    assert put(owner, pk, 50, RUN[50:]).status_code == 404


def test_a_stranger_meets_a_404_everywhere(client, owner, begin, stranger, collection):
    pk = begin().json()["id"]
    client.force_login(stranger)
    assert put(client, pk, 0, RUN).status_code == 404
    for name in ("upload_finish", "upload_cancel"):
        assert client.post(reverse(name, args=[pk])).status_code == 404
    for name in ("upload", "upload_state"):
        assert client.get(reverse(name, args=[pk])).status_code == 404
    assert begin().status_code == 404  # the same browser, now the stranger's
    assert client.get(reverse("upload_new", args=[collection.pk])).status_code == 404
    assert Upload.objects.get().received == 0


def test_who_may_read_a_shared_collection_may_not_add_to_it(client, stranger, collection):
    collection.shared = True
    collection.save()
    client.force_login(stranger)
    assert client.get(reverse("collection", args=[collection.pk])).status_code == 200
    assert client.get(reverse("upload_new", args=[collection.pk])).status_code == 404
    form = {"kind": "run", "filename": "a", "size": 5}
    assert client.post(reverse("upload_begin", args=[collection.pk]), form).status_code == 404


def test_an_upload_into_a_collection_that_was_given_away_is_gone(owner, begin, stranger, collection):
    pk = begin().json()["id"]
    collection.owner = stranger
    collection.save()
    assert put(owner, pk, 0, RUN).status_code == 404


def test_nobody_uploads_without_signing_in(client, collection):
    reply = client.post(reverse("upload_begin", args=[collection.pk]), {"kind": "run", "filename": "a", "size": 5})
    assert reply.status_code == 302
    assert not Upload.objects.exists()


def test_the_forms_token_is_asked_for(researcher, collection):
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(researcher)
    form = {"kind": "run", "filename": "a", "size": 5}
    assert strict.post(reverse("upload_begin", args=[collection.pk]), form).status_code == 403
    assert strict.post(reverse("upload_new", args=[collection.pk]), form).status_code == 403
    assert not Upload.objects.exists()
