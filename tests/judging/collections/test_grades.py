"""Grades are rows, and come back as the frame that was stored; the file of them may be lost, cut short or somebody else's."""

import polars as pl
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from ireval.io.qrels import QRELS_SCHEMA
from judging.collections import deletion, grades, qrels_cache
from judging.collections.downloads import QRELS_FORMATS, qrels_file
from judging.collections.storage import MissingGrades, has_grades, qrels_frame, qrels_table, store_qrels
from judging.models import Collection, Grade, Qrels, User

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("db")]  # by that name a test has files of its own
IDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8)
LONG_IDS = st.text("äθ�🦉a,\"'\\\n\r\t ", min_size=1, max_size=200)
NUMBERS = st.none() | st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0)
GRADE = st.integers(-(2**31), 2**31 - 1)
SURE = ("confidence", "p0", "p1", "p-1", "estimate", "low", "high", "support")


@st.composite
def frames(draw) -> pl.DataFrame:
    names = ["topic", "docno", *draw(st.sampled_from([[], ["subtopic"]]))]
    ids = draw(st.lists(st.tuples(*[IDS | LONG_IDS] * len(names)), min_size=1, max_size=8, unique=True))
    frame = pl.DataFrame(ids, dict.fromkeys(names, pl.String), orient="row")
    given_grades = draw(st.lists(GRADE, min_size=len(ids), max_size=len(ids)))
    frame = frame.with_columns(grade=pl.Series(given_grades, dtype=pl.Int32))
    for name in draw(st.lists(st.sampled_from(SURE), unique=True)):
        numbers = draw(st.lists(NUMBERS, min_size=len(ids), max_size=len(ids)))
        frame = frame.with_columns(pl.Series(name, numbers, dtype=pl.Float64))
    return frame


def kept(frame: pl.DataFrame) -> Qrels:
    rita, _ = User.objects.get_or_create(username="rita", is_researcher=True)
    collection, _ = Collection.objects.get_or_create(name="Birds", owner=rita)
    return store_qrels(frame, collection=collection, name="gold", by=rita)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frames())
def test_what_goes_into_rows_comes_out_to_the_byte(frame):
    with transaction.atomic():
        qrels = kept(frame)
        first = [name for name in ("topic", "docno", "grade", "subtopic") if name in frame.columns]
        ids = [name for name in ("topic", "subtopic", "docno") if name in frame.columns]
        expected = frame.select(*first, pl.exclude(first)).sort(ids)
        rows = grades.read(qrels)
        assert_frame_equal(rows, expected, check_exact=True)
        assert qrels_cache.hash_of(qrels_cache.content_of(rows)) == qrels.sha256
        for topic in frame["topic"].unique():
            assert_frame_equal(grades.read(qrels, topic), expected.filter(topic=topic), check_exact=True)
        transaction.set_rollback(True)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_number_is_unknown(number):
    frame = pl.DataFrame({"topic": ["1"], "docno": ["d1"], "grade": [1], "confidence": [number], "p0": [number], "p1": [-0.0]})
    qrels = kept(frame)
    assert str(grades.read(qrels).rows()) == "[('1', 'd1', 1, None, None, 0.0)]"
    assert str(qrels_table(qrels).rows()) == "[('1', 'd1', 1, None, None, 0.0)]"


FRAME = pl.DataFrame(
    [("1", "d1", 2, 3, 0.9, 0.1), ("1", "d2", 0, 1, 0.5, 0.5), ("2", "d1", -1, 2, 1.0, 0.0)],
    schema=QRELS_SCHEMA | {"votes": pl.Int32, "confidence": pl.Float64, "p0": pl.Float64},
    orient="row",
)


