"""The curves of a report: what they say by rank is what the measures with that cutoff say, for the same topics and grades."""

import polars as pl
import pytest

from ireval import evaluate
from judging.collections.storage import qrels_frame, run_frame, store_run
from metrics.kinds.runs import curves as tracing
from metrics.kinds.runs.curves import DEEPEST, PRECISION, curves, trace_curves
from metrics.kinds.runs.results import outcomes, values

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

MEASURES = {
    "CG": "CG",
    "ideal CG": "ICG",
    "nCG": "nCG",
    "nCG micro": "nCG(average='micro')",
    "DCG": "DCG",
    "ideal DCG": "IDCG",
    "nDCG": "nDCG",
    "nDCG micro": "nDCG(average='micro')",
}


def curves_of(report, place: int = 0):
    return curves(report, outcomes(report)[place])


@pytest.fixture
def half(runs, collection, researcher):
    """A run that has only the first of the two topics."""
    return store_run(run_frame(runs[0], topic="1"), collection=collection, name="half", by=researcher)


@pytest.mark.parametrize("topics", ["both", "qrels"])
@pytest.mark.parametrize("cutoff", [1, 2, 3, 100])
def test_each_rank_has_the_measures_mean_at_that_cutoff(ask, compute, half, qrels, topics, cutoff):
    traces = curves_of(compute(ask(runs=[half], topics=topics)))
    names = [f"{measure}@{cutoff}" for measure in MEASURES.values()]
    expected = evaluate(run_frame(half), qrels_frame(qrels), names, topics=topics).means()
    for curve, measure in MEASURES.items():
        ranks, reached = traces[curve]
        assert (ranks[0], ranks[-1], len(ranks)) == (1, DEEPEST, DEEPEST)
        assert reached[cutoff - 1] == pytest.approx(expected[f"{measure}@{cutoff}"])


@pytest.mark.parametrize("form", ["dcg='jk'", "dcg='jk',base=3", "dcg='exp-log2'", "gains={1:2,2:9}"])
@pytest.mark.parametrize("curve", ["DCG", "ideal DCG", "nDCG", "nDCG micro"])
def test_gains_are_discounted_as_the_question_says(ask, compute, runs, qrels, form, curve):
    traces = curves_of(compute(ask(runs=runs[:1], measures=f"AP nDCG({form})@10 nDCG@10")))
    name = {"ideal DCG": "IDCG", "nDCG micro": "nDCG"}.get(curve, curve)
    names = [f"{name}({form}{',average=micro' if 'micro' in curve else ''})@{rank}" for rank in (1, 2, 3, 5)]
    expected = evaluate(run_frame(runs[0]), qrels_frame(qrels), names).means().values()
    assert [traces[curve][1][rank - 1] for rank in (1, 2, 3, 5)] == pytest.approx(list(expected))


@pytest.mark.parametrize("relevant_from", [1, 2])
def test_roc_runs_from_corner_to_corner_by_the_grades_that_count_as_relevant(ask, compute, runs, relevant_from):
    """alpha: d1 d2 d4 for topic 1 (grades 2 1 0), d3 d5 d6 for topic 2 (2 0 −1), where d2 (1) is missing."""
    fpr, tpr = curves_of(compute(ask(runs=runs[:1], relevant_from=relevant_from)))["ROC"]
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
    assert sorted(fpr) == fpr and sorted(tpr) == tpr
    first = {1: (0, 1 / 2), 2: (0, 1)}[relevant_from]
    assert (fpr[1], tpr[1]) == pytest.approx(first)


def test_a_long_ranking_keeps_few_points_of_its_roc(runs, qrels):
    documents = [f"x{number}" for number in range(900)]
    long = pl.DataFrame(
        {"topic": ["1"] * 902, "docno": ["d1", *documents, "d4"], "score": [1000.0 - rank for rank in range(902)]}
    )
    spec = {"profile": "trec_eval-9", "topics": "both", "relevant_from": 1, "measures": ["AP"]}
    roc = trace_curves(long, qrels_frame(qrels), spec).points.filter(pl.col("curve") == "ROC")
    assert len(roc) <= 101
    assert roc["value"].to_list()[:2] == [0, 0.5]  # one of two relevant documents at rank 1
    assert roc["x"].to_list()[-2:] == [1, 1]  # the only document judged not relevant was reached


def test_topics_are_the_same_however_many_are_taken_at_a_time(runs, qrels, monkeypatch):
    spec = {"profile": "trec_eval-9", "topics": "qrels", "relevant_from": 1, "measures": ["AP"]}
    whole = trace_curves(run_frame(runs[1]), qrels_frame(qrels), spec).points
    monkeypatch.setattr(tracing, "TOPICS_AT_ONCE", 1)
    apart = trace_curves(run_frame(runs[1]), qrels_frame(qrels), spec).points
    assert apart["curve"].equals(whole["curve"])
    assert apart["value"].to_list() == pytest.approx(whole["value"].to_list())


def test_precision_by_recall_is_the_one_that_the_report_publishes(report):
    assert curves_of(report)[PRECISION][1] == outcomes(report)[0].precisions


def test_a_run_without_any_topic_of_the_qrels_has_no_curves(ask, compute, runs, collection, researcher):
    frame = run_frame(runs[0]).with_columns(topic=pl.lit("x"))
    other = store_run(frame, collection=collection, name="elsewhere", by=researcher)
    assert curves_of(compute(ask(runs=[other]))) == {}


def test_every_report_has_r_precision(ask, compute, runs, qrels):
    assert "Rprec" in values(compute(ask(measures="AP")), qrels=qrels.pk, run=runs[0].pk).columns
