"""Ladders of many systems: what is drawn again, and what intervals and ranks are made of."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchmarks.preferences import simulated
from ireval.agreement import Resampling
from ireval.preferences import DRAWN, BadVotes, bradley_terry, counts_of, ladder, preference, votes_of
from ireval.preferences.ladder import significantly_stronger
from ireval.preferences.robust_variance import robust_covariance
from ireval.preferences.vote_bootstrap import RESAMPLED, resampled_counts
from tests.ireval.preferences.builders import any_frame, votes_from

FEW = Resampling(resamples=40)


@pytest.fixture(scope="module")
def votes():
    return simulated(np.random.default_rng(3), np.array([0.8, 0.0, -0.2, -0.6]), topics=25, workers=12, overlap=2)


def drawn_from(votes, drawn, resamples=50):
    blocks = list(resampled_counts(votes, drawn, resamples, seed=1))
    return np.concatenate([block.wins for block in blocks]), np.concatenate([block.ties for block in blocks])


@pytest.mark.parametrize("drawn", RESAMPLED)
def test_resamples_are_of_the_same_size_on_average(votes, drawn):
    wins, ties = drawn_from(votes, drawn, 2000)
    counts = counts_of(votes)
    assert wins.mean(axis=0) == pytest.approx(counts.wins, rel=0.1, abs=0.5)
    assert ties.mean(axis=0) == pytest.approx(counts.ties, rel=0.1, abs=0.5)
    assert (ties == ties.transpose(0, 2, 1)).all()


def test_drawn_votes_stay_with_their_pair(votes):
    wins, ties = drawn_from(votes, "votes")
    assert (wins + wins.transpose(0, 2, 1) + ties == counts_of(votes).compared).all()


def test_drawn_topics_come_with_all_their_votes(votes):
    """Every topic has 12 votes, two on each of six pairs."""
    wins, ties = drawn_from(votes, "topics")
    assert ((wins + wins.transpose(0, 2, 1) + ties)[:, 0, 1] == 50).all()
    assert (wins.std(axis=0)[0, 1:] > 0).all()


def test_drawn_workers_come_with_all_their_votes():
    one_each = votes_from(*(f"q{n} a b left w{n % 3}" for n in range(30)))
    wins, _ = drawn_from(one_each, "workers")
    assert set((wins[:, 0, 1] % 10).tolist()) == {0}


def test_topics_and_workers_multiply():
    votes = votes_from("q1 a b left x", "q2 a b left y")
    wins, _ = drawn_from(votes, "topics and workers", 400)
    # Who judged which topic counts 0, 1, 2 times by the topic, and as often by the worker: 0·2 + 2·0, 1·1 + 1·1, 2·2 + 0·0 …
    assert set(wins[:, 0, 1].tolist()) == {0, 2, 4}


def test_strengths_of_resamples_are_those_of_their_counts(votes):
    """Drawn the same way, each fitted by itself from nothing."""
    standings = ladder(votes, resampling=FEW, drawn="topics")
    tail = stats.norm.cdf(np.sqrt(25 / 24) * stats.t.ppf(0.025, 24))  # Hesterberg's expanded percentiles
    wins, ties = (np.concatenate(part) for part in zip(*resampled_counts(votes, "topics", 40, 0), strict=True))
    counts = counts_of(votes)
    each = np.array([bradley_terry(type(counts)(counts.systems, *tables)).strength for tables in zip(wins, ties, strict=True)])
    assert standings.low == pytest.approx(np.quantile(each, tail, axis=0), abs=1e-7)
    assert standings.high == pytest.approx(np.quantile(each, 1 - tail, axis=0), abs=1e-7)
    apart = each[:, :, None] - each[:, None, :]
    above = (apart > 1e-7).mean(axis=0) + (abs(apart) <= 1e-7).mean(axis=0) / 2
    assert standings.above == pytest.approx(above)


def test_the_variance_of_two_strengths_is_that_of_their_score():
    """By the delta method: the log odds of a score m vary as the score does over (m (1 − m))²."""
    votes = simulated(np.random.default_rng(5), np.array([0.5, 0.0]), topics=40, workers=15, overlap=3, by_topic=1)
    strengths, score = bradley_terry(votes, "bradley-terry"), preference(votes, "s000", "s001").score
    covariance = robust_covariance(votes, strengths)
    of_difference = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert np.sqrt(of_difference) == pytest.approx(score.error / (score.value * (1 - score.value)))


def test_the_variance_of_many_strengths_is_that_of_left_out_topics():
    """One vote a worker, so that workers say no more than votes do: the jackknife over topics comes to nearly the same."""
    votes = simulated(np.random.default_rng(6), np.array([0.5, 0.0, -0.3]), topics=150, workers=450, overlap=1, by_topic=1)
    votes = replace(votes, worker=np.arange(len(votes)), workers=tuple(map(str, range(len(votes)))))
    errors = np.sqrt(np.diag(robust_covariance(votes, bradley_terry(votes))))
    without = np.array([fitted(votes.take(np.flatnonzero(votes.topic != topic))) for topic in range(150)])
    jackknife = np.sqrt(149 / 150 * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    assert errors == pytest.approx(jackknife, rel=0.03)


def fitted(votes):
    fit = bradley_terry(votes)
    return [*fit.strength, np.log(fit.nu)]


def test_drawn_strengths_vary_as_they_should(votes):
    standings = ladder(votes, resampling=Resampling(resamples=20_000), drawn="strengths")
    error = np.sqrt(np.diag(robust_covariance(votes, standings.strengths)))[:4]
    half = stats.t.ppf(0.975, 11) * error  # of twelve workers
    assert standings.high - standings.strengths.strength == pytest.approx(half, rel=0.05)
    assert standings.strengths.strength - standings.low == pytest.approx(half, rel=0.05)


def test_the_order_is_that_of_strengths(votes):
    standings = ladder(votes, resampling=FEW)
    frame = standings.frame()
    assert frame["rank"].to_list() == [1, 2, 3, 4]
    assert frame["strength"].is_sorted(descending=True)
    assert (frame["rank_low"] <= frame["rank"]).all() and (frame["rank"] <= frame["rank_high"]).all()
    assert frame["n"].to_list() == [150] * 4
    assert (frame["wins"] + frame["ties"] + frame["losses"] == frame["n"]).all()


def test_told_apart_by_the_largest_deviation_of_all():
    """Of three systems only the one far above is told from the others."""
    rng = np.random.default_rng(0)
    estimate = np.array([3.0, 0.1, 0.0])
    stronger = significantly_stronger(estimate + rng.normal(0, 0.3, (500, 3)), estimate, np.ones((3, 3), bool), 0.95)
    assert stronger.tolist() == [[False, True, True], [False, False, False], [False, False, False]]


def test_the_seed_decides(votes):
    standings, again, other = (ladder(votes, resampling=Resampling(resamples=40, seed=seed)) for seed in (1, 1, 2))
    assert (standings.low == again.low).all()
    assert (standings.low != other.low).all()


def test_resamples_without_a_finite_estimate_are_counted():
    votes = votes_from(*(f"q{n} a b {'left' if n else 'right'} w{n}" for n in range(6)))
    standings = ladder(votes, "bradley-terry", Resampling(resamples=500), drawn="topics")
    assert 100 < standings.with_prior < 250  # (5/6)⁶ = .33 of them lack the one topic that b won
    assert np.isfinite(standings.high).all()


def test_what_cannot_be_drawn_says_why():
    votes = votes_from("q1 a b left x", "q1 a b right y", "q1 c b right y")
    assert ladder(votes).undefined == "there is a single topic"
    assert np.isnan(ladder(votes).low).all()
    assert ladder(votes).rank_high.tolist() == [3, 3, 3]
    assert ladder(votes, drawn="workers").undefined == ""
    with pytest.raises(
        BadVotes, match="items cannot be drawn; expected one of strengths, votes, topics, workers, topics and workers"
    ):
        ladder(votes, drawn="items")


def test_what_no_resample_changes_has_no_interval():
    votes = votes_from(*(f"q{n} a b left w{n}" for n in range(5)))
    standings = ladder(votes, drawn="votes")
    assert np.isnan(standings.low).all()
    assert standings.rank.tolist() == [1, 2]
    assert standings.rank_high.tolist() == [2, 2]


def test_infinite_strengths_have_no_intervals():
    votes = votes_from("q1 a b left x", "q2 a b left y")
    assert ladder(votes, prior=0).undefined == "strengths are not finite"


def test_groups_that_were_never_compared_have_ranks_of_their_own():
    rows = [f"q{n} {pair} {'left' if n % 3 else 'right'} w{n}" for n in range(9) for pair in ("a b", "c d")]
    standings = ladder(votes_from(*rows), "bradley-terry", FEW)
    assert standings.rank.tolist() == [1, 2, 1, 2]
    assert standings.rank_high.max() == 2
    assert np.isnan(standings.above[:2, 2:]).all()
    assert standings.frame()["component"].to_list() == [1, 1, 2, 2]


@settings(max_examples=50)
@given(any_frame(), st.sampled_from(sorted(DRAWN)))
def test_any_votes_have_a_ladder(frame, drawn):
    standings = ladder(votes_of(frame), resampling=Resampling(resamples=5), drawn=drawn)
    assert (standings.rank_low <= standings.rank).all() and (standings.rank <= standings.rank_high).all()
    shares = standings.above + standings.above.T
    assert shares[~np.isnan(shares)] == pytest.approx(1)
    assert standings.frame().select(pl.col("strength").is_finite().all()).item()
