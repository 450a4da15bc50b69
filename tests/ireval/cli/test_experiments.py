"""`python -m ireval experiment` on many tests: each as if it were alone, and one row for each."""

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ireval.cli.main import main
from ireval.experiments import arm_effects, experiment_of, sample_ratio
from tests.ireval.builders import write

COUNTS = [("t2", "a", 1000, 100), ("t2", "b", 1000, 160), ("t1", "b", 900, 70), ("t1", "a", 1100, 99), ("t1", "c", 1000, 80)]


@pytest.fixture
def many(tmp_path) -> str:
    return str(write(tmp_path / "many.csv", "Test ID,arm,n,bought", *(",".join(map(str, row)) for row in COUNTS)))


def printed(capsys, *arguments: str) -> str:
    assert main(["experiment", *arguments]) == 0
    return capsys.readouterr().out


def rows(capsys, *arguments: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(printed(capsys, *arguments, "--format", "csv"))))


def complaint(capsys, *arguments: str) -> str:
    assert main(["experiment", *arguments]) == 2
    return capsys.readouterr().err.rstrip("\n")


def alone(test: str):
    frame = pl.DataFrame([row[1:] for row in COUNTS if row[0] == test], schema=["arm", "n", "bought"], orient="row")
    return experiment_of(frame)


def test_each_test_has_the_row_that_it_would_have_alone(many, capsys):
    for row, test in zip(rows(capsys, many), ["t2", "t1"], strict=True):
        experiment = alone(test)
        questions = len(experiment.arms) - 1
        best = min(arm_effects(experiment, "a", confidence=1 - 0.05 / questions), key=lambda effect: effect.p)
        assert [row[name] for name in ("test", "arm", "control", "units")] == [test, best.arm, "a", str(experiment.n.sum())]
        assert [float(row[name]) for name in ("difference", "low", "high")] == [best.difference, best.low, best.high]
        assert float(row["p"]) == min(1, questions * best.p)
        assert float(row["sample_ratio_p"]) == sample_ratio(experiment.n).p


def test_interval_and_p_of_a_row_agree(tmp_path, capsys):
    rng = np.random.default_rng(7)
    lines = [f"t{test},{arm},1000,{rng.binomial(1000, 0.1)}" for test in range(300) for arm in "abcd"]
    for row in rows(capsys, str(write(tmp_path / "many.csv", "test,arm,n,bought", *lines))):
        assert (float(row["low"]) > 0 or float(row["high"]) < 0) == (float(row["p"]) < 0.05)


def test_q_corrects_for_the_number_of_tests(many, capsys):
    first, second = sorted(float(row["p"]) for row in rows(capsys, many))
    assert sorted(float(row["q"]) for row in rows(capsys, many)) == pytest.approx(sorted([min(2 * first, second), second]))


def test_hardly_any_of_many_tests_without_an_effect_find_one(tmp_path, capsys):
    rng = np.random.default_rng(5)
    lines = [f"t{test},{arm},1000,{rng.binomial(1000, 0.1)}" for test in range(400) for arm in "abc"]
    table = rows(capsys, str(write(tmp_path / "many.csv", "test,arm,n,bought", *lines)))
    assert 4 <= sum(float(row["p"]) < 0.05 for row in table) <= 36  # 20 expected
    assert sum(float(row["q"]) < 0.05 for row in table) == 0


def test_parquet_json_and_the_table_say_the_same(many, tmp_path, capsys):
    pl.read_csv(many).write_parquet(tmp_path / "many.parquet")
    lines = printed(capsys, str(tmp_path / "many.parquet"), "--format", "json").splitlines()
    assert [json.loads(line)["p"] for line in lines] == [float(row["p"]) for row in rows(capsys, many)]
    table = printed(capsys, many).splitlines()
    assert table[0] == "2 tests, 5,000 units: 1 find a difference, q < 0.05"
    assert [line.split()[:5] for line in table[-3:-1]] == [
        ["t2", "2", "2,000", "bought", "b"],
        ["t1", "3", "3,000", "bought", "b"],
    ]


