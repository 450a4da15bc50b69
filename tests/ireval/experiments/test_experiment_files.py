"""Files of experiments: every way in which they come, and what is said of those that are wrong."""

import gzip
import lzma

import polars as pl
import pytest
from hypothesis import given

from ireval import BadFile
from ireval.experiments import BadExperiment, Experiment, experiment_of, read_experiment
from tests.ireval.builders import write
from tests.ireval.experiments.builders import any_frame

UNITS = ["unit,arm,clicks,clicks__per,clicks__before,seconds", "u1,old,1,2,,0.5", "u2,new,3,4,2,1.5", "u3,new,0,0,1,2.5"]
COUNTS = ["arm,n,conversions", "old,100,10", "new,110,20"]


def seen(experiment: Experiment):
    return {
        (metric.name, metric.kind, metric.before, arm): (moments.n, moments.mean.tolist())
        for metric in experiment.metrics
        for arm, moments in zip(experiment.arms, metric.moments, strict=True)
    }


EXPECTED = {
    ("clicks", "ratio", "mean", "new"): (2, [1.5, 2, 1.5]),
    ("clicks", "ratio", "mean", "old"): (1, [1, 2, 0]),
    ("seconds", "mean", "none", "new"): (2, [2]),
    ("seconds", "mean", "none", "old"): (1, [0.5]),
}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_by_their_header(tmp_path, separator):
    path = write(tmp_path / "ab", *(line.replace(",", separator) for line in UNITS))
    assert seen(read_experiment(path)) == EXPECTED


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_compressed_files_are_read_as_they_are(tmp_path, compress):
    (tmp_path / "ab").write_bytes(compress("\n".join(UNITS).encode()))
    assert seen(read_experiment(tmp_path / "ab")) == EXPECTED


def test_parquet_is_what_csv_is(tmp_path):
    frame = pl.read_csv(write(tmp_path / "ab", *UNITS)).with_columns(pl.col("arm").cast(pl.Categorical))
    frame.with_columns(other=[[1]] * 3).write_parquet(tmp_path / "parquet")
    assert seen(read_experiment(tmp_path / "parquet", metrics=["clicks", "seconds"])) == EXPECTED
    pl.read_csv(write(tmp_path / "ab", *COUNTS)).write_parquet(tmp_path / "counts")
    assert read_experiment(tmp_path / "counts").n.tolist() == [110, 100]


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"unit": ["u"], "x": [1]}, "has columns unit, x; expected unit, arm and metrics, or arm, n and conversions"),
        (
            {"unit": ["u", "v"], "arm": ["a", "b"], "x": [1, None]},
            "row 2: column x is empty; expected a number: fill it in, or leave the row out",
        ),
        (
            {"unit": ["u", "v"], "arm": ["a", None], "x": [1, 2]},
            "row 2: column arm has an empty cell: fill it in, or leave the row out",
        ),
        (
            {"unit": ["u", "u"], "arm": ["a", "a"], "x": [1, 2]},
            "row 2: columns unit and arm: unit u stands in arm a twice: keep one of the rows",
        ),
        ({"unit": ["u"], "arm": ["a"], "x": [[1]]}, "column x is of type List(Int64); expected text or numbers"),
        ({"unit": ["u"], "arm": ["a"], "x": [1]}, "an experiment has two arms or more, each with a name of its own; found 1"),
    ],
)
def test_mistakes_in_parquet(tmp_path, columns, complaint):
    pl.DataFrame(columns).write_parquet(tmp_path / "ab")
    with pytest.raises(BadFile) as error:
        read_experiment(tmp_path / "ab")
    assert str(error.value) == f"ab: {complaint}"


def test_a_spreadsheets_marks_and_line_ends_are_no_part_of_it(tmp_path):
    (tmp_path / "ab").write_bytes(("\ufeff" + "\r\n".join(["", *UNITS, ""])).encode())
    assert seen(read_experiment(tmp_path / "ab")) == EXPECTED


def test_quoted_cells(tmp_path):
    path = write(tmp_path / "ab", *UNITS[:3], '"u,3","new","0","0","1","2.5"')
    assert seen(read_experiment(path)) == EXPECTED


def test_counts_a_row_an_arm(tmp_path):
    experiment = read_experiment(write(tmp_path / "ab", *COUNTS))
    assert experiment.arms == ("new", "old") and experiment.n.tolist() == [110, 100]
    assert seen(experiment)["conversions", "proportion", "none", "new"] == (110, [20 / 110])


def test_other_columns_may_hold_anything_where_metrics_are_named(tmp_path):
    path = write(tmp_path / "ab", "unit,arm,country,clicks", "u1,a,it,1", "u2,b,de,2")
    assert [metric.name for metric in read_experiment(path, metrics=["clicks"]).metrics] == ["clicks"]
    with pytest.raises(BadFile, match='ab, line 2: column country is "it"; expected a number'):
        read_experiment(path)


