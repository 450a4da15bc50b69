"""`python -m ireval plan`: how many topics it takes, from systems or from how far their differences spread."""

import csv
import json

import numpy as np
import pytest

from ireval.cli.main import main
from ireval.planning.topics import power, smallest_difference, topics_needed
from tests.ireval.builders import write

TABLE = ["topic,bm25,rm3,dense", "1,0.2,0.3,0.5", "2,0.1,0.3,0.2", "3,0.4,0.7,0.9", "4,0.3,0.2,0.6"]
VALUES = np.array([[float(cell) for cell in line.split(",")[1:]] for line in TABLE[1:]])


@pytest.fixture
def table(tmp_path) -> str:
    return str(write(tmp_path / "scores.csv", *TABLE))


def printed(capsys, *arguments: str) -> str:
    assert main(("plan", *arguments)) == 0
    return capsys.readouterr().out


def rows(capsys, *arguments: str) -> list[dict]:
    return json.loads(printed(capsys, *arguments, "--format", "json"))["pairs"]


def complaint(capsys, *arguments: str) -> str:
    assert main(("plan", *arguments)) == 2
    return capsys.readouterr().err.rstrip("\n")


def test_every_pair_of_a_table_shares_alpha(table, capsys):
    pairs = rows(capsys, "--matrix", table)
    assert [(row["first"], row["second"], row["n"], row["topics"]) for row in pairs] == [
        ("bm25", "rm3", 4, 4), ("bm25", "dense", 4, 4), ("rm3", "dense", 4, 4),
    ]  # fmt: skip
    differences = VALUES[:, 0] - VALUES[:, 1]
    deviation = differences.std(ddof=1)
    assert pairs[0]["deviation"] == pytest.approx(deviation)
    assert pairs[0]["difference"] == pytest.approx(differences.mean())
    assert pairs[0]["topics_needed"] == topics_needed(0.125, deviation, comparisons=3)
    assert pairs[0]["smallest_difference"] == pytest.approx(smallest_difference(4, deviation, comparisons=3))


def test_what_is_planned_need_not_be_what_there_is(table, capsys):
    options = ["--topics", "60", "--difference", "0.1", "--power", "0.9", "--alpha", "0.01", "--comparisons", "1"]
    [row] = rows(capsys, "--matrix", table, "--baseline", "rm3", *options)[:1]
    deviation, wishes = (VALUES[:, 0] - VALUES[:, 1]).std(ddof=1), {"power_wanted": 0.9, "alpha": 0.01}
    assert (row["n"], row["topics"], row["difference"]) == (4, 60, 0.1)
    assert row["topics_needed"] == topics_needed(0.1, deviation, **wishes)
    assert row["smallest_difference"] == pytest.approx(smallest_difference(60, deviation, **wishes))


def test_runs_are_evaluated_by_the_rules_that_were_asked_for(tmp_path, capsys):
    qrels = write(tmp_path / "qrels", *(f"{topic} 0 a 1" for topic in "123"))
    ranks = {"x": {"1": "ab", "2": "ba", "3": "ab"}, "y": {"1": "ba", "2": "ba", "3": "ba"}}
    runs = [
        write(tmp_path / name, *(f"{topic} Q0 {d} 0 {9 - place} t" for topic, ds in of.items() for place, d in enumerate(ds)))
        for name, of in ranks.items()
    ]
    arguments = [*map(str, runs), "--qrels", str(qrels), "-m", "RR", "-m", "NumRelRet", "-M", "1", "--topics", "3"]
    first, second = map(json.loads, printed(capsys, *arguments, "--format", "json").splitlines())
    assert (first["measure"], first["depth"], first["largest_difference"]) == ("RR", 1, 1)
    assert first["pairs"][0]["deviation"] == pytest.approx(np.std([1, 0, 1], ddof=1))
    assert (first["pairs"][0]["smallest_difference"], first["pairs"][0]["detectable"]) == (None, False)
    assert (second["measure"], second["largest_difference"], second["pairs"][0]["detectable"]) == ("NumRelRet", None, True)
    lines = printed(capsys, *arguments).splitlines()
    assert lines[0] == "RR: 2 systems on the same 3 topics, 1 pairs, first 1 documents"
    assert lines[3].endswith("none up to 1")


