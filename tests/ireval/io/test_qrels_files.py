"""Qrels in every usual format give the same grades, and what is written is read back."""

import gzip
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval.io.qrels import QRELS_SCHEMA, read_qrels
from ireval.io.written_qrels import FORMATS, write_qrels
from tests.ireval.builders import QRELS

ROWS = [("1", "d1", 2), ("1", "d2", -1), ("q2", "d1", 0)]
TEXTS = {
    "TREC": "1 0 d1 2\n1 0 d2 -1\nq2 Q0 d1 0\n",
    "TREC with tabs, blanks and CRLF": "1\t0\td1\t2\r\n 1  0 d2 -1 \r\nq2 0 d1 +0\r\n",
    "TREC with comments": "# judged by nobody\n1 0 d1 2\n\n1 0 d2 -1\nq2 0 d1 0\n#end\n",
    "BEIR": "query-id\tcorpus-id\tscore\n1\td1\t2\n1\td2\t-1\nq2\td1\t0\n",
    "CSV": "topic,docno,grade\n1,d1,2\n1,d2,-1\nq2,d1,0\n",
    "CSV with other columns, quotes and a BOM": '\ufeffnote;"Grade";docno;topic\n;2;"d1";1\n"a; b";-1;d2;1\nx;0;d1;q2\n',
    "TSV without an order": "rel\tqid\tdocid\n2\t1\td1\n-1\t1\td2\n0\tq2\td1\n",
    "JSON Lines": '{"topic": "1", "docno": "d1", "grade": 2}\n{"topic": 1, "docno": "d2", "grade": -1}\n\n'
    '{"grade": "0", "docno": "d1", "topic": "q2", "by": "x"}\n',
}


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_format_is_told_from_the_content(tmp_path, kind, pack):
    path = tmp_path / "qrels"
    path.write_bytes(pack(TEXTS[kind].encode()))
    frame = read_qrels(path)
    assert frame.schema == pl.Schema(QRELS_SCHEMA)
    assert frame.rows() == ROWS


@pytest.mark.parametrize("grades", [[2, -1, 0], [2.0, -1.0, 0.0]])
def test_parquet(tmp_path, grades):
    pl.DataFrame({"q_id": ["1", "1", "q2"], "doc_id": ["d1", "d2", "d1"], "score": grades}).write_parquet(tmp_path / "q")
    assert read_qrels(tmp_path / "q").rows() == ROWS


def test_topics_may_be_called_what_columns_are(tmp_path):
    path = tmp_path / "qrels"
    path.write_text("query\t0\tdocno\t1\n{ 0 d 2\n", encoding="utf-8")
    assert read_qrels(path).rows() == [("query", "docno", 1), ("{", "d", 2)]


IDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1).filter(lambda text: text[0] != "#")


@pytest.mark.parametrize("kind", FORMATS)
@given(
    grades=st.dictionaries(st.tuples(IDS, IDS), st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=5),
)
def test_what_is_written_is_read_back(tmp_path_factory, kind, grades):
    frame = pl.DataFrame([(*pair, grade) for pair, grade in grades.items()], schema=QRELS, orient="row")
    path = tmp_path_factory.mktemp("qrels") / "file"
    with path.open("wb") as file:
        write_qrels(frame, file, kind)
    assert read_qrels(path).equals(frame)


@pytest.mark.parametrize("docno", ["a b", "#a", "a\nb", ""])
def test_trec_cannot_carry_every_id(docno):
    with pytest.raises(ValueError, match="cannot be written in TREC's format"):
        write_qrels(pl.DataFrame({"topic": ["1"], "docno": [docno], "grade": [1]}, schema=QRELS), io.BytesIO(), "trec")


def test_an_unknown_format_is_refused():
    with pytest.raises(ValueError, match="choose one of trec, csv, jsonl, parquet"):
        write_qrels(pl.DataFrame(schema=QRELS), io.BytesIO(), "xlsx")


@pytest.mark.parametrize(
    ("file", "topics", "rows"),
    [
        ("qrels_misc/qrels.dl19-passage.txt", 43, 9260),
        ("qrels_misc/qrels.dl20-passage.txt", 54, 11386),
        ("qrels_misc/qrels.core17.txt", 50, 30030),
        ("trec_covid_r1/qrels-rnd1.txt", 30, 8691),
        ("trec_eval/test/qrels.test.with-comments", 3, 3681),
        ("ranx_tests/qrels.trec.gz", 2, 5),
        ("ranx_tests/qrels.parquet", 2, 5),
    ],
)
def test_real_qrels_have_as_many_rows_as_their_sources_say(shared_data, file, topics, rows):
    frame = read_qrels(shared_data / file)
    assert (frame["topic"].n_unique(), len(frame)) == (topics, rows)


def test_grades_of_the_web_track_go_from_minus_two_to_four(shared_data):
    assert set(read_qrels(shared_data / "qrels_misc/qrels.web.151-200.txt")["grade"]) == {-2, 0, 1, 2, 3, 4}
