"""Interleaving: two systems in one list, and whose results people clicked."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from ..preferences.clustering import Clustered, clustered
from ..preferences.exact import SignTests, sign_tests
from ..rankings import Floats, Ints
from .experiment import BadExperiment

Voter = Literal["impression", "query", "user"]
VOTERS: tuple[Voter, ...] = ("impression", "query", "user")


class Interleaved(NamedTuple):
    """The first system against the second: of `n` `voter`s it won, tied and lost so many; `without_credit` impressions gave
    neither anything and do not count. `score` is what a voter gives the first on average, 1 for a win and ½ for a tie, its p that
    it is ½; `delta`, `delta_low` and `delta_high` are that less ½, which is what papers call Δ_AB. `by_users` lets every user
    vote once."""

    voter: str
    n: int
    wins: int
    ties: int
    losses: int
    without_credit: int
    users: int
    queries: int
    score: Clustered
    delta: float
    delta_low: float
    delta_high: float
    by_users: SignTests


def interleaving(
    user: Sequence | Ints,
    query: Sequence | Ints,
    first: ArrayLike,
    second: ArrayLike,
    *,
    voter: Voter = "impression",
    confidence: float = 0.95,
) -> Interleaved:
    """Which of two interleaved systems is preferred: a row an impression, (N,) each, with its user, its query and the credit
    (clicks, or whatever was counted) of either system.

    An impression is won by the system with more credit. voter "query" or "user" lets each vote once, for the system that won
    more of its impressions. Score = (wins + ties / 2) / (wins + ties + losses), with an interval and p robust to what a user's
    votes, and for impressions those of a query too, have in common; cut off at 0 and 1.
    NaN with a reason where all votes say the same and for a single user (or query, if it votes). Where queries vote, nothing is
    left of users: each query counts as one of its own. BadExperiment for arrays of other lengths, credit below 0 or not finite,
    and where no impression has credit.
    Sources: Chapelle, Joachims, Radlinski and Yue, Large-scale validation and analysis of interleaved search evaluation, TOIS 30,
    2012, equation 1; Cameron, Gelbach and Miller 2011; Dixon and Mood 1946.

    >>> found = interleaving(["u", "u", "v", "w"], ["a", "b", "a", "b"], [1, 0, 2, 0], [0, 1, 0, 0])
    >>> found.wins, found.losses, found.without_credit, round(found.score.value, 4), round(found.delta, 4)
    (2, 1, 1, 0.6667, 0.1667)
    """
    if voter not in VOTERS:
        raise BadExperiment(f"there is no voter {voter}; expected one of {', '.join(VOTERS)}")
    users, queries, one, other = checked(user, query, first, second)
    counted = (one > 0) | (other > 0)
    if not counted.any():
        raise BadExperiment("no impression gave either system credit")
    without = int((~counted).sum())
    users, queries = users[counted], queries[counted]
    points = as_points(one[counted] - other[counted])
    votes, clusters = votes_by(voter, points, users, queries)
    score = float(votes.mean())
    found = clustered(score, (votes - score) / len(votes), clusters, against=0.5, confidence=confidence)
    if not found.undefined:
        found = found._replace(low=max(found.low, 0.0), high=min(found.high, 1.0))
    by_users = votes_by("user", points, users, queries)[0]
    return Interleaved(
        voter,
        len(votes),
        *tally(votes),
        without,
        len(np.unique(users)),
        len(np.unique(queries)),
        found,
        score - 0.5,
        found.low - 0.5,
        found.high - 0.5,
        sign_tests("users", *tally(by_users)),
    )


def credit_table(query: Sequence | Ints, first: ArrayLike, second: ArrayLike) -> pl.DataFrame:
    """A row a query, in order: query, n (impressions with credit), without_credit, wins, ties, losses, what either system was
    credited with (first, second), and score, null where no impression has credit. BadExperiment as `interleaving`.

    >>> credit_table(["a", "b", "a"], [1, 0, 2], [0, 0, 3]).rows()
    [('a', 2, 0, 1, 0, 1, 3.0, 3.0, 0.5), ('b', 0, 1, 0, 0, 0, 0.0, 0.0, None)]
    """
    _, _, one, other = checked(query, query, first, second)
    seen = (pl.col("first") > 0) | (pl.col("second") > 0)
    wins, losses = pl.col("first") > pl.col("second"), pl.col("first") < pl.col("second")
    ties = seen & (pl.col("first") == pl.col("second"))
    counts = {"n": seen, "without_credit": ~seen, "wins": wins, "ties": ties, "losses": losses}
    frame = pl.DataFrame({"query": pl.Series(list(query)), "first": one, "second": other})
    table = frame.group_by("query").agg(
        *(column.sum().cast(pl.Int64).alias(name) for name, column in counts.items()), pl.col("first", "second").sum()
    )
    score = pl.when(pl.col("n") > 0).then((pl.col("wins") + pl.col("ties") / 2) / pl.col("n"))
    return table.select("query", *counts, "first", "second", score.alias("score")).sort("query")


def checked(
    user: Sequence | Ints, query: Sequence | Ints, first: ArrayLike, second: ArrayLike
) -> tuple[Ints, Ints, Floats, Floats]:
    one, other = np.asarray(first, np.float64), np.asarray(second, np.float64)
    users, queries = (np.unique(np.asarray(names), return_inverse=True)[1] for names in (user, query))
    if len({one.shape, other.shape, users.shape, queries.shape}) > 1 or one.ndim != 1:
        raise BadExperiment("expected one user, query and two credits an impression")
    if not (np.isfinite(one) & np.isfinite(other) & (one >= 0) & (other >= 0)).all():
        raise BadExperiment("credit is a number from 0")
    return users, queries, one, other


def votes_by(voter: Voter, points: Floats, users: Ints, queries: Ints) -> tuple[Floats, dict[str, Ints]]:
    """What each voter gives the first system, and what votes share."""
    if voter == "impression":
        return points, {"user": users, "query": queries}
    codes = np.unique(users if voter == "user" else queries, return_inverse=True)[1]
    votes = as_points(np.bincount(codes, points - 0.5).astype(np.float64))
    return votes, {voter: np.arange(len(votes))}


def as_points(surplus: Floats) -> Floats:
    return np.sign(surplus) / 2 + 0.5


def tally(points: Floats) -> tuple[int, int, int]:
    """Won, tied, lost."""
    return int((points == 1).sum()), int((points == 0.5).sum()), int((points == 0).sum())