def test_a_deviation_is_enough(capsys):
    assert printed(capsys, "--sd", "0.1", "--difference", "0.05", "--topics", "50").splitlines() == [
        "a measure that is not named: values at most 1 apart",
        "  paired t test, two-sided, power 0.8, alpha 0.05",
        "  deviation  difference  topics needed  topics  smallest difference",
        "  0.1000     0.0500      34             50      0.0404",
        "",
    ]
    [row] = rows(capsys, "--sd", "0.1", "--difference", "0.05", "--comparisons", "10")
    assert (row["topics_needed"], row["topics"], row["smallest_difference"], row["detectable"]) == (58, None, None, None)


def test_a_difference_that_the_measure_cannot_have_is_not_detectable(capsys):
    assert power(1, 0.4, 3) < 0.8
    assert printed(capsys, "--sd", "0.4", "--topics", "3").splitlines()[3].split() == ["0.4000", "3", "none", "up", "to", "1"]
    [row] = csv.DictReader(printed(capsys, "--sd", "0.4", "--topics", "3", "--format", "csv").splitlines())
    assert (row["smallest_difference"], row["detectable"]) == ("", "False")
    [row] = rows(capsys, "--sd", "0.4", "--topics", "3", "-m", "DCG@10")
    assert (row["smallest_difference"], row["detectable"]) == (pytest.approx(1.3056, abs=5e-5), True)
    assert complaint(capsys, "--sd", "1", "--difference", "2") == "a difference of 2 is impossible: values are at most 1 apart"


def test_a_table_shows_by_its_values_whether_they_end_at_1(tmp_path, capsys):
    counts = write(tmp_path / "counts.csv", "topic,a,b", "1,10,30", "2,20,20", "3,5,70")
    assert rows(capsys, "--matrix", str(counts))[0]["smallest_difference"] > 1


def test_where_nothing_spreads_nothing_is_said(tmp_path, capsys):
    same = write(tmp_path / "same.csv", "topic,a,b,c", "1,0.1,0.2,0.1", "2,0.3,0.4,0.3")
    for row in rows(capsys, "--matrix", str(same), "--baseline", "a"):
        assert [row[name] for name in ("deviation", "topics_needed", "smallest_difference", "detectable")] == [None] * 4
    single = write(tmp_path / "single.csv", "topic,a,b", "1,0.1,0.2")
    assert rows(capsys, "--matrix", str(single), "--topics", "50")[0]["smallest_difference"] is None


def test_what_nobody_would_judge(capsys):
    out = printed(capsys, "--sd", "0.1", "--difference", "0.000001")
    assert out.splitlines()[3].split() == ["0.1000", "1.0e-06", "more", "than", "10,000,000"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--sd", "0.1"], "expected --difference, --topics or both beside --sd"),
        (["--sd", "0.1", "--topics", "5", "a.run"], "--sd stands for systems"),
        (["--sd", "0.1", "--topics", "5", "-J"], "--sd stands for systems"),
        (["--sd", "0.1", "--topics", "5", "-m", "AP", "-m", "RR"], "--sd stands for systems"),
        (["--sd", "0.1", "--topics", "5", "--power", "0.01"], "a power of 0.01 is no more than alpha, 0.05"),
        ([], "expected two or more runs with --qrels and -m"),
    ],
)
def test_mistakes_are_explained(capsys, arguments, expected):
    assert complaint(capsys, *arguments).startswith(expected)


@pytest.mark.parametrize("option", [["--sd", "0"], ["--topics", "1"], ["--power", "1"], ["--comparisons", "0"]])
def test_impossible_numbers_name_their_option(capsys, option):
    with pytest.raises(SystemExit) as ended:
        main(["plan", *option])
    assert ended.value.code == 2
    assert option[0] in capsys.readouterr().err
