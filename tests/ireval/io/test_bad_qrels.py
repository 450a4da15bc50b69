"""Qrels that trec_eval would silently misread are refused, line by line."""

import polars as pl
import pytest

from ireval.io import files
from ireval.io.files import BadFile
from ireval.io.qrels import read_qrels


def refusal(path) -> list[str]:
    with pytest.raises(BadFile) as caught:
        read_qrels(path)
    return str(caught.value).split("\n")


@pytest.mark.parametrize(
    ("text", "complaints"),
    [
        ("1 0 d1 1\n1 0 d2\n", ["line 2: expected 4 columns (topic iteration docno grade), found 3"]),
        ("1 0 d1 1 x\n", ["line 1: expected 4 columns (topic iteration docno grade), found 5"]),
        ("1,0,d1,1\n", ["line 1: expected 4 columns (topic iteration docno grade), found 1"]),
        ("1 0 " + "d," * 99_999 + "\n", ["line 1: expected 4 columns (topic iteration docno grade), found 3"]),
        ("1 0 d1 0.9\n", ['line 1: column 4 (grade) is "0.9"; expected a whole number']),
        ("1 0 d1 1\n1 0 d2 high\n", ['line 2: column 4 (grade) is "high"; expected a whole number']),
        ("1 0 d1 99999999999\n", ["line 1: column 4 (grade) is 99999999999, which is too large"]),
        ("1 0 d1 " + "9" * 9999 + "\n", ["line 1: column 4 (grade) is 99999999999999999999, which is too large"]),
        ("1 0 d1 1\n1 0 d1 1\n", ["line 2: document d1 of topic 1 again; it is on line 1 already"]),
        ("topic,docno,grade\n1,d1\n", ["line 2: expected 3 columns (topic, docno, grade), found 2"]),
        ("topic,docno,grade\n1,d1,1.5\n2,,1\n", ['line 2: grade is "1.5"; expected a whole number', "line 3: has no docno"]),
        ("topic,docno,grade\n1,d1,1\n1,d1,0\n", ["line 3: document d1 of topic 1 again; it is on line 2 already"]),
        ("topic,docno\n1,d1\n", ["line 1: has columns topic, docno; expected also grade (or relevance, rel, label, …)"]),
        ('{"topic": "1", "docno": "d", "grade": 1.5}\n', ['line 1: grade is "1.5"; expected a whole number']),
        ('{"topic": "1", "docno": "d", "grade": true}\n', ['line 1: grade is "true"; expected a whole number']),
        ('{"topic": "1", "docno": "d", "grade": null}\n', ['line 1: grade is "null"; expected a whole number']),
        (r'{"topic": "1", "docno": "d", "grade": "\ud800"}', [r'line 1: grade is ""\ud800""; expected a whole number']),
        (
            '{"topic": "1", "docno": true, "grade": 1}',
            ["line 1: column docno is True, of type bool; expected text or whole numbers: convert the column"],
        ),
        (
            r'{"topic": "1", "docno": "d\ud800", "grade": 1}',
            [r"line 1: column docno is 'd\ud800'; expected an id without zero bytes and halves of characters: replace these"],
        ),
        (
            r'{"topic": "1\u0000", "docno": "d", "grade": 1}',
            [r"line 1: column topic is '1\x00'; expected an id without zero bytes and halves of characters: replace these"],
        ),
        ('{"topic": 1, "docno": 2}\n', ["line 1: has columns topic, docno; expected also grade (or relevance, rel, label, …)"]),
    ],
)  # fmt: skip
def test_a_line_that_does_not_fit_is_named(tmp_path, text, complaints):
    path = tmp_path / "qrels.txt"
    path.write_text(text, encoding="utf-8")
    assert refusal(path) == [f"qrels.txt, {complaint}" for complaint in complaints]


@pytest.mark.parametrize("text", ['{"topic": "1",\n', "{}\n[1]\n", '{"topic": {"a": 1}, "docno": [1], "grade": 1}\n'])
def test_json_of_another_shape(tmp_path, text):
    path = tmp_path / "qrels.jsonl"
    path.write_text(text, encoding="utf-8")
    assert refusal(path)[0].startswith("qrels.jsonl, line 1: ")


def test_json_nested_deeper_than_anybody_means(tmp_path):
    path = tmp_path / "qrels.jsonl"
    path.write_text('{"topic": ' + "[" * 200_000, encoding="utf-8")
    assert refusal(path)[0].startswith("qrels.jsonl, line 1: is not JSON")


def test_a_quotation_mark_that_never_closes(tmp_path):
    path = tmp_path / "qrels.csv"
    path.write_text('topic,docno,grade\n1,"d,1\n' + "2,d,1\n" * 50_000, encoding="utf-8")
    assert refusal(path)[0].startswith("qrels.csv, line 2: is not CSV")


def test_a_line_without_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LONGEST_LINE", 1000)
    path = tmp_path / "qrels"
    path.write_text("x" * 5000, encoding="utf-8")
    assert refusal(path) == ["qrels, line 1: is longer than 1,000 bytes; expected text in lines"]


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_file(tmp_path, text):
    path = tmp_path / "qrels.txt"
    path.write_text(text, encoding="utf-8")
    assert refusal(path) == ["qrels.txt: is empty; expected lines of 4 columns (topic iteration docno grade)"]


def test_only_a_header(tmp_path):
    path = tmp_path / "qrels.tsv"
    path.write_text("query-id\tcorpus-id\tscore\n", encoding="utf-8")
    assert refusal(path) == ["qrels.tsv: holds no judgements, only a header"]


def test_a_binary_file_and_latin_1(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    assert len(refusal(path)) == 1
    path.write_bytes("1 0 café 1\n".encode("latin-1"))
    assert refusal(path) == ["qrels.txt, line 1: byte 0xe9 in column 8 is not UTF-8; save the file as UTF-8"]


@pytest.mark.parametrize(
    ("grades", "complaint"),
    [
        ([1.5, 1.0], "is 1.5; expected a whole number: round it, or count in smaller steps"),
        ([float("nan"), 1.0], "is NaN; expected a whole number: fill it in, or leave the row out"),
        ([2**40, 1], "is 1099511627776, which is too large: grades have 32 bits"),
        (["1", "2"], "is '1', of type str; expected a whole number: convert the column"),
        ([None, 1], "is empty; expected a whole number: fill it in, or leave the row out"),
    ],
)
def test_parquet_that_holds_no_grades(tmp_path, grades, complaint):
    pl.DataFrame({"topic": ["1", "2"], "docno": ["d", "d"], "score": grades}).write_parquet(tmp_path / "qrels")
    assert refusal(tmp_path / "qrels") == [f"qrels: row 1: column score {complaint}"]
