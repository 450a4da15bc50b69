"""What is acknowledged outlives a power cut: stored files are on the disk before the rows that name them."""

import os
import sys

import polars as pl
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from judging.collections import orphans, upload_chunks
from judging.collections.attachments import attach
from judging.collections.imports import import_images
from judging.collections.storage import SHOWN, files_of, store_run
from judging.collections.uploads import receive_whole
from tests.images import PNG

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(sys.platform != "linux", reason="reads the paths of open files from /proc"),
]


@pytest.fixture
def flushed(monkeypatch):
    """The size that each file and folder had when it was last written to the disk, by its path."""
    sizes = {}

    def fsync(descriptor):
        sizes[os.readlink(f"/proc/self/fd/{descriptor}")] = os.fstat(descriptor).st_size

    monkeypatch.setattr(os, "fsync", fsync)
    return sizes


def is_on_disk(name, flushed):
    path = os.path.realpath(default_storage.path(name))
    return flushed.get(path) == os.path.getsize(path) > 0 and os.path.dirname(path) in flushed


def test_a_run_and_what_its_site_shows(collection, researcher, flushed):
    ranking = pl.DataFrame([("1", "d1", 2.0)], schema=["topic", "docno", "score"], orient="row")
    shown = pl.DataFrame([("1", "d1", "Owls", "", "voles")], schema=["topic", "docno", *SHOWN], orient="row")
    run = store_run(ranking, collection=collection, name="shown", by=researcher, shown=shown)
    assert [is_on_disk(name, flushed) for name in files_of(run)] == [True, True]


def test_an_attachment(collection, researcher, flushed):
    topic = collection.topics.get(number="1")
    attachment = attach(topic, filename="owl.png", content=PNG, by=researcher)
    assert is_on_disk(attachment.file.name, flushed)


def test_images(collection, researcher, flushed, tmp_path):
    (tmp_path / "owl.png").write_bytes(PNG)
    import_images(collection, tmp_path / "owl.png", by=researcher, filename="owl.png")
    assert is_on_disk(collection.images.get().file.name, flushed)


def test_a_piece_of_an_upload(collection, researcher, flushed):
    file = ContentFile(b"1 Q0 d1 1 9 bm25\n", name="bm25.txt")
    upload = receive_whole(file, collection=collection, kind="run", by=researcher)
    (piece,) = upload_chunks.pieces(upload.pk)
    assert is_on_disk(f"{upload_chunks.folder(upload.pk)}/{piece}", flushed)


def test_a_file_that_comes_back_from_the_trash(db, flushed):
    name = default_storage.save("trash/runs/1/run.parquet", ContentFile(b"PAR1"))
    orphans.move(name, "runs/1/run.parquet")
    assert is_on_disk("runs/1/run.parquet", flushed)
