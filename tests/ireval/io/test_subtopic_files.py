"""Qrels that judge a document for each subtopic: told from ordinary ones, which stay as they are."""

import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval.io import columns
from ireval.io.files import BadFile
from ireval.io.qrels import QRELS_SCHEMA, SUBTOPIC_SCHEMA, highest_grades, read_qrels
from ireval.io.written_qrels import FORMATS, write_qrels
from tests.ireval.builders import write

ROWS = [("1", "d1", 1, "1"), ("1", "d1", 0, "b"), ("1", "d2", 2, "b"), ("2", "d1", 1, "1")]
TEXTS = {
    "TREC": "1 1 d1 1\n1 b d1 0\n1 b d2 2\n2 1 d1 1\n",
    "TREC with tabs and comments": "# prels\n1\t1\td1\t1\n1\tb\td1\t0\n1 b d2 2\r\n2 1  d1 1\n",
    "CSV": "topic,docno,grade,subtopic\n1,d1,1,1\n1,d1,0,b\n1,d2,2,b\n2,d1,1,1\n",
    "TSV without an order": "subtopic_id\tqid\trel\tdocid\n1\t1\t1\td1\nb\t1\t0\td1\nb\t1\t2\td2\n1\t2\t1\td1\n",
    "JSON Lines": '{"topic": 1, "subtopic": 1, "docno": "d1", "grade": 1}\n'
    '{"topic": 1, "subtopic": "b", "docno": "d1", "grade": 0}\n'
    '{"topic": 1, "subtopic": "b", "docno": "d2", "grade": 2}\n{"topic": 2, "subtopic": 1, "docno": "d1", "grade": 1}\n',
}


@pytest.mark.parametrize("kind", TEXTS)
def test_a_document_with_several_lines_in_a_topic_has_subtopics(tmp_path, kind):
    frame = read_qrels(write(tmp_path / "qrels", TEXTS[kind].rstrip("\n")))
    assert frame.schema == pl.Schema(SUBTOPIC_SCHEMA)
    assert frame.rows() == ROWS


def test_so_it_has_when_its_lines_are_far_apart(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "BLOCK_BYTES", 100)
    others = [f"1 0 e{number} 0" for number in range(100)]
    frame = read_qrels(write(tmp_path / "qrels", "1 1 d1 1", *others, "1 2 d1 2"))
    assert frame.filter(docno="d1").rows() == [("1", "d1", 1, "1"), ("1", "d1", 2, "2")]


def test_the_second_column_of_ordinary_qrels_says_nothing(tmp_path, shared_data):
    rounds = shared_data / "trec_covid_r1/qrels-rnd1.txt"
    assert read_qrels(rounds).schema == pl.Schema(QRELS_SCHEMA)
    assert read_qrels(rounds, subtopics=True)["subtopic"].unique().sort().to_list() == ["0.5", "1"]


def test_subtopics_can_be_asked_for_where_no_document_has_two(tmp_path):
    path = write(tmp_path / "qrels", "1 1 d1 1", "1 2 d2 1")
    assert read_qrels(path).columns == list(QRELS_SCHEMA)
    assert read_qrels(path, subtopics=True).rows() == [("1", "d1", 1, "1"), ("1", "d2", 1, "2")]


def test_parquet(tmp_path):
    pl.DataFrame({"q_id": ["1", "1"], "subtopic": [1, 2], "doc_id": ["d1", "d1"], "score": [1, 0]}).write_parquet(tmp_path / "q")
    assert read_qrels(tmp_path / "q").rows() == [("1", "d1", 1, "1"), ("1", "d1", 0, "2")]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1 1 d1 1\n1 2 d1 1\n1 1 d1 0", "line 3: document d1 of topic 1 again; it is on line 1 already"),
        ("1 1 d1 1\n1 2 d1 one", 'line 2: column 4 (grade) is "one"; expected a whole number'),
        ("topic,docno,grade,subtopic\n1,d,1,1\n1,d,1,2\n1,d,0,1", "line 4: document d of topic 1 again; it is on line 2 already"),
        ("topic,docno,grade,subtopic\n1,d,1,1\n1,d,1,", "line 3: has no subtopic, as other rows have"),
        (
            '{"topic": 1, "docno": 2, "grade": 1, "subtopic": null}',
            "line 1: column subtopic is empty; expected an id: fill it in, or leave the row out",
        ),
    ],
)
def test_a_document_twice_in_a_subtopic_is_refused_and_nothing_else(tmp_path, text, complaint):
    with pytest.raises(BadFile) as caught:
        read_qrels(write(tmp_path / "qrels", text))
    assert str(caught.value) == f"qrels, {complaint}"


def test_parquet_with_a_document_twice_in_a_subtopic_is_refused(tmp_path):
    twice = {"topic": ["1"] * 3, "subtopic": ["1", "1", "2"], "docno": ["d", "d", "d"], "grade": [1, 1, 1]}
    pl.DataFrame(twice).write_parquet(tmp_path / "qrels")
    with pytest.raises(
        BadFile, match=r"^qrels: row 2: columns topic, subtopic and docno have document d of topic 1 again; row 1"
    ):
        read_qrels(tmp_path / "qrels")


IDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1).filter(lambda text: text[0] != "#")


@pytest.mark.parametrize("kind", FORMATS)
@given(grades=st.dictionaries(st.tuples(IDS, IDS, IDS), st.integers(-5, 5), min_size=1, max_size=5))
def test_what_is_written_is_read_back(tmp_path_factory, kind, grades):
    rows = [(topic, docno, grade, subtopic) for (topic, docno, subtopic), grade in grades.items()]
    frame = pl.DataFrame(rows, schema=SUBTOPIC_SCHEMA, orient="row")
    path = tmp_path_factory.mktemp("qrels") / "file"
    with path.open("wb") as file:
        write_qrels(frame, file, kind)
    assert read_qrels(path, subtopics=True).equals(frame)


def test_a_subtopic_with_a_blank_in_it_cannot_be_written_in_trecs_format():
    frame = pl.DataFrame([("1", "d", 1, "a b")], schema=SUBTOPIC_SCHEMA, orient="row")
    with pytest.raises(ValueError, match="subtopic 'a b' cannot be written"):
        write_qrels(frame, io.BytesIO(), "trec")


def test_the_grade_of_a_document_is_its_highest():
    frame = pl.DataFrame(ROWS, schema=SUBTOPIC_SCHEMA, orient="row")
    assert highest_grades(frame).rows() == [("1", "d1", 1), ("1", "d2", 2), ("2", "d1", 1)]
    ordinary = highest_grades(frame)
    assert highest_grades(ordinary) is ordinary