@pytest.fixture
def qrels(django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        return kept(FRAME)


def test_a_row_says_what_is_known_of_a_grade(qrels):
    row = Grade.objects.get(pk=(qrels.pk, "1", "", "d1"))
    assert (row.grade, row.votes, row.confidence, row.uncertainty) == (2, 3, 0.9, {"p0": 0.1})
    assert str(row) == "1 d1: 2"


def test_a_document_has_one_grade_a_topic_and_subtopic(qrels):
    with pytest.raises(IntegrityError), transaction.atomic():
        grades.insert(grades.ordered_grades(FRAME.head(1)), qrels.pk)
    grades.insert(grades.ordered_grades(FRAME.head(1).with_columns(subtopic=pl.lit("1"))), qrels.pk)


def test_whole_qrels_are_read_from_the_file_and_one_topic_from_rows(qrels, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert qrels_table(qrels).equals(FRAME)
    with CaptureQueriesContext(connection) as queries:
        assert qrels_frame(qrels, topic="1").rows() == [("1", "d1", 2), ("1", "d2", 0)]
    assert len(queries) == 1
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {queries[0]['sql']}")
            assert "(qrels_id=? AND topic=?)" in cursor.fetchone()[3]


def replace(name: str, content: bytes) -> None:
    default_storage.delete(name)
    default_storage.save(name, ContentFile(content))


@pytest.mark.parametrize("share", [None, 0, 0.5, 0.99])
def test_a_file_that_is_lost_or_cut_short_is_made_anew(qrels, share, caplog):
    name = qrels_cache.name_of(qrels)
    whole, exports = default_storage.open(name).read(), {form: qrels_file(qrels, form) for form in QRELS_FORMATS}
    default_storage.delete(name)
    if share is not None:
        replace(name, whole[: int(len(whole) * share)])
    with caplog.at_level("INFO"):
        assert qrels_table(qrels).equals(FRAME)
    assert "is made anew from its 3 rows" in caplog.text
    assert default_storage.open(name).read() == whole
    assert {form: qrels_file(qrels, form) for form in QRELS_FORMATS} == exports


def test_somebody_elses_grades_are_not_believed(qrels):
    replace(qrels_cache.name_of(qrels), qrels_cache.content_of(FRAME.with_columns(grade=pl.lit(9, pl.Int32))))
    assert qrels_frame(qrels).equals(FRAME.select("topic", "docno", "grade"))


def test_another_version_of_the_library_may_write_other_bytes(qrels, monkeypatch):
    """The pages' hash stays; the file made anew has a name of its own, and is found by every process."""
    default_storage.delete(qrels_cache.name_of(qrels))
    content = qrels_cache.content_of(FRAME.head(3).with_columns(pl.lit(0.0).alias("low"))).ljust(1)
    with monkeypatch.context() as patch:
        patch.setattr(qrels_cache, "content_of", lambda frame: content)
        qrels_table(qrels)
    again = Qrels.objects.get()
    assert (again.sha256, again.cache) == (qrels.sha256, qrels_cache.hash_of(content))
    assert qrels_cache.read(again) == content


def test_a_storage_that_takes_nothing_is_done_without(qrels, monkeypatch, caplog):
    default_storage.delete(qrels_cache.name_of(qrels))
    monkeypatch.setattr(default_storage, "save", lambda name, content: (_ for _ in ()).throw(PermissionError("read-only")))
    assert qrels_table(qrels).equals(FRAME)
    assert "cannot be kept: read-only" in caplog.text


def test_a_storage_that_does_not_answer_is_done_without(qrels, monkeypatch):
    monkeypatch.setattr(default_storage, "open", lambda name: (_ for _ in ()).throw(RuntimeError("no connection")))
    assert qrels_table(qrels).equals(FRAME)


def test_a_storage_without_folders_and_renaming(settings):
    settings.STORAGES = {**settings.STORAGES, "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"}}
    qrels = kept(FRAME)
    qrels_table(qrels)
    assert qrels_cache.hash_of(qrels_cache.read(qrels)) == qrels.sha256
    replace(qrels_cache.name_of(qrels), b"PAR1")
    qrels_table(qrels)
    assert default_storage.listdir(f"qrels/{qrels.cache[:2]}")[1] == [f"{qrels.cache}.parquet"]


def test_nothing_is_left_of_grades_that_are_refused(collection, researcher, django_capture_on_commit_callbacks):
    twice = pl.concat([FRAME, FRAME])
    with django_capture_on_commit_callbacks(execute=True), pytest.raises(IntegrityError), transaction.atomic():
        store_qrels(twice, collection=collection, name="gold", by=researcher)
    assert not Qrels.objects.exists()
    assert not Grade.objects.exists()
    assert default_storage.listdir("")[0] == []


def test_deleting_takes_the_rows_by_few_statements(qrels, django_capture_on_commit_callbacks):
    with CaptureQueriesContext(connection) as queries, django_capture_on_commit_callbacks(execute=True):
        deletion.delete_qrels(qrels)
    of_grades = [query["sql"] for query in queries if "judging_grade" in query["sql"]]
    assert len(of_grades) == 1
    assert of_grades[0].startswith("DELETE")
    assert not Grade.objects.exists()
    assert not default_storage.exists(qrels_cache.name_of(qrels))


def test_of_two_with_the_same_grades_the_other_stays_readable(qrels, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        twin = kept(FRAME)
        deletion.delete_qrels(qrels)
    assert twin.cache == qrels.cache
    assert qrels_table(twin).equals(FRAME)


def test_a_collection_goes_with_the_grades_of_its_qrels(qrels):
    deletion.delete_collection(qrels.collection, by=qrels.created_by)
    assert not Grade.objects.exists()


def test_rows_that_somebody_has_deleted_are_missed(qrels):
    default_storage.delete(qrels_cache.name_of(qrels))
    Grade.objects.filter(docno="d1").delete()
    with pytest.raises(MissingGrades, match="rows were deleted"):
        qrels_table(qrels)
    assert not has_grades(qrels, FRAME)
