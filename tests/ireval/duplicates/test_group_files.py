"""Files of documents and of groups: what is read, what is refused with its line, and the commands that write and use them."""

import json
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from ireval import BadFile, BadInput
from ireval.duplicates import as_groups, read_documents, read_groups, write_groups
from ireval.duplicates.document_files import as_documents
from tests.ireval.builders import write
from tests.ireval.cli.commands import complaint, printed

PEREGRINE = "The peregrine falcon is the fastest bird in level flight and in a dive"
DOCUMENTS = [
    json.dumps({"_id": "a", "title": "Falcons", "text": PEREGRINE}),
    json.dumps({"_id": "b", "title": "", "text": "An owl hoots"}),
    json.dumps({"_id": "c", "title": "FALCONS:", "text": PEREGRINE.upper()}),
]


def test_json_lines_and_tabs_hold_documents(tmp_path):
    expected = [("a", f"Falcons {PEREGRINE}"), ("b", "An owl hoots")]
    assert list(read_documents(write(tmp_path / "corpus.jsonl", *DOCUMENTS[:2]))) == expected
    assert list(read_documents(write(tmp_path / "corpus.tsv", *map("\t".join, expected)))) == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "is no JSON"),
        ('{"text": "owl"}', "has no docno"),
        ('{"_id": null, "text": "owl"}', "has no docno"),
        ('{"_id": "b", "text": ["owl"]}', "title or text that is no text"),
        ("no tab", "a docno, a tab and the text"),
    ],
)
def test_a_line_that_holds_no_document_is_named(tmp_path, line, message):
    with pytest.raises(BadFile, match=f"corpus, line 2: .*{message}"):
        list(read_documents(write(tmp_path / "corpus", DOCUMENTS[0], line)))


def test_a_file_without_documents_is_refused(tmp_path):
    with pytest.raises(BadFile, match="is empty"):
        list(read_documents(write(tmp_path / "corpus")))


@pytest.mark.parametrize("header", [["docno\tgroup"], []])
def test_groups_are_read_with_or_without_a_header(tmp_path, header):
    path = write(tmp_path / "groups.tsv", *header, "a\t1", "b\t1", "", "c\t2")
    assert read_groups(path).rows() == [("a", "1"), ("b", "1")]


def test_all_problems_of_a_file_of_groups_are_named(tmp_path):
    with pytest.raises(BadFile) as refused:
        read_groups(write(tmp_path / "groups.tsv", "a\t1", "b 1", "a\t2", "c\t"))
    assert str(refused.value).splitlines() == [
        "groups.tsv, line 2: expected a docno, a tab and the name of its group",
        "groups.tsv, line 3: document a is there twice, first in line 1",
        "groups.tsv, line 4: expected a docno, a tab and the name of its group",
    ]
    with pytest.raises(BadFile, match="holds no groups"):
        read_groups(write(tmp_path / "empty.tsv", "docno\tgroup"))


def test_frames_and_dictionaries_are_groups():
    rows = [("a", "1"), ("b", "1")]
    polars = pl.DataFrame({"docno": ["a", "b", "c"], "group": [1, 1, 2]})
    for source in (polars, polars.lazy(), pd.DataFrame(polars.to_dict(as_series=False)), {"a": "1", "b": "1", "c": "2"}):
        assert as_groups(source).rows() == rows
    assert as_groups(polars.rename({"docno": "doc_id"})).rows() == rows
    assert as_groups({}).is_empty()


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"docno": ["a"]}, r"^groups: has columns docno; expected also group"),
        (
            {"docno": ["a", "a"], "group": ["1", "2"]},
            "^groups: row 2: column docno has document a again; row 1 has it: keep one of them$",
        ),
        ({"docno": ["a", None], "group": ["1", "2"]}, "^groups: row 2: column docno is empty; expected an id: fill it in"),
        ({"docno": ["a", "b"], "group": ["1", ""]}, "^groups: row 2: column group is empty; expected an id: fill it in"),
        ({"docno": ["a", "b"], "group": [["1"], ["1"]]}, "^groups: row 1: column group is "),
    ],
)
def test_frames_that_are_no_groups_are_refused(frame, message):
    with pytest.raises(BadInput, match=message):
        as_groups(pl.DataFrame(frame))


