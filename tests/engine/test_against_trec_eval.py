"""Random runs and qrels, evaluated here and by trec_eval 9.0.8 (inside pytrec_eval-terrier)."""

import math

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.engine import evaluate, parse_measures

from .builders import qrels_of, run_of

ASKED = [
    *("num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "bpref", "recip_rank", "ndcg"),
    *("iprec_at_recall.0,0.1,0.2,0.25,0.3,0.4,0.5,0.6,0.7,0.75,0.8,0.9,1.0", "success.1,2,5,10"),
    *(f"{stem}.1,2,3,5,7,10,15,1000" for stem in ("P", "recall", "ndcg_cut", "map_cut")),
]
TOPICS = st.sampled_from(["1", "2", "10", "q-é"])
DOCNOS = st.sampled_from([f"d{number}" for number in range(14)] + ["Z", "é", "日"])
# Ties, and scores that tie as 32-bit floats only.
SCORES = st.sampled_from([0.0, -0.0, 1.0, 2.0, -3.5, 0.1, 0.100000001, 16777216.0, 16777217.0, 1e-46]) | st.floats(-100, 100)
RUNS = st.dictionaries(TOPICS, st.dictionaries(DOCNOS, SCORES, min_size=1), min_size=1)


@st.composite
def grades_of_a_topic(draw, relevant_from: int):
    """Any grades, but one at least that is not below what bpref counts up to: trec_eval reads past its arrays otherwise."""
    grades = draw(st.dictionaries(DOCNOS, st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3]), min_size=1))
    if max(grades.values()) < relevant_from - 1:
        grades["elsewhere"] = relevant_from - 1
    return grades


def by_trec_eval(run, qrels, relevant_from: int) -> dict[str, dict[str, float]]:
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(ASKED), relevance_level=relevant_from)
    return evaluator.evaluate(run)


@pytest.mark.parametrize("relevant_from", [1, 2])
@settings(max_examples=150)
@given(data=st.data())
def test_every_value_of_every_topic_agrees(relevant_from, data):
    run = data.draw(RUNS)
    qrels = data.draw(st.dictionaries(TOPICS, grades_of_a_topic(relevant_from), min_size=1))
    theirs = by_trec_eval(run, qrels, relevant_from)
    ours = evaluate(run_of(run), qrels_of(qrels), ASKED, relevant_from=relevant_from)
    assert ours.topics == sorted(set(run) & set(qrels), key=str.encode) == sorted(theirs, key=str.encode)
    for row in ours.values.iter_rows(named=True):
        for measure in ours.measures:
            value, expected = row[str(measure)], theirs[row["topic"]][measure.trec_name]
            assert math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-9), (row["topic"], measure, value, expected)


@given(run=RUNS, qrels=st.dictionaries(TOPICS, grades_of_a_topic(1), min_size=1))
def test_means_agree(run, qrels):
    theirs = by_trec_eval(run, qrels, 1)
    means = evaluate(run_of(run), qrels_of(qrels), ASKED).means()
    for measure in parse_measures(ASKED):
        values = [values[measure.trec_name] for values in theirs.values()]
        expected = pytrec_eval.compute_aggregated_measure(measure.trec_name, values) if values else None
        if expected is None:
            assert means[str(measure)] == 0 if measure.kind.whole else math.isnan(means[str(measure)])
        else:
            assert math.isclose(means[str(measure)], expected, rel_tol=1e-9, abs_tol=1e-9)
