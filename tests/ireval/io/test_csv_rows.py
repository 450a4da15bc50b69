"""CSV: whoever reads it gets the rows that went in, and no spreadsheet finds a formula in them."""

import csv
import io
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval.io.csv_rows import csv_of, csv_of_frame, guarded, unguarded, unguarded_column
from ireval.labels import read_labels
from ireval.preferences import read_votes

SIGNS = "=+-@|%＝＋－＠｜％"
NASTY = st.text(alphabet=st.sampled_from([*SIGNS, *"\t\r\n \"',;'1a\x0b\x85\xa0\u2028\ufeff\u200b"]), max_size=8)
STORABLE = st.one_of(NASTY, st.text()).filter(lambda text: "\0" not in text and not re.search("[\ud800-\udfff]", text))
ROWS = st.lists(st.tuples(STORABLE, STORABLE, st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)), max_size=5)
HEAD = ["note", "name", "number"]


def by_python(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def by_polars(text):
    frame = pl.read_csv(text.encode(), infer_schema=False).fill_null("")
    return [frame.columns, *map(list, frame.rows())]


def writers(rows):
    frame = pl.DataFrame({"note": [row[0] for row in rows], "name": [row[1] for row in rows]}, schema={"note": str, "name": str})
    return csv_of(HEAD, *rows), csv_of_frame(frame)


@given(ROWS)
def test_every_reader_gets_the_rows_that_went_in(rows):
    for text in writers(rows):
        for read in (by_python, by_polars):
            head, *table = read(text)
            width = len(head)
            assert [row[:2] for row in table] == [[guarded(note), guarded(name)] for note, name, _ in rows]
            assert {len(row) for row in table} <= {width}
    assert [float(row[2]) for row in by_python(writers(rows)[0])[1:]] == [float(number) for *_, number in rows]


@given(STORABLE)
def test_no_spreadsheet_takes_text_for_a_formula(text):
    written = guarded(text)
    assert written.strip()[:1] not in {*SIGNS} - {"-"}
    assert not written.strip().startswith("-") or re.fullmatch(r"-[0-9.,]+([eE][+-]?[0-9]+)?", written)
    assert written[:1] not in {"\t", "\r", "\n"}
    assert unguarded(written) == text


@given(st.lists(STORABLE, min_size=1, max_size=5))
def test_frames_are_guarded_like_rows(texts):
    frame = pl.DataFrame({"note": texts, "n": range(len(texts))})
    assert by_python(csv_of_frame(frame)) == by_python(csv_of(["note", "n"], *frame.iter_rows()))


@pytest.mark.parametrize("text", ["=1", "\t=1", "\r=1", " =1", "\n+1", '"=1', "'@x", "＝1", "\ufeff=1", "\tx", "%0", "-x", "|x"])
def test_signs_are_guarded_wherever_a_spreadsheet_would_find_them(text):
    assert guarded(text) == f"'{text}"


def test_numbers_stay_numbers():
    assert csv_of([-0.5, -1, "-0.5", "-1e-05", None, 1e22]) == "-0.5,-1,-0.5,-1e-05,,1e+22\n"
    assert csv_of_frame(pl.DataFrame({"a": [-0.5], "b": [-1], "c": ["-0.5"]})) == "a,b,c\n-0.5,-1,-0.5\n"


def test_ids_can_be_kept_to_the_letter():
    frame = pl.DataFrame({"docno": ["=d1", "-"], "note": ["=x", "y"]})
    assert csv_of_frame(frame, to_the_letter=["docno"]) == "docno,note\n=d1,'=x\n-,y\n"


@given(st.lists(STORABLE, min_size=1, max_size=5))
def test_a_frame_gives_back_what_was_guarded(texts):
    frame = pl.DataFrame({"note": [guarded(text) for text in texts]})
    assert frame.select(unguarded_column(pl.col("note")))["note"].to_list() == texts


def test_labels_and_votes_come_back_under_their_own_ids(tmp_path):
    labels, votes = tmp_path / "labels.csv", tmp_path / "votes.csv"
    labels.write_text(csv_of(["topic", "docno", "worker", "grade"], ["=1", "@d1", "+w", 1], ["2", "d2", "w", 0]))
    votes.write_text(csv_of(["item", "left", "right", "winner", "worker"], ["=i", "=a", "b", "left", "w"]))
    assert labels.read_text().count("'") == 3
    assert set(read_labels(labels).items) == {"=1 @d1", "2 d2"}
    assert set(read_votes(votes).systems) == {"=a", "b"}
