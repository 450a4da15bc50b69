"""Images of documents: checked by their bytes, found by name, shown to whom they concern, and gone with the collection."""

import io
import zipfile

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from ireval.io.files import BadFile
from judging.collections import upload_check
from judging.collections.deletion import delete_collection
from judging.collections.document_images import images_of
from judging.collections.imports import import_images
from judging.collections.orphans import sweep
from judging.collections.uploads import receive_whole
from judging.models import Document, Image, Markup, Study
from judging.recruiting.invites import join
from judging.studies.launch import launch
from tests.images import PNG, png
from tests.world import wim  # noqa: F401

pytestmark = pytest.mark.django_db
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>x()</script></svg>"


def zipped(**files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()


@pytest.fixture
def add(collection, researcher, tmp_path):
    def add(content, filename="images.zip"):
        path = tmp_path / "file"
        path.write_bytes(content)
        return import_images(collection, path, by=researcher, filename=filename)

    return add


def test_a_zip_and_a_single_file_bring_images(collection, add):
    content = zipped(**{"d1/owl.png": PNG, "d2.png": PNG, "img/": b"", "__MACOSX/._d2.png": b"x", "img/.DS_Store": b"x"})
    assert add(content).counts == {"added": 2, "already_there": 0}
    assert add(content).counts == {"added": 0, "already_there": 2}
    assert add(b"GIF89a..", "fig.gif").counts["added"] == 1
    rows = collection.images.values_list("name", "folder", "stem", "kind")
    assert list(rows) == [("d1/owl.png", "d1", "owl", "png"), ("d2.png", "", "d2", "png"), ("fig.gif", "", "fig", "gif")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (zipped(**{"a.png": SVG}), "SVG can hold scripts"),
        (zipped(**{"a.png": b"<html>"}), "no image that can be shown"),
        (zipped(**{"a.png": b"\x89PNG\r\n\x1a\n" + b"0" * (5 * 2**20)}), "more than 5,242,880 bytes"),
        (zipped(**{"..": PNG}), "name cannot be used"),
        (zipped(), "no image in it"),
        (zipped(**{"a.png": PNG})[:-30] + b"PK\x05\x06" + b"\xff" * 30, "expected PNG|damaged"),
    ],
    ids=["svg", "html", "large", "name", "empty", "damaged"],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(collection, add, content, said):
    with pytest.raises(BadFile, match=said):
        add(content)
    assert not collection.images.exists()
    assert stored() == []


@pytest.mark.parametrize(("method", "place"), [(zipfile.ZIP_DEFLATED, 35), (zipfile.ZIP_BZIP2, 45), (zipfile.ZIP_LZMA, 45)])
def test_a_damaged_zip_is_said_to_be_damaged(collection, add, method, place):
    """Whatever compresses it: the error is the compression's own, not the archive's."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        archive.writestr("a.png", PNG + bytes(range(256)) * 20)
    damaged = bytearray(content.getvalue())
    damaged[place : place + 15] = b"\xff" * 15
    with pytest.raises(BadFile, match=r"'a\.png': it cannot be unpacked"):
        add(bytes(damaged))
    assert not collection.images.exists()


def test_another_image_of_a_name_is_refused(add):
    add(zipped(**{"a.png": PNG}))
    with pytest.raises(BadFile, match="another image"):
        add(zipped(**{"a.png": png(2, 2), "b.png": PNG}))
    assert len(stored()) == 1


def stored():
    try:
        folders = default_storage.listdir("images")[0]
    except FileNotFoundError:
        return []
    return [name for folder in folders for name in default_storage.listdir(f"images/{folder}")[1]]


def test_an_import_that_fails_leaves_no_file(collection, researcher, add, monkeypatch):
    monkeypatch.setattr(Image.objects, "bulk_create", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        add(zipped(**{"a.png": PNG}))
    assert stored() == []


def test_images_are_found_by_address_by_name_and_by_the_documents_id(collection, add):
    names = ["x.org/img/owl.png", "d1/vole.png", "shared.png", "d1.png", "d2/mouse.png", "other.png"]
    add(zipped(**dict.fromkeys(names, PNG)))
    document = collection.documents.get(docno="d1")
    sources = ["http://x.org/img/owl.png?v=2", "../pictures/vole.png", "/a/shared.png", "mouse.png", "http://[", "data:,"]
    placed, beneath = images_of(document, sources)
    assert {source: image.name for source, image in placed.items()} == {
        sources[0]: "x.org/img/owl.png", sources[1]: "d1/vole.png", sources[2]: "shared.png",
    }  # fmt: skip
    assert [image.name for image in beneath] == ["d1.png"]


def test_ids_with_a_slash_have_images_of_their_own(collection, add):
    add(zipped(**dict.fromkeys(["a/1.png", "b/1.png", "zipped/b/1/fig.png", "b/1/deeper/fig.png"], PNG)))
    own = {docno: images_of(Document(docno=docno, collection=collection), [])[1] for docno in ("a/1", "b/1", "c/1")}
    assert {docno: [image.name for image in images] for docno, images in own.items()} == {
        "a/1": ["a/1.png"], "b/1": ["b/1.png", "zipped/b/1/fig.png"], "c/1": [],
    }  # fmt: skip


@pytest.fixture
def work(collection, runs, researcher, wim):  # noqa: F811
    study = Study.objects.create(collection=collection, name="S", created_by=researcher, instructions="x", depth=2)
    study.runs.set(runs)
    launch(study, seed=1)
    join(study, user=wim)
    client = Client()
    client.force_login(wim)
    return study, client


def test_workers_are_shown_images_where_the_collection_allows_them(work, collection, add):
    study, client = work
    add(zipped(**{f"{document.docno}.png": PNG for document in Document.objects.all()} | {"fig.png": PNG}))
    Markup.objects.create(document=collection.documents.get(docno="d1"), html="<img src=fig.png>")
    page = client.get(f"/judge/{study.pk}/").content.decode()
    assert "Image 1 of the document" in page
    address = page.split('<img src="')[1].split('"')[0]
    image = client.get(address)
    assert b"".join(image.streaming_content) == PNG
    assert image["Content-Type"] == "image/png"
    assert image["X-Content-Type-Options"] == "nosniff"
    assert image["Content-Security-Policy"].endswith("sandbox")
    assert image["Cache-Control"] == "private, max-age=86400"
    collection.shows_images = False
    collection.save()
    assert "<img" not in client.get(f"/judge/{study.pk}/").content.decode()
    assert client.get(address).status_code == 404


def test_the_preview_shows_them_to_the_researcher(work, collection, add, researcher):
    study, _ = work
    study.members.add(researcher)
    add(zipped(**{f"{document.docno}.png": PNG for document in Document.objects.all()}))
    rita = Client()
    rita.force_login(researcher)
    page = rita.get(f"/studies/{study.pk}/preview/").content.decode()
    address = page.split('<img src="')[1].split('"')[0]
    assert address.startswith("/collections/images/")
    assert rita.get(address).status_code == 200


def test_they_come_by_an_upload(collection, researcher):
    file = SimpleUploadedFile("images.zip", zipped(**{"d1.png": PNG, "d2.svg": SVG}))
    wrong = receive_whole(file, collection=collection, kind="images", by=researcher)
    upload_check.check(wrong.pk)
    wrong.refresh_from_db()
    assert (wrong.state, "d2.svg" in wrong.problems[0]["message"]) == ("failed", True)
    file = SimpleUploadedFile("images.zip", zipped(**{"d1.png": PNG}))
    right = receive_whole(file, collection=collection, kind="images", by=researcher)
    upload_check.check(right.pk)
    right.refresh_from_db()
    assert (right.state, right.summary["notes"]) == ("done", ["1 image added."])
    assert len(stored()) == 1


def test_a_worker_elsewhere_opens_nothing(work, add, collection, researcher, stranger):
    study, client = work
    add(zipped(**{"a.png": PNG}))
    image = collection.images.get()
    from judging.models import Collection

    image.collection = Collection.objects.create(name="Other", owner=researcher)
    image.save()
    assert client.get(f"/judge/{study.pk}/images/{image.pk}/").status_code == 404
    other = Client()
    other.force_login(stranger)
    assert other.get(f"/collections/images/{image.pk}/").status_code == 404


def test_images_go_with_what_they_belong_to(collection, researcher, add, django_capture_on_commit_callbacks):
    add(zipped(**{"a.png": PNG, "b.png": PNG}))
    Markup.objects.create(document=collection.documents.first(), html="x")
    client = Client()
    client.force_login(researcher)
    with django_capture_on_commit_callbacks(execute=True):
        chosen = [str(collection.images.first().pk), "nonsense"]
        assert client.post(f"/collections/{collection.pk}/images/", {"images": chosen}).status_code == 302
    assert len(stored()) == 1
    with django_capture_on_commit_callbacks(execute=True):
        delete_collection(collection, by=researcher)
    assert stored() == []
    assert not Markup.objects.exists()


def test_the_command_line_brings_images(collection, tmp_path):
    path = tmp_path / "images.zip"
    path.write_bytes(zipped(**{"d1/owl.png": PNG}))
    call_command("import_collection", "Birds", "--owner", "rita", "--images", str(path))
    assert collection.images.get().folder == "d1"


def test_the_sweep_knows_images(collection, add):
    add(zipped(**{"a.png": PNG}))
    assert sweep(anyway=True) == ""
    assert len(stored()) == 1
