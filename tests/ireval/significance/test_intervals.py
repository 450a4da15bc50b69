"""Intervals agree with scipy's, and say nothing where nothing can be said."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from ireval import bootstrap_interval, mean_interval, measure_interval, parse_measure
from ireval.significance.students_t import expanded_tail

SAMPLES = st.lists(st.floats(0, 1), min_size=2, max_size=40).filter(lambda values: np.ptp(values) > 1e-3)


@given(values=SAMPLES, confidence=st.sampled_from([0.9, 0.95, 0.99]))
def test_students_interval_is_scipys(values, confidence):
    theirs = stats.ttest_1samp(values, 0).confidence_interval(confidence)
    assert mean_interval(values, confidence) == pytest.approx((np.mean(values), *theirs), abs=1e-9)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@given(values=SAMPLES.filter(lambda values: len(values) > 3), seed=st.integers(0, 1000))
def test_the_bootstrap_is_scipys(method, values, seed):
    """The same resamples, drawn in the same order by the same generator: only the arithmetic is compared.

    Scipy does not expand for few topics, which is a higher confidence. Values are such that no sum is rounded: scipy takes the
    same topics in another order for another mean if rounding says so.
    """
    values = [round(64 * value) / 64 for value in values]
    assume(len(set(values)) > 1)
    n = len(values)
    means = np.array(values)[np.random.default_rng(seed).integers(0, n, (500, n))].mean(axis=1)
    confidence = 1 - 2 * expanded_tail(n, 0.95)
    prepared = stats.bootstrap(
        (values,), np.mean, n_resamples=500, confidence_level=confidence, method=method, rng=np.random.default_rng(seed)
    )
    assert np.sort(prepared.bootstrap_distribution) == pytest.approx(np.sort(means))
    ours = bootstrap_interval(values, np.random.default_rng(seed), method=method, samples=500)
    theirs = prepared.confidence_interval
    if not np.isnan(theirs.low):
        assert ours == pytest.approx((np.mean(values), theirs.low, theirs.high), abs=1e-9)


def test_the_bootstrap_does_not_depend_on_how_sums_are_rounded():
    whole = [8, 6, 7, 3, 8]
    tenths = bootstrap_interval([number / 10 for number in whole], np.random.default_rng(1))
    assert [10 * end for end in tenths] == pytest.approx(bootstrap_interval(whole, np.random.default_rng(1)))


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_many_topics_are_resampled_in_portions(method, monkeypatch):
    from ireval.significance import weights

    values = np.random.default_rng(5).beta(0.5, 2, 200)
    at_once = bootstrap_interval(values, np.random.default_rng(1), method=method)
    monkeypatch.setattr(weights, "BLOCK", 1000)
    assert bootstrap_interval(values, np.random.default_rng(1), method=method) == at_once


def test_the_same_seed_gives_the_same_interval():
    values = np.random.default_rng(7).uniform(size=30)
    first, second, other = (bootstrap_interval(values, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == second != other


@pytest.mark.parametrize("interval", [mean_interval, lambda values: bootstrap_interval(values, np.random.default_rng(1))])
def test_where_nothing_can_be_said(interval):
    assert all(math.isnan(number) for number in interval([]))
    assert interval([0.4]).mean == 0.4
    assert math.isnan(interval([0.4]).low) and math.isnan(interval([0.4]).high)
    assert interval([0.3, 0.3, 0.3]) == (0.3, 0.3, 0.3)


@given(values=SAMPLES)
def test_intervals_surround_the_mean(values):
    for interval in (
        mean_interval(values),
        bootstrap_interval(values, np.random.default_rng(0), samples=200, method="percentile"),
    ):
        assert interval.low <= interval.mean + 1e-9
        assert interval.mean - 1e-9 <= interval.high


def test_nearly_all_intervals_of_nearly_normal_samples_cover_the_truth():
    rng = np.random.default_rng(42)
    intervals = [mean_interval(rng.normal(0.3, 0.1, 25)) for _ in range(2000)]
    assert 0.94 < np.mean([interval.low <= 0.3 <= interval.high for interval in intervals]) < 0.96


@given(values=st.lists(st.sampled_from([0.01, 0.25, 1 / 3, 0.5, 1.0]), min_size=1, max_size=6))
@pytest.mark.parametrize("name", ["RR", "P@5", "SL@10", "GMAP", "NumRet"])
def test_intervals_of_measures_stay_within_their_range(name, values):
    """And move no end that lies within it."""
    measure = parse_measure(name)
    mean, low, high = measure_interval(pl.DataFrame({name: values}), measure)
    if measure.kind.aggregate in ("sum", "geometric mean") or len(values) < 2:
        assert math.isnan(low) and math.isnan(high)
        return
    uncut, (lowest, highest) = mean_interval(values), measure.kind.range
    assert low == max(uncut.low, min(lowest, mean))
    assert high == min(uncut.high, max(highest, mean))
    assert min(lowest, mean) <= low <= mean <= high
