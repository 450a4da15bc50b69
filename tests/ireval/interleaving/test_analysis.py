"""Interleaved lists: whose results were clicked, by hand, by other tools, by simulation and by laws."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval.experiments import BadExperiment
from ireval.interleaving import VOTERS, Credits, compare_interleaved, compare_multileaved, credit_table, interleave, scored
from ireval.significance import holm
from ireval.significance.sequences import sequence_half_width, sequence_rho
from tests.ireval.interleaving.rankings import rankings
from tests.ireval.interleaving.test_scores import shown_of
from tests.ireval.rates import as_agreed, experiments

ROWS = [
    *(("ann", "q1", 2, 1), ("ann", "q1", 1, 0), ("ann", "q2", 0, 1)),
    *(("bob", "q1", 1, 1), ("bob", "q2", 0, 0), ("bob", "q3", 3, 0), ("cid", "q2", 0, 2)),
]
USER, QUERY, FIRST, SECOND = (list(column) for column in zip(*ROWS, strict=True))


def of_two(user, query, first, second):
    return Credits(user, query, {"x": first, "y": second})


@pytest.mark.parametrize(("voter", "counts"), [("impression", (3, 1, 2)), ("user", (2, 0, 1)), ("query", (2, 0, 1))])
def test_who_won_by_hand(voter, counts):
    comparison = compare_interleaved(of_two(USER, QUERY, FIRST, SECOND), voter=voter)
    assert (comparison.wins, comparison.ties, comparison.losses) == counts
    assert comparison.score.value == pytest.approx((counts[0] + counts[1] / 2) / sum(counts))
    assert comparison.delta == comparison.score.value - 0.5
    assert (comparison.without_credit, comparison.users, comparison.queries) == (1, 3, 3)
    assert (comparison.by_users.wins, comparison.by_users.losses, comparison.by_users.dropped) == (2, 1, 1)


def test_the_table_of_queries():
    assert credit_table(of_two(USER, QUERY, FIRST, SECOND)).rows() == [
        ("q1", 3, 0, 2, 1, 0, 4.0, 2.0, pytest.approx(5 / 6)),
        ("q2", 2, 1, 0, 0, 2, 0.0, 3.0, 0.0),
        ("q3", 1, 0, 1, 0, 0, 3.0, 0.0, 1.0),
    ]


def test_where_users_vote_the_interval_is_students():
    rng = np.random.default_rng(4)
    user, first, second = rng.integers(0, 60, 300), rng.poisson(1.2, 300), rng.poisson(1, 300)
    comparison = compare_interleaved(of_two(user, user, first, second), voter="user")
    won = pl.DataFrame({"user": user, "won": np.sign(first - second)}).group_by("user").agg(pl.col("won").sum())
    kept = np.unique(user[(first > 0) | (second > 0)])
    points = np.sign(won.sort("user").filter(pl.col("user").is_in(kept))["won"].to_numpy()) / 2 + 0.5
    expected = stats.ttest_1samp(points, 0.5)
    assert comparison.score.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert (comparison.score.low, comparison.score.high) == pytest.approx(tuple(expected.confidence_interval()))


def test_users_who_are_alike_within_do_not_make_findings():
    """1,000 experiments without a winner, whose users have tastes of their own; votes as if independent find too much."""
    rng = np.random.default_rng(9)
    clustered = naive = 0
    for _ in range(1000):
        user = np.repeat(np.arange(60), rng.integers(1, 12, 60))
        taste = rng.beta(2, 2, 60)[user]
        query = rng.integers(0, 10**6, len(user))
        first = rng.random(len(user)) < taste
        comparison = compare_interleaved(of_two(user, query, first, ~first))
        clustered += comparison.score.p <= 0.05
        naive += stats.binomtest(comparison.wins, comparison.n).pvalue <= 0.05
    assert 29 <= clustered <= 74
    assert naive > 100


IMPRESSIONS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30
).filter(lambda rows: any(first or second for _, _, first, second in rows))


WAYS = [*((voter, "wins") for voter in VOTERS), ("impression", "credit")]


@given(IMPRESSIONS, st.sampled_from(WAYS), st.randoms(use_true_random=False))
def test_laws(rows, way, random):
    voter, by = way
    user, query, first, second = zip(*rows, strict=True)
    comparison = compare_interleaved(of_two(user, query, first, second), voter=voter, by=by)
    turned = compare_interleaved(of_two(user, query, second, first), voter=voter, by=by)
    assert (turned.wins, turned.ties, turned.losses) == (comparison.losses, comparison.ties, comparison.wins)
    assert turned.delta == pytest.approx(-comparison.delta)
    for name in ("always_p", "design_effect"):
        assert getattr(turned, name) == pytest.approx(getattr(comparison, name), nan_ok=True)
    assert turned.score.p == pytest.approx(comparison.score.p, nan_ok=True)
    assert (turned.always_low, turned.always_high) == pytest.approx(
        (-comparison.always_high, -comparison.always_low), nan_ok=True
    )
    mixed = list(rows)
    random.shuffle(mixed)
    again = compare_interleaved(of_two(*zip(*mixed, strict=True)), voter=voter, by=by)
    assert again.score.value == pytest.approx(comparison.score.value)
    assert again.score.p == pytest.approx(comparison.score.p, nan_ok=True)
    table = credit_table(of_two(user, query, first, second))
    assert table["n"].sum() + table["without_credit"].sum() == len(rows)
    if voter == "impression":
        assert (table["wins"].sum(), table["losses"].sum()) == (comparison.wins, comparison.losses)
    if not comparison.score.undefined:
        assert (
            -0.5
            <= comparison.always_low
            <= comparison.delta_low
            <= comparison.delta
            <= comparison.delta_high
            <= comparison.always_high
            <= 0.5
        )
        assert (comparison.always_p < 0.05) == (comparison.always_low > 0 or comparison.always_high < 0)


def test_by_credit_many_small_advantages_balance_one_large():
    first, second = [0.6, 0.6, 0.6, 0.6, 0.1], [0.4, 0.4, 0.4, 0.4, 0.9]
    comparison = compare_interleaved(of_two(range(5), range(5), first, second), by="credit")
    assert comparison.score.value == pytest.approx(0.5) and comparison.wins == 4
    # The delta method by hand, a user an impression.
    parts = np.array(first) - 0.5
    assert comparison.score.error == pytest.approx(math.sqrt((parts**2).sum() * 5 / 4) / 5)


def test_names_may_come_in_any_way():
    expected = compare_interleaved(of_two(USER, QUERY, FIRST, SECOND))
    for names in (pl.Series, np.array):
        assert compare_interleaved(of_two(names(USER), names(QUERY), FIRST, SECOND)) == expected
    codes = [[sorted(set(column)).index(name) for name in column] for column in (USER, QUERY)]
    assert compare_interleaved(of_two(*map(np.array, codes), FIRST, SECOND)) == expected
    of_column = credit_table(of_two(USER, pl.Series(QUERY), FIRST, SECOND))
    assert of_column.equals(credit_table(of_two(USER, QUERY, FIRST, SECOND)))
    frame = pl.DataFrame({"user": USER, "query": QUERY, "z": 1, "y": SECOND, "x": FIRST})
    assert compare_interleaved(frame, systems=["x", "y"]) == expected


def test_rounding_wins_nothing():
    comparison = compare_interleaved(of_two(range(2), range(2), [0.1 + 0.2, 1], [0.3, 0.5]))
    assert (comparison.wins, comparison.ties) == (1, 1)
    assert credit_table(of_two(range(2), range(2), [0.1 + 0.2, 1], [0.3, 0.5]))["ties"].to_list() == [1, 0]


def test_independent_votes_have_no_design_effect_and_copies_have_one():
    rng = np.random.default_rng(6)
    first = rng.random(4000) < 0.5
    user, query = np.arange(4000), rng.integers(0, 10**9, 4000)
    alone = compare_interleaved(of_two(user, query, first, ~first))
    assert alone.design_effect == pytest.approx(1, abs=0.02)
    four = [np.repeat(column, 4) for column in (user, query, first, ~first)]
    copied = compare_interleaved(of_two(*four), planned=16 * 5000)
    assert copied.design_effect == pytest.approx(4, abs=0.1)
    # Copies tell nothing: where their sum, which varies 16 times as much, was planned for, the interval is what it was.
    assert (copied.always_low, copied.always_high) == pytest.approx((alone.always_low, alone.always_high), rel=1e-3)


def test_of_independent_votes_the_always_valid_interval_is_that_of_means():
    """A vote of 1 or 0 has the variance ¼: n votes count as n. (With 999 degrees of freedom t is not yet the normal.)"""
    first = np.tile([True, False], 500)
    comparison = compare_interleaved(of_two(np.arange(1000), np.arange(1000), first, ~first), planned=700)
    expected = sequence_half_width(0.25, 1000, sequence_rho(700))
    assert (comparison.always_low, comparison.always_high) == pytest.approx((-expected, expected), rel=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "again", [pytest.param(True, marks=pytest.mark.soak(short=True)), pytest.param(False, marks=pytest.mark.soak)]
)
def test_twenty_looks_find_nothing_where_there_is_nothing(again):
    """Experiments without a winner, whose users have tastes of their own and come again all the time, or come one after the
    other. A single look at the end finds as much as it may, the smallest of twenty such p too much."""
    rng, many = np.random.default_rng(12), experiments(1000)
    rejections = {"last": 0, "p": 0, "always": 0}
    for _ in range(many):
        user = np.repeat(np.arange(120), rng.integers(1, 9, 120))
        user = rng.permutation(user) if again else user
        first = rng.random(len(user)) < rng.beta(2, 2, 120)[user]
        query = rng.integers(0, 10**6, len(user))
        ends = np.linspace(len(user) / 20, len(user), 20).astype(int)
        looks = [compare_interleaved(of_two(user[:end], query[:end], first[:end], ~first[:end]), planned=300) for end in ends]
        rejections["last"] += looks[-1].score.p <= 0.05
        rejections["p"] += np.nanmin([look.score.p for look in looks]) <= 0.05
        rejections["always"] += np.nanmin([look.always_p for look in looks]) <= 0.05
    assert as_agreed(rejections["last"], many)
    assert rejections["p"] > 0.15 * many
    assert rejections["always"] <= 0.05 * many


@pytest.mark.slow
@pytest.mark.soak(short=True)
@pytest.mark.parametrize(("method", "by"), [("team_draft", "wins"), ("probabilistic", "credit")])
def test_through_merging_clicks_and_credit_nothing_is_found_where_there_is_nothing(method, by):
    """Rankings that differ, merged; users who click by rank, some much, some little, and have tastes for one
    of the two that balance over all users."""
    rng = np.random.default_rng(2)
    merged = [interleave(method, rankings("abcdef bgacdf"), 5, seed) for seed in range(10_000)]
    shown = shown_of(dict(enumerate(merged)), 2)
    shares = np.array([interleaving.shares for interleaving in merged])
    rejected, many = 0, experiments(1000)
    for _ in range(many):
        user = np.repeat(np.arange(60), rng.integers(1, 10, 60))
        drawn = np.sort(rng.choice(len(merged), len(user), replace=False))
        user = rng.permutation(user)
        taste, much = rng.uniform(-0.8, 0.8, (60, 1))[user], rng.uniform(0.2, 0.9, (60, 1))[user]
        chance = much / np.arange(1, 6) * (1 + taste * (shares[drawn, :, 0] - shares[drawn, :, 1]))
        page = shown[(drawn[:, None] * 5 + np.arange(5)).ravel()]
        clicks = page.filter(pl.Series((rng.random(chance.shape) < chance).ravel()))
        table = scored(page, pl.concat([clicks, clicks.head(50)]))
        query = rng.integers(0, 10**6, len(user))
        rejected += compare_interleaved(of_two(user, query, table["credit_0"], table["credit_1"]), by=by).score.p <= 0.05
    assert as_agreed(rejected, many)


CREDITS = st.lists(st.tuples(*[st.integers(0, 2)] * 5), min_size=1, max_size=25).filter(
    lambda rows: any(any(row[2:]) for row in rows)
)


@given(CREDITS, st.sampled_from(WAYS))
def test_many_systems_are_compared_two_by_two(rows, way):
    user, query, *credit = zip(*rows, strict=True)
    voter, by = way
    comparison = compare_multileaved(Credits(user, query, dict(zip("xyz", credit, strict=True))), voter=voter, by=by)
    assert [(pair.first, pair.second) for pair in comparison.pairs] == [("x", "y"), ("x", "z"), ("y", "z")]
    assert comparison.without_credit == sum(not any(row[2:]) for row in rows) and comparison.impressions == len(rows)
    for pair, (first, second) in zip(comparison.pairs, [(0, 1), (0, 2), (1, 2)], strict=True):
        if any(credit[first]) or any(credit[second]):
            alone = compare_interleaved(of_two(user, query, credit[first], credit[second]), voter=voter, by=by)
            assert repr(pair.analysis) == repr(alone)
        else:
            assert pair.analysis.n == 0 and pair.analysis.score.undefined == "no impression gave either system credit"
    for corrected, p in (
        ("holm", [pair.analysis.score.p for pair in comparison.pairs]),
        ("always_holm", [pair.analysis.always_p for pair in comparison.pairs]),
    ):
        assert [getattr(pair, corrected) for pair in comparison.pairs] == pytest.approx(holm(p).tolist(), nan_ok=True)
    scores, ranks = [standing.score for standing in comparison.standings], [standing.rank for standing in comparison.standings]
    assert scores == pytest.approx(sorted(scores, reverse=True)) and ranks == sorted(ranks)
    assert all(1 <= standing.rank_low <= standing.rank_high <= 3 for standing in comparison.standings)
    assert {standing.system: standing.credit for standing in comparison.standings} == {
        n: sum(c) for n, c in zip("xyz", credit, strict=True)
    }


@pytest.mark.soak(short=True)
def test_of_four_systems_that_are_alike_some_rank_is_ruled_out_once_in_twenty():
    """Experiments of 80 users, each with tastes of their own for the four; a click an impression."""
    rng = np.random.default_rng(7)
    ruled_out, many = 0, experiments(1000)
    for _ in range(many):
        user = np.repeat(np.arange(80), rng.integers(1, 10, 80))
        tastes = rng.dirichlet([2] * 4, 80).cumsum(axis=1)[user]
        chosen = (rng.random((len(user), 1)) > tastes).sum(axis=1)
        credit = {name: chosen == number for number, name in enumerate("wxyz")}
        comparison = compare_multileaved(Credits(user, rng.integers(0, 10**6, len(user)), credit))
        ruled_out += any(standing.rank_high - standing.rank_low < 3 for standing in comparison.standings)
    assert ruled_out <= 0.05 * many or as_agreed(ruled_out, many)


def test_ranks_are_what_the_pairs_leave_possible():
    """x gets credit in .45 of the impressions, y and z in .2."""
    credit = np.random.default_rng(3).random((3, 600)) < np.array([[0.45], [0.2], [0.2]])
    comparison = compare_multileaved(Credits(np.arange(600), np.arange(600), dict(zip("xyz", credit, strict=True))))
    assert comparison.standings[0][:4] == ("x", 1, 1, 1)
    assert {(standing.system, standing.rank_low, standing.rank_high) for standing in comparison.standings[1:]} == {
        ("y", 2, 3),
        ("z", 2, 3),
    }


def test_equal_scores_have_equal_ranks():
    comparison = compare_multileaved(Credits(range(2), range(2), {"p": [1, 0], "q": [0, 1], "r": [0, 0]}))
    assert [(standing.system, standing.rank) for standing in comparison.standings] == [("p", 1), ("q", 1), ("r", 3)]


def test_a_single_user_says_nothing_of_others():
    comparison = compare_interleaved(of_two(["u"] * 3, ["a", "b", "c"], [1, 1, 0], [0, 0, 1]))
    assert comparison.score.undefined == "there is a single user" and math.isnan(comparison.delta_low)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((["u"], ["q"], [0], [0]), "no impression gave"),
        ((["u"], ["q", "r"], [1], [0]), "a user, a query and the credit of each"),
        ((["u"], ["q"], [-1], [0]), "^row 1: the credit of x is -1; expected a number from 0: mend it$"),
        ((["u"], ["q"], [math.nan], [0]), "from 0"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, why):
    with pytest.raises(BadExperiment, match=why):
        compare_interleaved(of_two(*arguments))


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"voter": "session"}, "no voter session"),
        ({"by": "clicks"}, "no by clicks; expected one of wins, credit"),
        ({"by": "credit", "voter": "user"}, "by credit impressions count, and no user votes"),
    ],
)
def test_unknown_ways_to_count_are_refused(how, why):
    with pytest.raises(BadExperiment, match=why):
        compare_interleaved(of_two(["u"], ["q"], [1], [0]), **how)


def test_two_of_three_systems_are_named():
    credits = Credits(["u"], ["q"], {"x": [1], "y": [0], "z": [0]})
    for compared in (compare_interleaved, credit_table):
        with pytest.raises(
            BadExperiment, match=r"^found the credit of x, y, z; .* two systems: name them, such as systems=\['x', 'y'\]$"
        ):
            compared(credits)
    with pytest.raises(BadExperiment, match=r"^systems are 'xy', of type str; expected a list of names$"):
        compare_interleaved(credits, systems="xy")


@pytest.mark.parametrize(
    ("credit", "why"),
    [
        ({"x": [1]}, "found 1"),
        ({"x": [0], "y": [0]}, "no impression gave any system"),
        ({"x": [1], "y": [1, 2]}, "a user, a query and the credit of each"),
    ],
)
def test_systems_that_cannot_be_compared(credit, why):
    with pytest.raises(BadExperiment, match=why):
        compare_multileaved(Credits(["u"], ["q"], credit))
