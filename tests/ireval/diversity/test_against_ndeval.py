"""Random runs and qrels with subtopics, evaluated here and by ndeval (inside pyndeval).

Where its conventions differ from ours, the test says so and how: its measures at a cutoff of 1 lack their normalisation, it
divides 0 by 0 in nNRBP, and it looks no further than rank 20.
"""

import math

import polars as pl
import pyndeval
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ireval import evaluate, parse_measure
from ireval.io.qrels import SUBTOPIC_SCHEMA
from tests.conftest import examples
from tests.ireval.builders import ranked, run_of

DEPTHS = (1, 2, 3, 5, 10, 20)
NAMES = {"ERR_IA": "ERR-IA", "nERR_IA": "nERR-IA", "P_IA": "P-IA", "StRecall": "strec"}
NAMES |= {"alpha_DCG": "alpha-DCG", "alpha_nDCG": "alpha-nDCG", "NRBP": "NRBP", "nNRBP": "nNRBP", "AP_IA": "MAP-IA"}
UNNORMALISED = {"ERR_IA@1", "alpha_DCG@1"}
DOCNOS = [f"d{number}" for number in range(12)] + ["Z", "é", "日"]
SUBTOPICS = st.dictionaries(st.sampled_from("abcde"), st.sampled_from([-1, 0, 0, 1, 1, 2]), min_size=1)
JUDGED = st.dictionaries(st.sampled_from([*DOCNOS, "elsewhere", "far away"]), SUBTOPICS, min_size=1, max_size=17)
RANKING = st.permutations(DOCNOS).flatmap(lambda order: st.integers(1, len(order)).map(lambda depth: order[:depth]))
# Powers of 1 − alpha that are exact: with others, ndeval lets rounding errors break ties in its ideal.
EXACT = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])

Judged = dict[str, dict[str, dict[str, int]]]


def subtopic_qrels(topics: Judged) -> pl.DataFrame:
    rows = [
        (topic, docno, grade, subtopic)
        for topic, judged in topics.items()
        for docno, grades in judged.items()
        for subtopic, grade in grades.items()
    ]
    return pl.DataFrame(rows, schema=SUBTOPIC_SCHEMA, orient="row")


def by_ndeval(runs: dict[str, list[str]], qrels: pl.DataFrame, measures: list[str], **rules) -> dict[str, dict[str, float]]:
    judgements = qrels.select("topic", "subtopic", "docno", "grade").rows()
    evaluator = pyndeval.RelevanceEvaluator(judgements, [ndeval_name(name) for name in measures], **rules)
    rows = [(topic, docno, score) for topic, order in runs.items() for docno, score in ranked(order).items()]
    return evaluator.evaluate(rows)


def ndeval_name(name: str) -> str:
    measure = parse_measure(name)
    return NAMES[measure.kind.name] + (f"@{measure.values['cutoff']}" if measure.kind.at else "")


def asked_with(alpha: float = 0.5, beta: float = 0.5) -> list[str]:
    names = [f"{name}(alpha={alpha})@{depth}" for name in ("alpha_DCG", "alpha_nDCG") for depth in DEPTHS]
    return [*names, f"NRBP(alpha={alpha},beta={beta})", f"nNRBP(alpha={alpha},beta={beta})"]


FIXED = [f"{name}@{depth}" for name in ("ERR_IA", "nERR_IA", "P_IA", "StRecall") for depth in DEPTHS] + ["AP_IA"]


def assert_alike(runs: dict[str, list[str]], qrels: pl.DataFrame, measures: list[str], relevant_from: int, **rules) -> None:
    theirs = by_ndeval(runs, qrels, measures, relevance_level=relevant_from, **rules)
    run = run_of({topic: ranked(order) for topic, order in runs.items()})
    ours = evaluate(run, qrels, measures, relevant_from=relevant_from, may_share_none=True)
    relevant = qrels.filter(pl.col("grade") >= relevant_from)
    intents = dict(relevant.group_by("topic").agg(pl.col("subtopic").n_unique()).iter_rows())
    assert set(ours.topics) == set(theirs)
    for row in ours.values.iter_rows(named=True):
        for name, measure in zip(measures, ours.measures, strict=True):
            expected = theirs[row["topic"]][ndeval_name(name)]
            if measure.kind.name + "@1" in UNNORMALISED and measure.values["cutoff"] == 1:
                expected /= intents.get(row["topic"], 1)
            if math.isnan(expected):
                assert measure.kind.name == "nNRBP" and row["topic"] not in intents
                expected = 0
            assert math.isclose(row[str(measure)], expected, rel_tol=1e-9, abs_tol=1e-9), (row["topic"], measure, expected)


TOPICS = st.sampled_from(["1", "10", "2", "q-é"])
RUNS = st.dictionaries(TOPICS, RANKING, min_size=1)
QRELS = st.dictionaries(TOPICS, JUDGED, min_size=1).map(subtopic_qrels)


@pytest.mark.parametrize("relevant_from", [1, 2])
@settings(max_examples=examples(150))
@given(runs=RUNS, qrels=QRELS)
def test_every_value_of_every_topic_agrees(relevant_from, runs, qrels):
    assert_alike(runs, qrels, FIXED, relevant_from)


@settings(max_examples=examples(150))
@given(runs=RUNS, qrels=QRELS, alpha=EXACT, beta=st.sampled_from([0.1, 0.5, 0.9]))
def test_so_it_does_with_other_parameters(runs, qrels, alpha, beta):
    assert_alike(runs, qrels, asked_with(alpha, beta), 1, alpha=alpha, beta=beta)


def test_an_example_of_pyndeval():
    """What its own README prints."""
    qrels = subtopic_qrels({"0": {"A": {"a": 1}, "B": {"b": 1}, "D": {"b": 1}, "C": {"c": 1}}})
    printed = {"ERR_IA@5": 0.3933, "nERR_IA@5": 0.8297, "alpha_DCG@20": 0.3997, "alpha_nDCG@10": 0.7868, "NRBP": 0.3906}
    printed |= {"nNRBP": 0.8620, "AP_IA": 0.5, "P_IA@5": 0.2, "StRecall@5": 0.6666}
    means = evaluate(run_of({"0": ranked(["A", "D", "E", "B"])}), qrels, list(printed)).means()
    assert means == pytest.approx({str(parse_measure(name)): value for name, value in printed.items()}, abs=1e-4)


def test_an_example_of_ir_measures():
    """What its own tests expect of ndeval."""
    qrels = subtopic_qrels(
        {"0": {"D1": {"0": 1}, "D2": {"0": 1, "1": 1}, "D3": {"1": 2}}, "1": {"D0": {"0": 1}, "D3": {"0": 2}, "D5": {"1": 2}}}
    )
    runs = {"0": {"D0": 0.8, "D2": 0.7, "D1": 0.3, "D3": 0.4, "D4": 0.1}, "1": {"D1": 0.8, "D3": 0.7, "D4": 0.3, "D2": 0.4}}
    evaluation = evaluate(run_of(runs), qrels, "ERR_IA@20")
    assert evaluation.values["ERR_IA@20"].to_list() == pytest.approx([0.4659, 0.1803], abs=1e-4)
    assert evaluation.means()["ERR_IA@20"] == pytest.approx(0.3231, abs=1e-4)
