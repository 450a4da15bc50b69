"""The numbers of a report, held against evaluators that nobody here wrote."""

import csv

import numpy as np
import pytest
import pytrec_eval
from scipy import stats

from ireval import read_qrels, read_run
from judging.collections.storage import qrels_frame, run_frame, store_qrels, store_run
from metrics.kinds.runs.results import outcomes, values
from tests.metrics.conftest import GRADES

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

MEASURES = {"AP": "map", "P@5": "P_5", "RR": "recip_rank", "nDCG@10": "ndcg_cut_10", "R@5": "recall_5", "Rprec": "Rprec"}


def oracle(run, relevant_from: int = 1) -> dict:
    ranking: dict = {}
    for topic, docno, score in run_frame(run).select("topic", "docno", "score").iter_rows():
        ranking.setdefault(topic, {})[docno] = score
    return pytrec_eval.RelevanceEvaluator(GRADES, set(MEASURES.values()), relevance_level=relevant_from).evaluate(ranking)


@pytest.mark.parametrize("relevant_from", [1, 2])
def test_per_topic_values_and_means_are_those_of_trec_eval(ask, compute, runs, qrels, relevant_from):
    report = compute(ask(measures=list(MEASURES), relevant_from=relevant_from))
    for outcome, run in zip(outcomes(report), runs, strict=True):
        expected = oracle(run, relevant_from)
        frame = values(report, qrels=qrels.pk, run=run.pk)
        for name, trec in MEASURES.items():
            single = [expected[topic][trec] for topic in frame["topic"]]
            assert frame[name].to_list() == pytest.approx(single, abs=1e-9)
            assert outcome.means[name].mean == pytest.approx(np.mean(single), abs=1e-9)


def test_the_interval_is_students_within_the_measures_range(report, runs, qrels):
    single = values(report, qrels=qrels.pk, run=runs[0].pk)["AP"].to_numpy()
    low, high = stats.t.interval(0.95, len(single) - 1, single.mean(), stats.sem(single))
    estimate = outcomes(report)[0].means["AP"]
    assert (estimate.low, estimate.high) == pytest.approx((max(low, 0), min(high, 1)))
    assert low < 0  # of two topics


def test_judged_counts_every_grade(report):
    """alpha shows d1 d2 d4, all judged, and d3 d5 d6, all judged; beta d2 d6 d1 and d4 d3 d5: two of three each time."""
    assert [outcome.judged for outcome in outcomes(report)] == pytest.approx([1, 2 / 3])


def test_topics_that_a_run_lacks_count_only_when_asked_to(ask, compute, runs, collection, researcher):
    half = store_run(run_frame(runs[0], topic="1"), collection=collection, name="half", by=researcher)
    both = outcomes(compute(ask(runs=[half], measures="AP")))[0]
    every = outcomes(compute(ask(runs=[half], measures="AP", topics="qrels")))[0]
    assert (both.topics, every.topics) == (1, 2)
    assert every.means["AP"].mean == pytest.approx(both.means["AP"].mean / 2)
    assert both.means["AP"].low is None  # one topic says nothing about the others


def test_a_run_without_any_topic_of_the_qrels_has_no_mean(ask, compute, qrels):
    other = store_qrels(
        qrels_frame(qrels).with_columns(topic=qrels_frame(qrels)["topic"] + "x"),
        collection=qrels.collection,
        name="x",
        by=qrels.created_by,
    )
    outcome = outcomes(compute(ask(qrels=[other])))[0]
    assert (outcome.topics, outcome.means["AP"].mean, outcome.judged, outcome.precisions) == (0, None, None, [None] * 11)


def test_counts_are_sums(ask, compute):
    outcome = outcomes(compute(ask(measures="num_ret num_rel num_rel_ret")))[0]
    assert [estimate.mean for estimate in outcome.means.values()] == [6, 4, 3]
    assert all(estimate.low is None for estimate in outcome.means.values())


def test_the_official_figures_of_trec_covid(shared_data, researcher, compute):
    from judging.models import Collection
    from metrics.kinds.runs.question import request_report

    folder = shared_data / "trec_covid_r1"
    collection = Collection.objects.create(name="TREC-COVID", owner=researcher)
    qrels = store_qrels(read_qrels(folder / "qrels-rnd1.txt"), collection=collection, name="round 1", by=researcher)
    runs = [
        store_run(read_run(path), collection=collection, name=path.stem, by=researcher)
        for path in sorted((folder / "runs").glob("*.xz"))
    ]
    report = compute(
        request_report(
            collection=collection, runs=runs, qrels=[qrels], measures="ndcg_cut_10 P_5 map", topics="qrels", by=researcher
        )
    )
    with (folder / "leaderboard.csv").open() as file:
        official = {row["run"]: (row["ndcg@10"], row["p@5"], row["MAP"]) for row in csv.DictReader(file)}
    figures = {
        outcome.name: tuple(f"{outcome.means[name].mean:.4f}" for name in ("nDCG@10", "P@5", "AP"))
        for outcome in outcomes(report)
    }
    assert len(figures) == 21
    assert figures == {name: official[name] for name in figures}


def test_a_size_that_the_collection_cannot_have_fails_the_report_in_words(ask, compute, runs):
    """What alpha retrieved or is relevant for topic 2 is four documents."""
    failed = compute(ask(runs=runs[:1], measures="Fallout(documents=2)"))
    assert failed.state == "failed"
    assert failed.error.startswith("documents is 2, but 4 were retrieved or are relevant for topic 2")
    assert compute(ask(runs=runs[:1], measures="Fallout(documents=50)")).state == "done"
