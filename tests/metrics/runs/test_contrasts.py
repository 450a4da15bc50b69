"""Differences between all pairs of runs, computed when a report is published: checked against scipy."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from ireval.io.tables import parquet_of
from metrics import tasks
from metrics.kinds.runs import contrasts, differences
from metrics.kinds.runs.results import values

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def content_of(report) -> bytes:
    return bytes(report.tables.get(name="differences").content)


def stored(report) -> pl.DataFrame:
    return differences.stored(report)


def per_topic(report, measure) -> dict[int, np.ndarray]:
    qrels = report.spec["qrels"][0]["id"]
    return {run["id"]: values(report, qrels=qrels, run=run["id"])[measure].to_numpy() for run in report.spec["runs"]}


def test_every_pair_under_every_measure_is_there_once(many):
    rows = stored(many).select("measure", "first", "second").rows()
    ids = [run["id"] for run in many.spec["runs"]]
    pairs = [(first, second) for place, first in enumerate(ids) for second in ids[place + 1 :]]
    assert rows == [(measure, *pair) for measure in ("nDCG@10", "AP") for pair in pairs]


def test_numbers_are_scipys(many):
    by_run = per_topic(many, "AP")
    for row in stored(many).filter(measure="AP").iter_rows(named=True):
        first, second = by_run[row["first"]], by_run[row["second"]]
        student = stats.ttest_rel(first, second)
        ends = student.confidence_interval()
        assert row["n"] == len(first)
        expected = (np.mean(first - second), student.pvalue, ends.low, ends.high)
        assert (row["difference"], row["p_t"], row["low"], row["high"]) == pytest.approx(expected)


def test_the_randomisation_test_is_close_to_scipys(many):
    by_run = per_topic(many, "AP")
    for row in stored(many).filter(measure="AP").iter_rows(named=True):
        by_scipy = stats.permutation_test(
            (by_run[row["first"]], by_run[row["second"]]),
            lambda a, b, axis: np.mean(a - b, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=10_000,
            rng=np.random.default_rng(1),
        )
        assert row["p_randomisation"] == pytest.approx(by_scipy.pvalue, abs=0.02)


def test_randomised_tukey_is_close_to_tukeys_hsd_and_no_milder_than_one_pair_alone(many):
    rows = stored(many).filter(measure="AP")
    assert (rows["p_tukey"] >= rows["p_randomisation"] - 0.02).all()
    assert rows["half"].n_unique() == 1


def test_computed_again_it_is_the_same_to_the_byte(many):
    assert parquet_of(contrasts.differences(many)) == content_of(many)


def test_a_report_of_one_run_has_no_differences(ask, compute, runs):
    frame = stored(compute(ask(runs=runs[:1])))
    assert frame.schema == contrasts.SCHEMA
    assert frame.is_empty()


def test_counts_and_geometric_means_are_not_compared(ask, compute):
    report = compute(ask(measures="AP GMAP NumRet"))
    assert stored(report)["measure"].unique().to_list() == ["AP"]


def test_topics_that_a_run_does_not_count_are_left_out_for_all(ask, compute, runs, collection, researcher):
    from judging.collections.storage import store_run

    frame = pl.DataFrame({"topic": ["1"], "docno": ["d1"], "score": [1.0]})
    partial = store_run(frame, collection=collection, name="partial", by=researcher, source_name="partial.txt")
    report = compute(ask(runs=[*runs, partial]))
    assert stored(report)["n"].unique().to_list() == [1]
    assert stored(report)["p_t"].null_count() == len(stored(report))  # nothing can be said with one topic


def test_what_would_take_too_long_is_left_out(many, monkeypatch):
    monkeypatch.setattr(contrasts, "SECONDS", 0.05)
    frame = contrasts.differences(many)
    known = frame.group_by("measure").agg(pl.col("p_t", "p_tukey").is_not_null().all()).sort("measure").rows()
    assert known == [("AP", True, False), ("nDCG@10", True, True)]
    monkeypatch.setattr(contrasts, "MOST_PAIRS", 10)
    frame = contrasts.differences(many)
    assert frame["measure"].unique().to_list() == ["nDCG@10"]


def test_differences_are_published_with_the_result_and_only_once(many):
    before = content_of(many)
    many.tables.filter(name="differences").update(content=b"kept")
    tasks.begin_report(many.pk)
    many.refresh_from_db()
    assert content_of(many) == b"kept" != before
