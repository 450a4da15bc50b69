"""Simulated studies of known systems: intervals hold the truth and tests find nothing where there is nothing, as often as they
say.

Bounds are ± 3.3 standard deviations of a binomial of so many studies, which chance leaves once in a thousand. `python -m
benchmarks.preferences --coverage 1000` has more worlds; docs/reference/preferences.md its figures.
"""

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchmarks.preferences import simulated
from ireval.agreement import Resampling
from ireval.preferences import bradley_terry, ladder, preference, votes_of
from tests.ireval.rates import experiments

STUDIES = experiments(1000)
pytestmark = pytest.mark.soak(short=True)


def bounds(share, n=STUDIES):
    spread = 3.3 * math.sqrt(share * (1 - share) / n)
    return share - spread, share + spread


def size_of_sign_test(decided):
    """How often the exact test rejects at .05 when there is nothing, given how many are decided: less, its p being few."""
    lost = np.arange(decided + 1)
    p = np.minimum(1, 2 * stats.binom.cdf(np.minimum(lost, decided - lost), decided, 0.5))
    return stats.binom.pmf(lost, decided, 0.5)[p <= 0.05].sum()


@pytest.fixture(scope="module")
def null_studies():
    """The same system twice: topics on which people prefer what is on some side of chance, workers who lean to a side."""
    rng = np.random.default_rng(7)
    worlds = (simulated(rng, np.zeros(2), topics=50, workers=30, overlap=3, by_topic=1.5, side=1) for _ in range(STUDIES))
    return [preference(votes, "s000", "s001") for votes in worlds]


def test_the_test_over_topics_rejects_at_its_size(null_studies):
    size = np.mean([size_of_sign_test(study.by_topics.wins + study.by_topics.losses) for study in null_studies])
    assert 0.02 < size <= 0.05
    low, high = bounds(size)
    assert low < np.mean([study.by_topics.dropped <= 0.05 for study in null_studies]) < high


@pytest.mark.parametrize("ties", ["split", "kept"])
def test_neither_do_the_other_ways_to_count_ties_reject_too_often(null_studies, ties):
    assert np.mean([getattr(study.by_topics, ties) <= 0.05 for study in null_studies]) < bounds(0.05)[1]


def test_the_test_over_votes_rejects_far_too_often(null_studies):
    """Which is why it is not the one to report."""
    assert np.mean([study.by_votes.dropped <= 0.05 for study in null_studies]) > max(0.1, bounds(0.05)[1])


def test_the_interval_of_the_score_leaves_out_a_half_as_seldom_as_it_says(null_studies):
    low, high = bounds(0.95)
    assert low < np.mean([study.score.low <= 0.5 <= study.score.high for study in null_studies]) < high
    for study in null_studies:
        assert (study.score.p <= 0.05) == (not study.score.low < 0.5 < study.score.high)


def test_the_interval_of_the_score_holds_the_truth():
    """Systems that differ, on topics and to workers of whom each has tastes of their own."""
    world = {"by_topic": 1.0, "by_worker": 0.5, "side": 0.5}
    truth = simulated(
        np.random.default_rng(0), np.array([0.6, 0]), topics=200_000, workers=20_000, overlap=1, **world
    ).points.mean()
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(STUDIES):
        score = preference(simulated(rng, np.array([0.6, 0]), topics=60, workers=40, overlap=3, **world), "s000", "s001").score
        held += score.low <= truth <= score.high
    low, high = bounds(0.95)
    assert low < held / STUDIES < high


WORLDS = {"votes": {}, "topics": {"by_topic": 0.7}, "strengths": {"by_topic": 0.7, "by_worker": 0.5, "side": 0.5}}


@pytest.mark.slow
@pytest.mark.parametrize("drawn", WORLDS)
def test_intervals_of_strengths_hold_the_truth_and_ranks_are_right(drawn):
    """Each way to draw in the world that it is for."""
    studies = STUDIES // 2
    strength, world = np.array([0.5, 0.1, -0.6]), WORLDS[drawn]
    large = simulated(np.random.default_rng(0), strength, topics=100_000, workers=20_000, overlap=1, **world)
    truth = bradley_terry(large).strength if world else strength
    rng = np.random.default_rng(2)
    held, right = [], 0
    for seed in range(studies):
        votes = simulated(rng, strength, topics=40, workers=25, overlap=2, **world)
        standings = ladder(votes, resampling=Resampling(resamples=200, seed=seed), drawn=drawn)
        held.append((standings.low <= truth) & (truth <= standings.high))
        right += bool(((standings.rank_low <= [1, 2, 3]) & (standings.rank_high >= [1, 2, 3])).all())
    low, high = bounds(0.95, studies)
    assert (low < np.mean(held, axis=0)).all()
    assert (np.mean(held, axis=0) < high).all()
    assert right / studies > low


def test_ladders_with_an_unbeaten_system_hold_its_strength():
    """Its votes fit the estimate perfectly, which is no reason to be sure of it."""
    rng, strength = np.random.default_rng(3), np.array([2.0, 0.0])
    held = []
    while len(held) < 60:
        votes = simulated(rng, strength, topics=10, workers=5, overlap=1)
        if bradley_terry(votes).unbounded:
            standings = ladder(votes, resampling=Resampling(resamples=200, seed=len(held)))
            held.append((standings.low <= strength - 1) & (strength - 1 <= standings.high))
    assert np.mean(held) > 0.9


def test_groups_of_a_single_topic_have_no_intervals():
    """Two systems on one topic, two others on another; every vote by a worker of its own."""
    rows = [(f"q{pair}", f"{pair}a", f"{pair}b", winner) for pair in (1, 2) for winner in ["left"] * 7 + ["right"] * 3]
    votes = votes_of(pl.DataFrame(rows, schema=["item", "left", "right", "winner"], orient="row"))
    standings = ladder(votes, resampling=Resampling(resamples=200))
    assert np.isnan([standings.low, standings.high, standings.average_low, standings.average_high]).all()
    assert np.isnan(standings.above[0, 1])
    assert standings.rank_low.tolist() == [1, 1, 1, 1]
    assert standings.rank_high.tolist() == [2, 2, 2, 2]
