"""Results as frames: of pandas without pyarrow, and as tables of polars."""

import contextlib
import importlib
import sys

import ir_measures
import numpy as np
import polars as pl
import pytest

import ireval
from ireval import arm_effects, arm_means, evaluate
from ireval.clicks import rates
from ireval.clicks.sessions import small
from ireval.experiments import experiment_from_counts
from ireval.interleaving import Credits, compare_multileaved
from ireval.io.frames import fields_of
from ireval.preferences import preferences, side_bias
from tests.ireval.io.test_frames import without_pandas


@contextlib.contextmanager
def without_pyarrow(monkeypatch):
    """What imports it fails; but pandas, which keeps texts by it where it is, has all that it needs."""
    with contextlib.suppress(ImportError):
        importlib.import_module("pyarrow.compute")
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "pyarrow", None)
        yield


@without_pandas
@pytest.mark.parametrize("frame", [pl.DataFrame({"topic": ["1", None], "n": [1, 2], "value": [0.5, None]}), pl.DataFrame()])
def test_results_as_frames_of_pandas_without_pyarrow(monkeypatch, frame):
    with without_pyarrow(monkeypatch):
        table = ireval.to_pandas(frame)
    assert table.columns.to_list() == frame.columns and len(table) == len(frame)
    cells = table.astype(object).where(table.notna(), None).to_numpy().tolist()
    assert cells == [list(row) for row in frame.rows()]
    assert not frame.columns or str(table["n"].dtype) == "int64"


@without_pandas
def test_an_evaluation_and_a_comparison_have_frames_of_pandas(monkeypatch):
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    evaluations = {
        name: evaluate({"1": {"a": 1, "c": score}, "2": {"b": 1}}, qrels, "RR") for name, score in (("x", 0), ("y", 2))
    }
    comparison = ireval.compare(ireval.scores_of(evaluations, "RR"))
    with without_pyarrow(monkeypatch):
        scores, compared = evaluations["y"].to_pandas(), comparison.to_pandas()
    assert scores.to_dict("list") == {"topic": ["1", "2"], "RR": [0.5, 1.0]}
    assert compared.to_dict("records") == [pytest.approx(row, nan_ok=True) for row in comparison.table.to_dicts()]


def test_lists_of_results_are_frames():
    votes = ireval.votes_of(
        pl.DataFrame({"item": ["1", "2"], "left": ["a", "b"], "right": ["b", "a"], "winner": ["left", "tie"]})
    )
    (preferred,) = preferences(votes)
    frame = ireval.frame_of([preferred])
    assert frame.rows(named=True) == [pytest.approx(ireval.frame_of(preferred).row(0, named=True), nan_ok=True)]
    assert frame.select("first", "wins", "score_value").row(0) == ("a", 1, 0.75)
    habits = ireval.frame_of(side_bias(votes))
    assert habits.columns == ["decided", "left", "share", "low", "high", "p"], "its table of workers has a row per worker"
    assert ireval.frame_of([]).is_empty()
    for strange in (7, [preferred, ("a", 1)]):
        with pytest.raises(ireval.BadInput, match="expected results such as those of arm_effects"):
            ireval.frame_of(strange)


def test_a_result_that_has_a_table_is_that_table():
    labels = ireval.labels_of(pl.DataFrame({"item": [1, 1, 2, 2], "worker": ["ann", "ben"] * 2, "label": [0, 0, 1, 0]}))
    aggregated = ireval.aggregate(labels, "majority")
    assert ireval.frame_of(aggregated).equals(aggregated.frame())
    comparison = ireval.compare(pl.DataFrame({"topic": ["1", "2", "3"], "x": [0.1, 0.2, 0.4], "y": [0.2, 0.4, 0.5]}))
    assert ireval.frame_of(comparison).equals(comparison.table, null_equal=True)
    evaluation = evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, "RR")
    assert ireval.frame_of(evaluation).equals(evaluation.values)
    documents = ireval.pooled_documents({"x": {"1": {"a": 1}}, "y": {"1": {"b": 1}}}, {"1": {"a": 1}})
    assert ireval.frame_of(documents).equals(documents.frame)


@without_pandas
def test_every_kind_of_results_is_a_frame_of_pandas():
    counts = experiment_from_counts(["a", "b"], [100, 100], {"bought": [10, 20]})
    many = compare_multileaved(Credits([1, 1, 2], [1, 2, 1], {"x": [1, 0, 1], "y": [0, 0, 0], "z": [0, 1, 0]}))
    for results in (arm_effects(counts), arm_means(counts), many.standings, many.pairs, rates(small())):
        table = ireval.to_pandas(results)
        assert len(table) == len(results)
        assert table.iloc[0].to_dict() == pytest.approx(dict(fields_of(results[0])), nan_ok=True)


def test_who_has_no_pandas_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, "RR").to_pandas()


def test_a_comparison_as_a_table():
    comparison = ireval.compare(
        ireval.Scores(("1", "2", "3"), ("x", "y", "z"), np.array([[1, 2, 3], [1, 3, 1], [2, 2, 5]], float))
    )
    assert [(row["first"], row["second"]) for row in comparison.table.to_dicts()] == [("x", "y"), ("x", "z"), ("y", "z")]
    for column, numbers in (
        ("low", comparison.low),
        ("p", comparison.p),
        ("corrected_p", comparison.corrected),
        ("g", comparison.g),
    ):
        assert comparison.table[column].to_list() == numbers.tolist()
    means = comparison.table["mean_first"] - comparison.table["mean_second"]
    assert means.to_list() == pytest.approx(comparison.difference.tolist()) and comparison.table["n"].to_list() == [3, 3, 3]


def test_scores_by_the_name_of_a_measure():
    evaluations = {"x": evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, "RR AP")}
    assert ireval.scores_of(evaluations, "MRR").values.tolist() == ireval.scores_of(evaluations, ir_measures.RR).values.tolist()
    with pytest.raises(ireval.BadComparison, match="x has no nDCG; it was evaluated by RR, AP"):
        ireval.scores_of(evaluations, "nDCG")