def test_units_of_a_test_are_its_own(tmp_path, capsys):
    lines = [f"{test},u{unit},{'ab'[unit % 2]},{unit % 3}" for test in ("x", "y") for unit in range(40)]
    (first, second) = rows(capsys, str(write(tmp_path / "units.csv", "test,unit,arm,clicks", *lines)))
    assert first | {"test": "y"} == second and first["units"] == "40"


def test_several_files_are_several_tests(many, tmp_path, capsys):
    single = write(tmp_path / "single.csv", "arm,n,bought", "a,1000,100", "b,1000,160")
    table = rows(capsys, str(single), many)
    assert [row["test"] for row in table] == ["single.csv", "many.csv t2", "many.csv t1"]
    assert table[0]["p"] == table[1]["p"]


def test_a_test_without_a_result_keeps_its_row_and_the_reason(many, tmp_path, capsys):
    lonely = write(tmp_path / "lonely.csv", "test,arm,n,bought", "t0,a,10,1", "t2,a,1000,100", "t2,b,1000,160")
    first, second = rows(capsys, str(lonely))
    assert first["undefined"] == "an experiment has two arms or more, each with a name of its own; found 1" and not first["p"]
    assert math.isclose(float(second["p"]), float(second["q"]))
    assert "1 have no result; their last column says why" in printed(capsys, str(lonely))


def test_a_mismatch_is_said_above_and_in_its_row(tmp_path, capsys):
    path = write(tmp_path / "many.csv", "test,arm,n,bought", "t1,a,1000,100", "t1,b,1500,360", "t2,a,10,1", "t2,b,10,1")
    text = printed(capsys, str(path)).splitlines()
    assert text[:2] == [
        "2 tests, 2,520 units: 0 find a difference, q < 0.05",
        "  SAMPLE RATIO MISMATCH in 1: find out why before you believe them; they are not counted",
    ]
    assert [("MISMATCH, p 1.5e-23" in line) for line in text[-3:-1]] == [True, False]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("t2,c,10", "line 7: expected 4 columns, found 3"),
        ("t2,c,ten,1", 'line 7: column n is "ten"; expected a number'),
        ("t2,b,10,1", "line 7: test t2 has the same arm on line 3"),
        (",b,10,1", "line 7: has no Test ID"),
    ],
)
def test_a_broken_row_is_named(many, tmp_path, capsys, line, reason):
    broken = write(tmp_path / "broken.csv", *Path(many).read_text().splitlines(), line)
    assert complaint(capsys, str(broken)) == f"broken.csv, {reason}"


def test_a_metric_may_be_called_test(tmp_path, capsys):
    path = str(write(tmp_path / "one.csv", "unit,arm,test", *(f"u{n},{'ab'[n % 2]},{n}" for n in range(9))))
    assert printed(capsys, path, "-m", "test").startswith(f"{path}: 9 units in 2 arms")


@pytest.mark.parametrize("name", ["many", "one"])
def test_standard_input_is_read_once(many, tmp_path, capsys, monkeypatch, name):
    single = str(write(tmp_path / "one.csv", "arm,n,bought", "a,1000,100", "b,1000,160"))
    path = {"many": many, "one": single}[name]
    expected = printed(capsys, path, "--format", "csv")
    monkeypatch.setattr("sys.stdin", open(path))  # noqa: SIM115 - it is read as a file of bytes, and closed with the test
    assert printed(capsys, "-", "--format", "csv") == expected


def test_a_parquet_file_that_is_damaged_or_lacks_a_test(tmp_path, capsys):
    (tmp_path / "bad").write_bytes(b"PAR1 and nothing else")
    assert "the Parquet file is damaged" in complaint(capsys, str(tmp_path / "bad"))
    frame = pl.DataFrame({"test": ["t", None], "arm": ["a", "b"], "n": [9, 9], "bought": [1, 1]})
    frame.write_parquet(tmp_path / "gap")
    assert complaint(capsys, str(tmp_path / "gap")) == "gap: row 2: has no test"


def test_a_test_in_which_nothing_varies_has_no_p(tmp_path, capsys):
    path = write(tmp_path / "many.csv", "test,unit,arm,clicks", "t,u1,a,1", "t,u2,b,2")
    (row,) = rows(capsys, str(path))
    assert (row["p"], row["q"], row["low"]) == ("", "", "") and row["undefined"]