def test_a_unit_in_two_arms_counts_in_neither_and_is_named():
    rows = [("u1", "a", 1), ("u2", "b", 2), ("u3", "b", 7), ("u3", "a", 9), ("u4", "c", 9), ("u4", "a", 9), ("u5", "c", 1)]
    experiment = experiment_of(pl.DataFrame(rows, schema=["unit", "arm", "clicks"], orient="row"))
    assert experiment.crossed == ("u3", "u4")
    assert experiment.n.tolist() == [1, 1, 1]
    assert [moments.mean.tolist() for moments in experiment.metrics[0].moments] == [[1], [2], [1]]


def test_the_control_is_called_so_or_is_the_first():
    frame = pl.DataFrame({"unit": ["1", "2"], "arm": ["a", "Control"], "x": [1, 2]})
    assert experiment_of(frame).control == "Control"
    assert experiment_of(frame.with_columns(arm=pl.Series(["b", "a"]))).control == "a"


@pytest.mark.parametrize(
    ("lines", "complaints"),
    [
        ([], ["is empty; expected a header: unit, arm and metrics, or arm, n and conversions"]),
        (["user,arm,x"], ["line 1: has columns user, arm, x; expected unit, arm and metrics, or arm, n and conversions"]),
        (["unit,arm"], ["line 1: there is no metric; expected a column besides unit and arm"]),
        (["unit,arm,x,y__per"], ["line 1: column y__per belongs to a metric that is not there"]),
        (["unit,arm,x,x__per__before"], ["line 1: x__per__before needs x__before beside it"]),
        (["unit,arm,x,x"], ["line 1: column x is there twice"]),
        (["arm,n,x,x__per"], ["line 1: column x__per needs one row per unit"]),
        (["unit,arm,x", "u,a,1"], ["an experiment has two arms or more, each with a name of its own; found 1"]),
        (["unit,arm,x", "u,a,1", "u,a,1", "v,b,1"], ["line 3: unit u stands in arm a again; the first time is on line 2"]),
        (["arm,n,x", "a,3,1", "b,3,1", "a,2,1"], ["line 4: arm a stands again; the first time is on line 2"]),
        (["unit,arm,x", "u,a", "v,,1", ",b,one", "w,b,"], [
            "line 2: expected 3 columns, found 2",
            "line 3: has no arm",
            'line 4: column x is "one"; expected a number',
            "line 4: has no unit",
            "line 5: column x is empty; expected a number",
        ]),
        (["unit,arm,x", "u,a,1", "v,b,inf"], ['line 3: column x is "inf"; expected a number']),
        (["unit,arm,x,x__per", "u,a,1,2", "v,b,1,-1"], ["line 3: column x__per is below 0"]),
        (["unit,arm,x", "u,a,1e200", "v,b,1"], ["metric x has a number that is not finite, or beyond 1e+100"]),
        (["arm,n,x", "a,3,1", "b,3,4"], ["line 3: x is 4 of 3 units"]),
        (["arm,n,x", "a,3,1", "b,3,.5"], ["line 3: column x is .5; expected a whole number from 0"]),
    ],
)  # fmt: skip
def test_mistakes_name_their_lines(tmp_path, lines, complaints):
    with pytest.raises(BadFile) as error:
        read_experiment(write(tmp_path / "ab", *lines))
    separator = [", " if complaint.startswith("line") else ": " for complaint in complaints]
    assert str(error.value).splitlines() == [
        f"ab{mark}{complaint}" for mark, complaint in zip(separator, complaints, strict=True)
    ]


def test_a_metric_that_is_not_there(tmp_path):
    with pytest.raises(BadFile, match="there is no metric revenue; expected some of clicks"):
        read_experiment(write(tmp_path / "ab", "unit,arm,clicks", "u1,a,1"), metrics=["revenue"])


def test_units_that_are_all_in_two_arms_leave_nothing(tmp_path):
    experiment = read_experiment(write(tmp_path / "ab", "unit,arm,clicks", "u1,a,1", "u1,b,1"))
    assert experiment.n.tolist() == [0, 0] and experiment.crossed == ("u1",)


@given(any_frame())
def test_what_is_written_is_read(tmp_path_factory, frame):
    path = tmp_path_factory.mktemp("ab") / "ab.csv"
    frame.write_csv(path)
    assert seen(read_experiment(path)) == seen(experiment_of(frame))


def test_a_frame_needs_its_columns():
    with pytest.raises(BadExperiment, match="expected unit, arm and metrics"):
        experiment_of(pl.DataFrame({"arm": ["a", "b"], "x": [1, 2]}))
