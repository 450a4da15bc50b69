"""Qrels from before grades were rows: an upgrade reads their files, names those that it cannot read, and fails for none."""

import io
from importlib import import_module

import polars as pl
import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from ireval.io.written_qrels import write_qrels
from judging.collections import orphans, qrels_cache
from judging.collections.downloads import QRELS_FORMATS, qrels_file
from judging.collections.storage import MissingGrades, qrels_frame, qrels_table
from judging.models import Grade, Qrels
from tests.migrating import migrate_back, migrate_on

pytestmark = pytest.mark.django_db(transaction=True)

FRAME = pl.DataFrame(
    [("1", "d1", 2, "a", 0.9, 0.1), ("1", "d1", 0, "b", 0.5, None), ("2", "d 3", -1, "a", None, 0.25)],
    schema={
        "topic": pl.String,
        "docno": pl.String,
        "grade": pl.Int32,
        "subtopic": pl.String,
        "confidence": pl.Float64,
        "p0": pl.Float64,
    },
    orient="row",
)


@pytest.fixture
def old(collection, researcher):
    """Make qrels as they were stored before."""

    def make(name: str, frame: pl.DataFrame = FRAME) -> Qrels:
        content = io.BytesIO()
        write_qrels(frame, content, "parquet")
        file = default_storage.save(f"qrels/{collection.pk}/{name}.parquet", ContentFile(content.getvalue()))
        return Qrels.objects.create(
            collection=collection,
            name=name,
            file=file,
            sha256=qrels_cache.hash_of(content.getvalue()),
            rows=frame.height,
            topic_count=2,
            grade_counts={},
            created_by=researcher,
        )

    return make


@pytest.fixture
def earlier():
    """A database of before, which is brought up to date by what this gives; whatever happens, it is so afterwards."""
    migrate_back(("judging", "0009_grades"))
    yield migrate_on
    migrate_on()


def upgrade() -> None:
    """What the migration does to rows. It changes no table, so that today's are those that it finds."""
    import_module("judging.migrations.0010_qrels_are_rows").read_files(apps, None)


@pytest.mark.slow
@pytest.mark.soak
def test_an_upgrade_reads_files_into_rows(old, earlier, capsys):
    qrels = old("gold")
    name, content = qrels.file.name, qrels.file.read()
    earlier()
    qrels.refresh_from_db()
    assert not default_storage.exists(name)
    assert qrels_table(qrels).equals(FRAME)
    assert qrels_file(qrels, "parquet") == content
    assert Grade.objects.filter(qrels=qrels).count() == 3
    assert default_storage.open(f"{orphans.TRASH}/{name}").read() == content  # for whoever goes back to a copy of the database
    assert capsys.readouterr().out == ""


def test_a_file_that_is_missing_or_damaged_is_named_and_the_others_are_read(old, capsys):
    missing, damaged, _ = old("missing"), old("damaged"), old("whole")
    content = missing.file.read()
    default_storage.delete(missing.file.name)
    default_storage.delete(damaged.file.name)
    default_storage.save(damaged.file.name, ContentFile(content[:-4]))
    upgrade()
    output = capsys.readouterr().out
    assert f"qrels “missing” v1 of collection {missing.collection_id}, {missing.file.name}" in output
    assert "qrels “damaged”" in output
    assert "hash" in output
    assert qrels_table(Qrels.objects.get(name="whole")).equals(FRAME)
    for qrels in (missing, damaged):
        qrels.refresh_from_db()
        with pytest.raises(MissingGrades, match=r"run manage\.py read_qrels"):
            qrels_frame(qrels)
        with pytest.raises(MissingGrades, match=r"run manage\.py read_qrels"):
            qrels_frame(qrels, topic="1")
    assert default_storage.exists(damaged.file.name)


def test_a_file_that_is_put_back_is_read_by_a_command(old, capsys):
    qrels = old("gold")
    name, content = qrels.file.name, qrels.file.read()
    default_storage.delete(name)
    upgrade()
    call_command("read_qrels")
    output = capsys.readouterr()
    assert "1 without grades" in output.out
    assert name in output.err
    default_storage.save(name, ContentFile(content))
    call_command("read_qrels")
    assert "All qrels are in the database" in capsys.readouterr().out
    assert qrels_file(Qrels.objects.get(), "parquet") == content


def test_ids_that_no_row_can_hold_stay_in_their_file(old, capsys, settings):
    odd = FRAME.with_columns(docno=pl.lit("d\0"))
    qrels = old("odd", odd)
    upgrade()
    qrels.refresh_from_db()
    if settings.DATABASE_URL:
        assert "qrels “odd”" in capsys.readouterr().out
        assert default_storage.exists(qrels.file.name)
    else:
        assert qrels_table(qrels).equals(odd)


def test_the_page_of_qrels_without_grades_is_there_and_their_files_say_what_to_do(old, client, researcher):
    qrels = old("gold")
    client.force_login(researcher)
    assert client.get(f"/collections/qrels/{qrels.pk}/").status_code == 200
    for form in QRELS_FORMATS:
        answer = client.get(f"/collections/qrels/{qrels.pk}/grades.{form}")
        assert answer.status_code == 409
        assert "manage.py read_qrels" in answer.content.decode()
        assert client.get(f"/api/v1/qrels/{qrels.pk}/download/?format={form}").status_code == 409


def test_the_same_grades_can_be_imported_again(old, client, researcher):
    """Which is one of the two ways out."""
    qrels = old("gold", FRAME.select("topic", "docno", "grade").head(1))
    client.force_login(researcher)
    file = SimpleUploadedFile("again.txt", b"1 0 d1 2\n")
    answer = client.post("/api/v1/qrels/", {"collection": qrels.collection_id, "file": file, "name": "gold"})
    assert answer.status_code == 201, answer.content
    assert qrels_frame(Qrels.objects.get(version=2)).rows() == [("1", "d1", 2)]
