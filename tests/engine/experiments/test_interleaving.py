"""Interleaved lists: whose results were clicked, by hand, by other tools, by simulation and by laws."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.engine.experiments import VOTERS, BadExperiment, credit_table, interleaving

ROWS = [
    *(("ann", "q1", 2, 1), ("ann", "q1", 1, 0), ("ann", "q2", 0, 1)),
    *(("bob", "q1", 1, 1), ("bob", "q2", 0, 0), ("bob", "q3", 3, 0), ("cid", "q2", 0, 2)),
]
USER, QUERY, FIRST, SECOND = (list(column) for column in zip(*ROWS, strict=True))


@pytest.mark.parametrize(("voter", "counts"), [("impression", (3, 1, 2)), ("user", (2, 0, 1)), ("query", (2, 0, 1))])
def test_who_won_by_hand(voter, counts):
    found = interleaving(USER, QUERY, FIRST, SECOND, voter=voter)
    assert (found.wins, found.ties, found.losses) == counts
    assert found.score.value == pytest.approx((counts[0] + counts[1] / 2) / sum(counts))
    assert found.delta == found.score.value - 0.5
    assert (found.without_credit, found.users, found.queries) == (1, 3, 3)
    assert (found.by_users.wins, found.by_users.losses, found.by_users.dropped) == (2, 1, 1)


def test_the_table_of_queries():
    assert credit_table(QUERY, FIRST, SECOND).rows() == [
        ("q1", 3, 0, 2, 1, 0, 4.0, 2.0, pytest.approx(5 / 6)),
        ("q2", 2, 1, 0, 0, 2, 0.0, 3.0, 0.0),
        ("q3", 1, 0, 1, 0, 0, 3.0, 0.0, 1.0),
    ]


def test_where_users_vote_the_interval_is_students():
    rng = np.random.default_rng(4)
    user, first, second = rng.integers(0, 60, 300), rng.poisson(1.2, 300), rng.poisson(1, 300)
    found = interleaving(user, user, first, second, voter="user")
    won = pl.DataFrame({"user": user, "won": np.sign(first - second)}).group_by("user").agg(pl.col("won").sum())
    kept = np.unique(user[(first > 0) | (second > 0)])
    points = np.sign(won.sort("user").filter(pl.col("user").is_in(kept))["won"].to_numpy()) / 2 + 0.5
    expected = stats.ttest_1samp(points, 0.5)
    assert found.score.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert (found.score.low, found.score.high) == pytest.approx(tuple(expected.confidence_interval()))


def test_users_who_are_alike_within_do_not_make_findings():
    """1,000 experiments without a winner, whose users have tastes of their own; votes as if independent find too much."""
    rng = np.random.default_rng(9)
    clustered = naive = 0
    for _ in range(1000):
        user = np.repeat(np.arange(60), rng.integers(1, 12, 60))
        taste = rng.beta(2, 2, 60)[user]
        query = rng.integers(0, 10**6, len(user))
        first = rng.random(len(user)) < taste
        found = interleaving(user, query, first, ~first)
        clustered += found.score.p <= 0.05
        naive += stats.binomtest(found.wins, found.n).pvalue <= 0.05
    assert 29 <= clustered <= 74
    assert naive > 100


IMPRESSIONS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30
).filter(lambda rows: any(first or second for _, _, first, second in rows))


@given(IMPRESSIONS, st.sampled_from(VOTERS), st.randoms(use_true_random=False))
def test_laws(rows, voter, random):
    user, query, first, second = zip(*rows, strict=True)
    found = interleaving(user, query, first, second, voter=voter)
    turned = interleaving(user, query, second, first, voter=voter)
    assert (turned.wins, turned.ties, turned.losses) == (found.losses, found.ties, found.wins)
    assert turned.delta == pytest.approx(-found.delta)
    assert turned.score.p == pytest.approx(found.score.p, nan_ok=True)
    mixed = list(rows)
    random.shuffle(mixed)
    again = interleaving(*zip(*mixed, strict=True), voter=voter)
    assert again.score.value == pytest.approx(found.score.value)
    assert again.score.p == pytest.approx(found.score.p, nan_ok=True)
    table = credit_table(query, first, second)
    assert table["n"].sum() + table["without_credit"].sum() == len(rows)
    if voter == "impression":
        assert (table["wins"].sum(), table["losses"].sum()) == (found.wins, found.losses)


def test_a_single_user_says_nothing_of_others():
    found = interleaving(["u"] * 3, ["a", "b", "c"], [1, 1, 0], [0, 0, 1])
    assert found.score.undefined == "there is a single user" and math.isnan(found.delta_low)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((["u"], ["q"], [0], [0]), "no impression gave"),
        ((["u"], ["q", "r"], [1], [0]), "one user, query and two credits"),
        ((["u"], ["q"], [-1], [0]), "from 0"),
        ((["u"], ["q"], [math.nan], [0]), "from 0"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, why):
    with pytest.raises(BadExperiment, match=why):
        interleaving(*arguments)


def test_an_unknown_voter_is_refused():
    with pytest.raises(BadExperiment, match="no voter session"):
        interleaving(["u"], ["q"], [1], [0], voter="session")
