"""Scores from tables in memory: checked as those of files are."""

import math
from importlib.util import find_spec

import polars as pl
import pytest

from ireval import BadInput, compare, evaluate, read_scores, sampled_topics, scores_of

TABLE = {"topic": ["1", "2", "3"], "bm25": [0.1, 0.2, 0.3], "rm3": [1, 0, 1]}
EVALUATION = evaluate({"1": {"a": 1.0}}, {"1": {"a": 1}}, "RR")


def test_a_frame_is_read_as_a_file_is(tmp_path):
    frame = pl.DataFrame(TABLE)
    frame.write_parquet(tmp_path / "scores.parquet")
    of_file = read_scores(tmp_path / "scores.parquet")
    for source in (frame, frame.lazy()):
        scores = read_scores(source)
        assert (scores.topics, scores.systems) == (of_file.topics, of_file.systems) == (("1", "2", "3"), ("bm25", "rm3"))
        assert scores.values.tolist() == of_file.values.tolist()
    assert read_scores(frame.drop("topic")).topics == ("1", "2", "3")
    assert compare(frame).table.equals(compare(of_file).table)


@pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed")
def test_a_frame_may_be_of_pandas():
    import pandas

    assert read_scores(pandas.DataFrame(TABLE)).values.tolist() == read_scores(pl.DataFrame(TABLE)).values.tolist()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"bm25": [0.1, None, 0.3]}, "^scores: row 2: column bm25 is empty; expected a finite number: fill it in"),
        ({"bm25": [0.1, 0.2, float("nan")]}, "^scores: row 3: column bm25 is nan; expected a finite number: fill it in"),
        ({"bm25": ["0.1"] * 3}, "^scores: column bm25 is of type String; expected numbers: convert it$"),
        ({"topic": ["1", "2", "1"]}, "^scores: row 3: column topic is 1, which is there twice; expected each once"),
        ({"topic": ["1", None, "3"]}, "^scores: row 2: column topic is empty; expected each once"),
        ({"topic": [["1"]] * 3}, r"^scores: column topic is of type List\(String\); expected text or whole numbers"),
    ],
)
def test_cells_are_checked(change, reason):
    with pytest.raises(BadInput, match=reason):
        compare(pl.DataFrame(TABLE | change))


@pytest.mark.parametrize("function", [compare, lambda scores: sampled_topics(scores, ["1"])])
def test_evaluations_become_scores_first(function):
    with pytest.raises(BadInput, match=r"^found evaluations; expected {system: {topic: value}}: scores_of makes scores of .*$"):
        function({"bm25": EVALUATION})
    with pytest.raises(BadInput, match=r"^expected a path, or a frame of polars or pandas; found 5, of type int$"):
        function(5)


def test_scores_come_as_a_dictionary_of_systems():
    scores = read_scores({"bm25": {1: 0.5, "2": 1, "3": 0.25}, "rm3": {"2": 0.5, 1: 0}})
    assert (scores.systems, scores.topics, scores.left_out) == (("bm25", "rm3"), ("1", "2"), 1)
    assert scores.values.tolist() == [[0.5, 0], [1, 0.5]]
    with pytest.raises(BadInput, match=r"^scores: row 2, \['rm3'\]\['1'\]: column score is NaN; expected a finite number: .*"):
        compare({"bm25": {"1": 0.5}, "rm3": {"1": math.nan}})
    with pytest.raises(BadInput, match=r"^scores: row 2, \['rm3'\]: is 0.5, of type float; expected {topic: score}$"):
        compare({"bm25": {"1": 0.5}, "rm3": 0.5})


def test_scores_are_of_evaluations():
    with pytest.raises(BadInput, match=r"^evaluations is .*, of type list; expected {system: evaluation}"):
        scores_of([EVALUATION], "RR")
    with pytest.raises(BadInput, match=r"^the evaluation of bm25 is .*; expected an Evaluation, which evaluate returns$"):
        scores_of({"bm25": EVALUATION.values}, "RR")


@pytest.mark.parametrize(
    "values", [{"bm25": {1: 0.1, "1": 0.2}, "rm3": {"1": 0.3}}, {"1": {"1": 0.1}, 1: {"1": 0.2}, "rm3": {"1": 0.3}}]
)
def test_keys_that_are_the_same_as_text_are_refused(values):
    with pytest.raises(BadInput, match=r"^scores: \['.+'\]\['1'\] is there twice, as a number and as text: keep one of them$"):
        read_scores(values)