@pytest.fixture
def files(tmp_path, capsys):
    """The paths of qrels, a run and the groups that the command found."""
    groups = printed(capsys, "duplicates", str(write(tmp_path / "corpus.jsonl", *DOCUMENTS)))
    assert groups.splitlines() == ["docno\tgroup", "a\ta", "c\ta"]
    paths = [
        write(tmp_path / "qrels", "1 0 a 2", "1 0 b 0"),
        write(tmp_path / "run", "1 Q0 c 1 3 mine", "1 Q0 a 2 2 mine", "1 Q0 b 3 1 mine"),
        write(tmp_path / "groups.tsv", *groups.splitlines()),
    ]
    return list(map(str, paths))


def test_what_one_command_finds_another_counts_once(files, capsys):
    qrels, run, groups = files
    content = json.loads(printed(capsys, "evaluate", qrels, run, "--duplicates", groups, "-m", "RR P@2", "--format", "json"))
    assert {name: measure["value"] for name, measure in content["measures"].items()} == {"RR": 1, "P@2": 0.5}
    assert content["duplicates_once"] is True
    plain = json.loads(printed(capsys, "evaluate", qrels, run, "-m", "RR P@2", "--format", "json"))
    assert {name: measure["value"] for name, measure in plain["measures"].items()} == {"RR": 0.5, "P@2": 0.5}
    assert plain["duplicates_once"] is False
    assert "near-duplicates counted once" in printed(capsys, "evaluate", qrels, run, "--duplicates", groups, "-m", "RR")


def test_every_command_that_evaluates_counts_once(files, capsys):
    qrels, run, groups = files
    once = ["--duplicates", groups]
    curve = printed(capsys, "curve", "cg", qrels, run, "-k", "2", "--format", "csv", *once)
    assert [line.split(",")[-2:] for line in curve.splitlines()[1:]] == [["2.0", "2.0"], ["2.0", "2.0"]]
    assert printed(capsys, "contingency", qrels, run, "--format", "csv", *once).splitlines()[1].startswith("1,1,2,0,")
    other = str(write(Path(run).with_name("other"), "1 Q0 b 1 3 other", "1 Q0 a 2 2 other"))
    compared = json.loads(printed(capsys, "compare", run, other, "--qrels", qrels, "-m", "RR", "--format", "json", *once))
    assert (compared["means"]["run"], compared["duplicates_once"]) == (1, True)


def test_a_table_of_values_has_no_near_duplicates(files, tmp_path, capsys):
    matrix = write(tmp_path / "matrix.csv", "topic,one,two", "1,0.5,1", "2,0.5,0.25")
    assert "--matrix holds values already" in complaint(capsys, "compare", "--matrix", str(matrix), "--duplicates", files[2])
    assert "--sd stands for systems" in complaint(capsys, "plan", "--sd", "0.1", "--difference", "0.05", "--duplicates", files[2])


def test_a_wrong_threshold_is_refused(tmp_path, capsys):
    path = write(tmp_path / "corpus.jsonl", *DOCUMENTS)
    assert "expected a share from 0.5 to 1" in complaint(capsys, "duplicates", str(path), "--threshold", "0.2")


def test_what_no_file_of_groups_can_hold_is_not_written():
    with pytest.raises(BadInput, match=r"^row 1: column docno is 'a\\tb'; expected no tabs or line ends: replace them$"):
        write_groups({"a\tb": "1", "c": "1"})
    with pytest.raises(BadFile, match=r"^groups: row 2: column docno has document a again; row 1 has it: keep one of them$"):
        write_groups(pl.DataFrame({"docno": ["a", "a"], "group": ["1", "2"]}))
    with pytest.raises(BadFile, match=r"^groups: is \[.*, of type list; expected a path, a frame of .*, or {docno: group}$"):
        as_groups([["a", "b"]])


def test_groups_of_one_document_are_written_and_rows_counted_with_them():
    assert write_groups({"a": "1"}) == "docno\tgroup\na\t1\n"
    with pytest.raises(BadInput, match=r"^row 2: column docno is 'a\\tb'; expected no tabs"):
        write_groups({"c": "9", "a\tb": "1", "d": "1"})


def test_texts_may_all_be_missing_but_are_no_numbers():
    assert list(as_documents(pd.DataFrame({"docno": ["a"], "text": [float("nan")]}))) == [("a", "")]
    assert list(as_documents(pl.DataFrame(schema={"docno": pl.String, "text": pl.Int64}))) == []
    with pytest.raises(BadInput, match=r"^row 2: column text is 5, of type int; expected text: convert the column$"):
        list(as_documents(pl.DataFrame({"docno": ["a", "b"], "text": [None, 5]})))
