"""`ireval next`: which documents to judge, and whether judging can still turn an order."""

import csv
import json

import pytest

from ireval.cli.main import main
from tests.ireval.builders import write
from tests.ireval.cli.commands import complaint, printed


@pytest.fixture
def files(tmp_path):
    """x leads by a, y by c, which nobody has judged; z is x from its second document on."""
    rankings = {"x": "ab", "y": "cb", "z": "ba"}
    runs = {
        name: str(write(tmp_path / name, *(f"1 Q0 {docno} 0 {9 - rank} {name}" for rank, docno in enumerate(order))))
        for name, order in rankings.items()
    }
    return runs | {"qrels": str(write(tmp_path / "qrels", "1 0 a 2", "1 0 b 0", "9 0 a 1"))}


def test_what_is_open_is_listed_and_what_is_certain_said(files, capsys):
    out = printed(capsys, "next", files["x"], files["y"], files["z"], "--qrels", files["qrels"], "-m", "DCG@2")
    head, left_out, columns, document, last = out.splitlines()
    assert head == "DCG@2: 3 systems on the same 1 topics, 3 pairs; 2 of 3 pooled documents judged, grades 0 to 2"
    assert left_out == "  topics that some run lacks, or without any grade: 1 (not counted)"
    assert columns.split() == ["topic", "docno", "change"]
    assert document.split()[:2] == ["1", "c"]
    assert last == "remaining judgements can still change 2 of 3 orders; certain: x > z"


def test_nothing_can_change_an_order_any_more(files, capsys):
    """Were c as good as a, x and y would be equal; with grade 1 it is not. P@2 does not see the order of x and z."""
    of_two = ("next", files["x"], files["y"], "--qrels", files["qrels"], "-m", "DCG@2")
    assert printed(capsys, *of_two).splitlines()[-1] == "remaining judgements can still change 1 of 1 orders; none is certain"
    with open(files["qrels"], "a", encoding="utf-8") as qrels:
        qrels.write("1 0 c 1\n")
    assert printed(capsys, *of_two).splitlines()[-1] == "no remaining judgement can change an order; certain: x > y"
    same = ("next", files["x"], files["z"], "--qrels", files["qrels"], "-m", "P@2")
    assert printed(capsys, *same).splitlines()[-1] == "no remaining judgement can change an order; certain: x = z"


def test_ends_that_may_be_too_wide_are_worded_so(files, capsys):
    out = printed(capsys, "next", files["x"], files["y"], "--qrels", files["qrels"], "-m", "AP")
    assert out.splitlines()[-1] == "remaining judgements may still change 1 of 1 orders; none is certain"


def test_csv_has_the_documents_alone(files, capsys):
    arguments = ["next", files["x"], files["y"], "--qrels", files["qrels"], "-m", "P@1", "--format", "csv"]
    assert main(arguments) == 0
    streams = capsys.readouterr()
    (row,) = csv.DictReader(streams.out.splitlines())
    assert (list(row), row["topic"], row["docno"]) == (["topic", "docno", "change"], "1", "c")
    assert streams.err == "remaining judgements can still change 1 of 1 orders; none is certain\n"


def test_json_has_every_pair_with_its_ends(files, capsys):
    arguments = ("next", files["x"], files["y"], files["z"], "--qrels", files["qrels"], "-m", "P@2", "--baseline", "y")
    content = json.loads(printed(capsys, *arguments, "--format", "json"))
    assert (content["judged"], content["pooled"], content["open"], content["top_grade"]) == (2, 3, 2, 2)
    assert content["pairs"] == [
        {"first": "x", "second": "y", "low": 0, "high": 0.5, "order": 0, "open": True},
        {"first": "z", "second": "y", "low": 0, "high": 0.5, "order": 0, "open": True},
    ]
    assert [document["docno"] for document in content["documents"]] == ["c"]


def test_documents_come_by_what_they_change_or_by_topic(tmp_path, capsys):
    """Rank 1 weighs more than rank 2; without a grade every document is as uncertain as any other."""
    first = write(tmp_path / "first", "2 Q0 a 0 2 t", "2 Q0 b 0 1 t", "1 Q0 a 0 1 t")
    second = write(tmp_path / "second", "2 Q0 c 0 1 t", "1 Q0 d 0 2 t", "1 Q0 a 0 1 t")
    qrels = str(write(tmp_path / "qrels", "3 0 a 1"))
    arguments = ("next", str(first), str(second), "--qrels", qrels, "-m", "DCG@2", "--new-topics")
    rows = [line.split()[:2] for line in printed(capsys, *arguments).splitlines()[3:-1]]
    assert rows == [["1", "d"], ["2", "a"], ["2", "c"], ["2", "b"], ["1", "a"]]
    assert [line.split()[0] for line in printed(capsys, *arguments, "--by-topic").splitlines()[3:-1]] == ["1", "1", "2", "2", "2"]
    assert len(printed(capsys, *arguments, "-n", "2").splitlines()) == 6
    assert complaint(capsys, *arguments[:-1]).startswith(
        "the qrels grade no topic that all runs have: these have topic 1 and 1 more"
    )


def test_nothing_may_be_judged_yet(files, capsys):
    out = printed(capsys, "next", files["x"], files["y"], "-m", "P@2", "--top-grade", "3")
    assert out.splitlines()[0].endswith("0 of 3 pooled documents judged, grades 0 to 3")
    assert {line.split()[1] for line in out.splitlines()[2:-1]} == {"a", "c"}


def test_mistakes_are_explained(files, capsys):
    of_two = ("next", files["x"], files["y"], "--qrels", files["qrels"])
    assert complaint(capsys, *of_two, "-m", "RR").startswith("RR has no bounds over unjudged documents; expected one of P, CG")
    assert complaint(capsys, *of_two, "-m", "P@2", "--top-grade", "1").startswith(
        "the top grade is 1, and the qrels have grade 2"
    )
    assert complaint(capsys, *of_two, "-m", "P@2", "--baseline", "w") == "there is no system w; expected one of x, y"
    twice = complaint(capsys, "next", files["x"], files["x"], "--qrels", files["qrels"], "-m", "P@2")
    assert twice == f"{files['x']} is given twice; expected each run once"
    alone = complaint(capsys, "next", files["x"], "--qrels", files["qrels"], "-m", "P@2")
    assert alone == "there is only x; expected at least two runs"
    assert complaint(capsys, "next", files["x"], "nowhere", "--qrels", files["qrels"], "-m", "P@2").startswith("nowhere: No such")
