"""Random runs and qrels, evaluated here and by trec_eval 9.0.8 (inside pytrec_eval-terrier)."""

import math

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from ireval import evaluate, parse_measures
from tests.conftest import examples
from tests.ireval.builders import qrels_of, run_of

ASKED = [
    *("num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "gm_bpref", "recip_rank", "infAP", "11pt_avg"),
    *("ndcg", "ndcg_rel", "Rndcg", "G", "binG", "utility", "num_nonrel_judged_ret"),
    *("set_P", "set_recall", "set_F", "set_map", "set_relative_P"),
    *("iprec_at_recall.0,0.1,0.2,0.25,0.3,0.4,0.5,0.6,0.7,0.75,0.8,0.9,1.0", "success.1,2,5,10"),
    "Rprec_mult.0.05,0.2,0.3,0.5,0.7,1.0,1.4,2.0,3.0",
    *(f"{stem}.1,2,3,5,7,10,15,1000" for stem in ("P", "recall", "relative_P", "ndcg_cut", "map_cut")),
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


def by_trec_eval(run, qrels, relevant_from: int, judged_only: bool = False, measures=ASKED) -> dict[str, dict[str, float]]:
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, set(measures), relevance_level=relevant_from, judged_docs_only_flag=judged_only
    )
    by_topic = evaluator.evaluate(run)
    return {topic: {name: of_one(name, value) for name, value in values.items()} for topic, values in by_topic.items()}


def of_one(name: str, value: float) -> float:
    """Logarithms of single topics to values, and what trec_eval divides by no document retrieved to nothing."""
    if name.startswith("gm_"):
        return math.exp(value)
    return 0 if math.isnan(value) else value


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("relevant_from", [1, 2])
@settings(max_examples=examples(150))
@given(data=st.data())
def test_every_value_of_every_topic_agrees(relevant_from, judged_only, data):
    run = data.draw(RUNS)
    qrels = data.draw(st.dictionaries(TOPICS, grades_of_a_topic(relevant_from), min_size=1))
    theirs = by_trec_eval(run, qrels, relevant_from, judged_only)
    rules = {"relevant_from": relevant_from, "judged_only": judged_only, "may_share_none": True}
    ours = evaluate(run_of(run), qrels_of(qrels), ASKED, **rules)
    assert ours.topics == sorted(set(run) & set(qrels), key=str.encode) == sorted(theirs, key=str.encode)
    for row in ours.values.iter_rows(named=True):
        for measure in ours.measures:
            value, expected = row[str(measure)], theirs[row["topic"]][measure.trec_name]
            assert math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-9), (row["topic"], measure, value, expected)


@pytest.mark.parametrize("judged_only", [False, True])
@given(run=RUNS, qrels=st.dictionaries(TOPICS, grades_of_a_topic(1), min_size=1))
def test_means_agree(judged_only, run, qrels):
    theirs = by_trec_eval(run, qrels, 1, judged_only)
    means = evaluate(run_of(run), qrels_of(qrels), ASKED, judged_only=judged_only, may_share_none=True).means()
    for measure in parse_measures(ASKED):
        name, value = measure.trec_name, means[str(measure)]
        if not theirs:
            assert value == 0 if measure.kind.whole else math.isnan(value)
            continue
        values = [math.log(of[name]) if name.startswith("gm_") else of[name] for of in theirs.values()]
        assert math.isclose(value, pytrec_eval.compute_aggregated_measure(name, values), rel_tol=1e-9, abs_tol=1e-9), name


@pytest.mark.parametrize("x", ["0.0", "0.5", "2.0", "4"])
@given(run=RUNS, qrels=st.dictionaries(TOPICS, grades_of_a_topic(1), min_size=1))
def test_the_weight_of_recall_agrees(x, run, qrels):
    theirs = by_trec_eval(run, qrels, 1, measures=[f"set_F_{x}"])
    ours = evaluate(run_of(run), qrels_of(qrels), f"SetF(x={x}) SetF(beta={float(x) ** 0.5})", may_share_none=True).values
    for topic, by_x, by_beta in ours.rows():
        assert by_x == pytest.approx(theirs[topic]["set_F"], abs=1e-9)
        assert by_beta == pytest.approx(by_x, abs=1e-9)
