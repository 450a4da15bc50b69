"""`python -m ireval experiment`: what goes in, what comes out, and what is said of mistakes."""

import csv
import io
import json
import re

import polars as pl
import pytest

from ireval.cli.main import main
from ireval.experiments import arm_effects, read_experiment
from tests.ireval.builders import write

HEADER = "unit,arm,clicks,clicks__per,clicks__before,bought"
ROWS = [f"u{i},{'ab'[i % 2]},{i % 3 + i % 2},{4 + i % 5},{i % 3},{int(i % 7 < 3)}" for i in range(60)]


@pytest.fixture
def units(tmp_path) -> str:
    return str(write(tmp_path / "units.csv", HEADER, *ROWS, "u99,a,1,1,1,1", "u99,b,1,1,1,1"))


@pytest.fixture
def counts(tmp_path) -> str:
    return str(write(tmp_path / "counts.csv", "arm,n,conversions", "a,1000,100", "b,1100,130", "c,900,70"))


def printed(capsys, *arguments: str) -> str:
    assert main(["experiment", *arguments]) == 0
    return capsys.readouterr().out


def complaint(capsys, *arguments: str) -> str:
    assert main(["experiment", *arguments]) == 2
    return capsys.readouterr().err.rstrip("\n")


def test_the_arms_come_first_then_means_then_differences(units, capsys):
    text = printed(capsys, units).splitlines()
    assert text[0] == f"{units}: 60 units in 2 arms, control a"
    assert text[1] == "  1 unit in two arms or more left out: u99"
    assert text[3].split() == ["a", "30", "30.0"]
    assert text[5] == "  sample ratio: χ² = 0.00, df = 1, p 1.0000: no mismatch, since p is not below 0.001"
    rows = [line.split() for line in text if line.startswith(("  clicks", "  bought"))]
    assert [row[:4] for row in rows[:4]] == [
        ["clicks", "ratio", "a", "30"],
        ["clicks", "ratio", "b", "30"],
        ["bought", "proportion", "a", "30"],
        ["bought", "proportion", "b", "30"],
    ]
    assert rows[4][:2] == ["clicks", "b"] and rows[4][-1] == "%", "the variance that the time before took away"
    assert rows[5][:2] == ["bought", "b"] and rows[5][-1] != "%"
    assert any("CUPED" in line for line in text)
    assert any("N* = 5,000" in line for line in text)


def test_of_four_units_there_is_no_interval_for_any_time(tmp_path, capsys):
    few = str(write(tmp_path / "few.csv", "unit,arm,clicks", "u1,a,0", "u2,a,1", "u3,b,1", "u4,b,3"))
    last = printed(capsys, few).splitlines()[-1]
    assert re.split(r"  +", last) == ["", "clicks", "b", "1.5000", "too few for an interval", "1.0000"]


def test_a_mismatch_stands_before_everything(counts, capsys):
    text = printed(capsys, counts)
    assert text.startswith("SAMPLE RATIO MISMATCH, p 4.5e-05: ")
    assert "  sample ratio: χ² = 20.00, df = 2, p 4.5e-05: mismatch, p < 0.001\n" in text
    assert "all arms" in text
    assert main(["experiment", counts, "--format", "csv"]) == 0
    assert capsys.readouterr().err.startswith("SAMPLE RATIO MISMATCH")
    content = json.loads(printed(capsys, counts, "--format", "json"))
    assert next(iter(content)) == "sample_ratio" and content["sample_ratio"]["mismatch"] is True


def test_weights_say_what_was_expected(counts, capsys):
    text = printed(capsys, counts, "--weights", "a=10", "b=11", "c=9")
    assert not text.startswith("SAMPLE") and "χ² = 0.00, df = 2, p 1.0000: no mismatch" in text


def test_formats_say_the_same(units, capsys):
    content = json.loads(printed(capsys, units, "--format", "json", "--confidence", "0.9", "--control", "b"))
    rows = list(csv.DictReader(io.StringIO(printed(capsys, units, "--format", "csv", "--confidence", "0.9", "--control", "b"))))
    expected = arm_effects(read_experiment(units), "b", confidence=0.9)
    assert (
        [entry["low"] for entry in content["effects"]] == [float(row["low"]) for row in rows] == [entry.low for entry in expected]
    )
    assert [row["sample_ratio_p"] for row in rows] == ["1.0"] * 2
    assert content["crossed"] == ["u99"] and content["control"] == "b"
    assert content["effects"][1]["reduction"] is None and rows[1]["reduction"] == ""
    assert [entry["metric"] for entry in content["proportions"]] == ["bought"]


def test_parquet_says_the_same(units, tmp_path, capsys):
    pl.read_csv(units).write_parquet(tmp_path / "units.parquet")
    assert printed(capsys, str(tmp_path / "units.parquet")).splitlines()[1:] == printed(capsys, units).splitlines()[1:]


def test_help_says_what_is_planned_and_where_planning_is(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")
    with pytest.raises(SystemExit) as ended:
        main(["experiment", "--help"])
    assert ended.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    assert (
        "--planned N units at which always-valid intervals are narrowest, chosen before the data came in (default 5000)" in text
    )
    assert "How many units it takes says experiment-plan." in text


def test_the_time_before_can_be_left_out(units, capsys):
    assert "CUPED" not in printed(capsys, units, "--no-adjust")


def test_only_some_metrics(units, capsys):
    text = printed(capsys, units, "-m", "bought")
    assert "clicks" not in text and "p corrected for 1 questions" not in text and "for 1 question" in text


def test_what_is_unknown_says_why(tmp_path, capsys):
    path = str(write(tmp_path / "same.csv", "unit,arm,x", "1,a,3", "2,a,3", "3,b,3", "4,b,3"))
    assert "  x, b: no interval because units of an arm do not differ\n" in printed(capsys, path)


def test_many_crossed_units_are_counted(tmp_path, capsys):
    twice = [f"v{i},{arm},1" for i in range(7) for arm in "ab"]
    path = str(write(tmp_path / "crossed.csv", "unit,arm,x", "1,a,3", "2,a,4", "3,b,3", "4,b,4", *twice))
    assert "  7 units in two arms or more left out: v0, v1, v2, v3, v4 and 2 more\n" in printed(capsys, path)


def test_small_differences_are_shown_with_as_many_places_as_they_need(tmp_path, capsys):
    path = str(write(tmp_path / "large.csv", "arm,n,rare", "a,1000000000,3000000", "b,1000000000,3010000"))
    lines = [line.split() for line in printed(capsys, path).splitlines() if line.startswith("  rare  ")]
    shown = next(line[2:6] for line in lines if line[1] == "b")
    assert shown == ["0.0000100", "0.0000052", "to", "0.0000148"]


def test_no_units_are_left(tmp_path, capsys):
    path = str(write(tmp_path / "crossed.csv", "unit,arm,x", "u,a,1", "u,b,1"))
    assert "  sample ratio: unknown, since no units are left\n" in printed(capsys, path)


def test_mistakes_are_told(units, tmp_path, capsys):
    bad = str(write(tmp_path / "bad.csv", "unit,arm,x", "u,a,much"))
    assert complaint(capsys, bad) == 'bad.csv, line 2: column x is "much"; expected a number'
    assert complaint(capsys, units, "--control", "z") == "there is no arm z; expected one of a, b"
    assert complaint(capsys, units, "--weights", "a=1") == "--weights names a; expected each of a, b once"
    with pytest.raises(SystemExit):
        main(["experiment", units, "--weights", "a:1"])
    assert "expected an arm and a number above 0" in capsys.readouterr().err
