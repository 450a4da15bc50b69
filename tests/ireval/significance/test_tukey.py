"""Tukey's HSD, by its distribution and by randomisation, and how well that distribution is computed."""

import itertools
import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from ireval.significance import (
    Pairs,
    randomised_half_width,
    randomised_ranges,
    randomised_tukey,
    tukey,
    tukey_half_width,
    upper_quantile,
    upper_tail,
)
from ireval.significance.pairs import all_pairs
from ireval.significance.studentised_range import integrated

SHAPES = [(2, 1), (2, 2), (2, 7), (2, 49), (3, 1), (3, 6), (10, 441), (100, 4851), (1000, 48951)]


@pytest.mark.parametrize("freedom", [1, 2, 3, 5, 6, 10, 49, 51, 1000, 20_000])
def test_two_groups_are_students_t(freedom):
    q = np.concatenate([np.linspace(0, 30, 100), [100, 1000]])
    expected = 2 * stats.t.sf(q / math.sqrt(2), freedom)
    seen = expected > 1e-12
    assert upper_tail(q, 2, freedom)[seen] == pytest.approx(expected[seen], rel=1e-8)
    assert integrated(q, 2, freedom)[seen] == pytest.approx(expected[seen], rel=1e-8)


@pytest.mark.parametrize(("groups", "freedom"), [(3, 5), (3, 20), (10, 49), (100, 4851)])
def test_the_studentised_range_is_scipys(groups, freedom):
    q = np.linspace(0.5, 7, 3)
    expected = stats.studentized_range.sf(q, groups, freedom)
    assert upper_tail(q, groups, freedom) == pytest.approx(expected, abs=1e-9)
    critical = upper_quantile(0.05, groups, freedom)
    assert stats.studentized_range.sf(critical, groups, freedom) == pytest.approx(0.05, rel=1e-7)


@pytest.mark.parametrize(("groups", "freedom"), SHAPES)
@pytest.mark.parametrize("top", [6, 16, 80])
def test_interpolating_loses_less_than_a_hundred_millionth(groups, freedom, top):
    q = np.linspace(0, top, 1501)
    some = slice(3, None, 67)
    exact = integrated(q[some], groups, freedom)
    seen = exact > 1e-12
    assert upper_tail(q, groups, freedom)[some][seen] == pytest.approx(exact[seen], rel=1e-8)


@pytest.mark.parametrize(("groups", "freedom"), SHAPES)
def test_more_nodes_would_change_nothing(groups, freedom, monkeypatch):
    from ireval.significance import studentised_range

    q = np.linspace(0, 20, 20)
    chances = integrated(q, groups, freedom)
    for name in ("NODES_OF_RANGE", "NODES_OF_SPREAD", "NODES_OF_WIDE_SPREAD"):
        monkeypatch.setattr(studentised_range, name, 2 * getattr(studentised_range, name))
    finer = integrated(q, groups, freedom)
    assert chances[finer > 1e-12] == pytest.approx(finer[finer > 1e-12], rel=1e-8)


def scores_of_three_systems() -> np.ndarray:
    return np.array([[0.1, 0.2, 0.5], [0.3, 0.3, 0.6], [0.2, 0.4, 0.4], [0.4, 0.3, 0.7]])


def test_tukey_is_the_two_way_layouts():
    scores, pairs = scores_of_three_systems(), all_pairs(3)
    n, m = scores.shape
    rest = scores - scores.mean(axis=1)[:, None] - scores.mean(axis=0)[None, :] + scores.mean()
    error = math.sqrt((rest**2).sum() / ((n - 1) * (m - 1)) / n)
    apart = np.abs(pairs.differences(scores).mean(axis=0))
    assert tukey(scores, pairs) == pytest.approx(stats.studentized_range.sf(apart / error, m, (n - 1) * (m - 1)), abs=1e-9)
    half = stats.studentized_range.ppf(0.95, m, (n - 1) * (m - 1)) * error
    assert tukey_half_width(scores) == pytest.approx(half, rel=1e-6)


def test_two_systems_are_a_paired_t_test():
    scores = np.random.default_rng(1).normal(0, 1, (20, 2))
    assert tukey(scores, all_pairs(2)) == pytest.approx(stats.ttest_rel(*scores.T).pvalue)
    low, high = stats.ttest_rel(*scores.T).confidence_interval()
    assert tukey_half_width(scores) == pytest.approx((high - low) / 2)


def test_randomised_ranges_are_those_of_all_deals():
    scores, pairs = scores_of_three_systems(), all_pairs(3)
    deals = itertools.product(itertools.permutations(range(3)), repeat=4)
    every = np.array(
        [np.ptp(np.mean([row[list(deal)] for row, deal in zip(scores, orders, strict=True)], axis=0)) for orders in deals]
    )
    exact = [np.mean(every >= apart - 1e-9) for apart in np.abs(pairs.differences(scores).mean(axis=0))]
    p = randomised_tukey(scores, pairs, randomised_ranges(scores, np.random.default_rng(2), 20_000))
    assert p == pytest.approx(exact, abs=4 * math.sqrt(0.25 / 20_000))


def test_systems_alike_randomised_agree_with_the_distribution():
    rng = np.random.default_rng(1)
    scores, pairs = rng.normal(0, 1, (100, 10)) + rng.normal(0, 2, (100, 1)), all_pairs(10)
    ranges = randomised_ranges(scores, rng, 4000)
    assert randomised_tukey(scores, pairs, ranges) == pytest.approx(tukey(scores, pairs), abs=0.05)
    assert randomised_half_width(ranges) == pytest.approx(tukey_half_width(scores), rel=0.05)


def test_real_systems_randomised_find_no_more_than_the_distribution(shared_data):
    """What the systems differ by is dealt out, too, and taken for chance: that makes the randomised test the more careful one."""
    scores = pl.read_csv(shared_data / "significance_urbano2019" / "web2013_ndcg20.csv").to_numpy()[:, :10]
    ranges = randomised_ranges(scores, np.random.default_rng(1), 4000)
    assert (randomised_tukey(scores, all_pairs(10), ranges) >= tukey(scores, all_pairs(10)) - 0.01).all()


@pytest.mark.slow
def test_all_systems_alike_raise_an_alarm_in_one_experiment_of_twenty():
    rng = np.random.default_rng(6)
    alarms = [0, 0]
    for _ in range(200):
        scores = rng.normal(0, 1, (8, 4)) + rng.normal(0, 3, (8, 1))
        alarms[0] += tukey(scores, all_pairs(4)).min() <= 0.05
        alarms[1] += randomised_tukey(scores, all_pairs(4), randomised_ranges(scores, rng, 199)).min() <= 0.05
    assert all(abs(count - 10) <= 4 * math.sqrt(200 * 0.05 * 0.95) for count in alarms)


def test_where_nothing_can_be_said():
    pairs = Pairs(np.array([0, 0]), np.array([1, 2]))
    assert np.isnan(tukey(np.empty((0, 3)), pairs)).all()
    assert np.isnan(tukey(np.array([[0.1, 0.2, 0.3]]), pairs)).all()
    alike = tukey(np.array([[0.1, 0.1, 0.3], [0.2, 0.2, 0.4]]), pairs)  # topic and system explain everything
    assert alike[0] == 1
    assert math.isnan(alike[1])
    assert tukey_half_width(np.array([[0.1, 0.1, 0.3], [0.2, 0.2, 0.4]])) == 0
