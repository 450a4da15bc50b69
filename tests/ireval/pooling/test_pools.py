"""Pools hold the top of every run, each document once."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval import (
    BadInput,
    BadMeasure,
    difference_bounds,
    draw_documents,
    evaluate,
    measure_interval,
    next_documents,
    parse_measure,
    pool,
    pooled_documents,
    predicted_scores,
    read_qrels,
    read_run,
    sampled_differences,
)
from ireval.io.rank_order import rank_run
from tests.ireval.builders import ranked, run_of

RANKINGS = st.dictionaries(st.sampled_from(["1", "2"]), st.permutations(list("abcdefg")).map(lambda p: p[:5]), min_size=1)


@given(runs=st.lists(RANKINGS, max_size=4), depth=st.integers(1, 6))
def test_a_pool_is_the_union_of_the_tops(runs, depth):
    pooled = pool([rank_run(run_of({t: ranked(d) for t, d in run.items()})) for run in runs], depth)
    places: dict[tuple[str, str], list[int]] = {}
    for run in runs:
        for topic, docnos in run.items():
            for rank, docno in enumerate(docnos[:depth], start=1):
                places.setdefault((topic, docno), []).append(rank)
    expected = [(topic, docno, len(ranks), min(ranks)) for (topic, docno), ranks in places.items()]
    assert pooled.rows() == sorted(expected, key=lambda row: (row[0], row[3], row[1]))


def test_a_depth_below_one_is_refused():
    with pytest.raises(ValueError, match=r"^the depth of a pool is .*; expected a whole number from 1$"):
        pool([], 0)


def test_pooled_documents_of_contributing_runs_were_judged(shared_data):
    """TREC-COVID pooled its contributing runs at least five deep, so all of that pool has judgements."""
    folder = shared_data / "trec_covid_r1"
    runs = [read_run(folder / "runs" / f"{name}.xz") for name in ("run1", "T5R1", "sab20.1.meta.docs", "uogTrDPH_QE")]
    pooled = pool(runs, 5)
    assert pooled.join(read_qrels(folder / "qrels-rnd1.txt"), on=["topic", "docno"], how="anti").is_empty()


RUN = {"1": {"a": 2.0, "b": 1.0}}


@pytest.mark.parametrize(
    "runs", [RUN, "a.run", Path("a.run"), pl.DataFrame({"topic": ["1"], "docno": ["a"], "score": [1.0]}), 5, None]
)
def test_a_pool_is_of_a_list_of_runs(runs):
    with pytest.raises(
        BadInput, match=r"^runs are .*; expected a list of runs or {name: run}, such as \[run\] for a single one$"
    ):
        pool(runs, 5)


def test_a_pool_of_named_runs_is_that_of_their_list(tmp_path):
    path = tmp_path / "b.run"
    path.write_text("1 Q0 c 0 2.0 b\n", encoding="utf-8")
    assert pool({"a": RUN, "b": path}, 5).equals(pool([RUN, path], 5))
    assert pool({"a": RUN, "b": RUN}, 5).equals(pool([RUN, RUN], 5))
    with pytest.raises(BadInput, match=r"^b: row 1, \['1'\]\['a'\]: column score is empty; expected a finite number: fill it in"):
        pool({"a": RUN, "b": {"1": {"a": None}}}, 5)


def test_pooled_documents_are_of_named_runs_to_a_depth():
    with pytest.raises(BadInput, match=r"^runs is \[.*, of type list; expected {system: run} of two runs or more$"):
        pooled_documents([RUN, RUN], RUN)
    for depth in (0, "5", 1.5):
        with pytest.raises(BadInput, match=rf"^depth is {depth!r}; expected a whole number from 1$"):
            pooled_documents({"x": RUN, "y": RUN}, {"1": {"a": 1}}, depth=depth)


DOCUMENTS = pooled_documents({"x": RUN, "y": {"1": {"c": 2.0, "b": 1.0}}}, {"1": {"b": 1}}, depth=2)


def values_of(function, measure):
    match function.__name__:
        case "draw_documents":
            return function(DOCUMENTS, measure, 2, np.random.default_rng(1)).rows()
        case "sampled_differences":
            draws = draw_documents(DOCUMENTS, "P@2", 2, np.random.default_rng(1)).with_columns(grade=pl.Series([0, 1]))
            return function(DOCUMENTS, measure, draws).table.rows()
        case "predicted_scores":
            return function(DOCUMENTS, measure).values.tolist()
    chosen = function(DOCUMENTS, measure)
    return (chosen if isinstance(chosen, pl.DataFrame) else chosen.table).rows()


@pytest.mark.parametrize("function", [difference_bounds, next_documents, predicted_scores, draw_documents, sampled_differences])
def test_measures_are_named(function):
    assert values_of(function, "P@2") == values_of(function, parse_measure("P@2"))
    with pytest.raises(BadMeasure, match=r'^there is no measure "Pq"'):
        values_of(function, "Pq@2")


@pytest.mark.skipif(find_spec("ir_measures") is None, reason="ir_measures is not installed")
def test_measures_are_those_of_ir_measures():
    import ir_measures

    assert values_of(difference_bounds, ir_measures.P @ 2) == values_of(difference_bounds, "P@2")


def test_documents_are_pooled_first():
    with pytest.raises(BadInput, match=r"^documents is .*, of type dict; expected PooledDocuments, which pooled_documents makes"):
        difference_bounds({"x": RUN}, "P@2")


def test_an_interval_is_of_a_named_measure():
    values = evaluate({"1": {"a": 1.0}, "2": {"b": 1.0}}, {"1": {"a": 1}, "2": {"c": 1}}, "nDCG").values
    assert measure_interval(values, "nDCG") == measure_interval(values, parse_measure("nDCG"))
    with pytest.raises(BadInput, match=r"^column nDCG is of type String; expected numbers: convert it$"):
        measure_interval(values.with_columns(pl.col("nDCG").cast(pl.String)), "nDCG")
