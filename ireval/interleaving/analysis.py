"""Interleaving: systems in one list, and whose results people clicked."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from ireval.arrays import Floats, Ints
from ireval.experiments.observations import BadExperiment
from ireval.experiments.sequences import DEFAULT_PLANNED, always_valid
from ireval.interleaving.credit import ROUNDING
from ireval.labels.labels import coded
from ireval.significance.clusters import Clustered, clustered, distinct
from ireval.significance.corrections import holm
from ireval.significance.exact import SignTests, sign_tests

Names = Sequence | Ints | pl.Series
Voter = Literal["impression", "query", "user"]
VOTERS: tuple[Voter, ...] = ("impression", "query", "user")
By = Literal["wins", "credit"]
BYS: tuple[By, ...] = ("wins", "credit")


class Interleaving(NamedTuple):
    """The first system against the second: of `n` `voter`s it won, tied and lost so many; `without_credit` impressions gave
    neither anything and do not count.

    - score: `by` wins, what a voter gives the first on average, 1 for a win and ½ for a tie; `by` credit, the first's part of all
      credit. Its p is that it is ½
    - delta, delta_low, delta_high: that less ½, which is what papers call Δ_AB
    - by_users: every user votes once
    - always_low, always_high, always_p: of delta, those that may be looked at at any time
    - design_effect: the score's variance over what it would be if no votes were alike
    """

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
    by: str
    always_low: float
    always_high: float
    always_p: float
    design_effect: float


class Pair(NamedTuple):
    """Two of many systems; `holm` and `always_holm` are p and always_p corrected for the number of pairs."""

    first: str
    second: str
    found: Interleaving
    holm: float
    always_holm: float


class Standing(NamedTuple):
    """A system among all: its `score` is the mean of its scores against each other one, its rank that of the score. rank_low and
    rank_high are what the pairs leave possible: as many systems are above it for sure, and as many below, as Holm's tests say.
    `credit` is the sum over all impressions."""

    system: str
    rank: int
    rank_low: int
    rank_high: int
    score: float
    credit: float


class Multileaving(NamedTuple):
    """Of L systems all L (L − 1) / 2 pairs, in the order in which they were given, and the systems, best first; in `impressions`,
    of which `without_credit` gave nobody anything."""

    impressions: int
    without_credit: int
    pairs: list[Pair]
    standings: list[Standing]


class How(NamedTuple):
    voter: Voter
    by: By
    confidence: float
    planned: int


def compare_interleaved(
    user: Names,
    query: Names,
    first: ArrayLike,
    second: ArrayLike,
    *,
    voter: Voter = "impression",
    by: By = "wins",
    confidence: float = 0.95,
    planned: int = DEFAULT_PLANNED,
) -> Interleaving:
    """Which of two interleaved systems is preferred: a row an impression, (N,) each, with its user, its query and the credit
    (clicks, or whatever was counted) of either system.

    An impression is won by the system with more credit; what differs by no more than 10⁻⁹ is equal. voter "query" or "user" lets
    each vote once, for the system that won more of its impressions. Score = (wins + ties / 2) / (wins + ties + losses); `by`
    "credit" it is the first's part of the credit of both, which is right for the probabilistic method, and impressions vote.
    Interval and p are robust to what a user's votes, and for impressions those of a query too, have in common; cut off at 0 and
    1. The always-valid interval is that of asymptotic confidence sequences, with the same degrees of freedom, narrowest once the
    votes' sum varies as much as that of `planned` independent ones: about impressions with credit times design effect.
    docs/experiments.md says what it assumes.
    NaN with a reason where all votes say the same and for a single user (or query, if it votes). Where queries vote, nothing is
    left of users: each query counts as one of its own. BadExperiment for arrays of other lengths, credit below 0 or not finite,
    an unknown voter or `by`, and where no impression has credit.
    Sources: Chapelle, Joachims, Radlinski and Yue, Large-scale validation and analysis of interleaved search evaluation, TOIS 30,
    2012, equation 1; Hofmann, Whiteson and de Rijke 2011 (credit); Cameron, Gelbach and Miller 2011; Dixon and Mood 1946;
    Waudby-Smith et al. 2024.

    >>> found = compare_interleaved(["u", "u", "v", "w"], ["a", "b", "a", "b"], [1, 0, 2, 0], [0, 1, 0, 0])
    >>> found.wins, found.losses, found.without_credit, round(found.score.value, 4), round(found.delta, 4)
    (2, 1, 1, 0.6667, 0.1667)
    """
    users, queries, (one, other) = checked(user, query, first, second)
    if not ((one > 0) | (other > 0)).any():
        raise BadExperiment("no impression gave either system credit")
    return between(users, queries, one, other, how_of(voter, by, confidence, planned))


def compare_multileaved(
    user: Names,
    query: Names,
    credit: Mapping[str, ArrayLike],
    *,
    voter: Voter = "impression",
    by: By = "wins",
    confidence: float = 0.95,
    planned: int = DEFAULT_PLANNED,
) -> Multileaving:
    """`interleaving` of every two of many systems, with p corrected for all pairs, and their ranking. `credit` has (N,) of each
    system, by name.

    A pair's impressions are those in which either has credit; one without any is undefined and no question. Ranks of equal
    scores are equal. BadExperiment as `interleaving`, and for fewer than two systems.
    Sources: as `interleaving`; Holm 1979; Schuth et al., Multileaving comparisons for fast online evaluation, CIKM 2014; Mogstad,
    Romano, Shaikh and Wilhelm, Inference for ranks, Review of Economic Studies 91, 2024 (ranks from simultaneous pairs).

    >>> found = compare_multileaved(["u", "v", "w"], ["a", "b", "a"], {"x": [1, 1, 0], "y": [0, 1, 1], "z": [0, 0, 1]})
    >>> [(one.system, one.rank, round(one.score, 4)) for one in found.standings]
    [('y', 1, 0.625), ('x', 2, 0.5833), ('z', 3, 0.2917)]
    """
    names = list(credit)
    if len(names) < 2:
        raise BadExperiment(f"expected the credit of two systems or more, found {len(names)}")
    how = how_of(voter, by, confidence, planned)
    users, queries, numbers = checked(user, query, *credit.values())
    columns = dict(zip(names, numbers, strict=True))
    some = np.any([column > 0 for column in numbers], axis=0)
    if not some.any():
        raise BadExperiment("no impression gave any system credit")
    pairs = [(one, two, between(users, queries, columns[one], columns[two], how)) for one, two in combinations(names, 2)]
    fixed = holm(np.array([found.score.p for _, _, found in pairs])).tolist()
    always = holm(np.array([found.always_p for _, _, found in pairs])).tolist()
    corrected = [Pair(*pair, *both) for pair, *both in zip(pairs, fixed, always, strict=True)]
    totals = {name: float(column.sum()) for name, column in columns.items()}
    return Multileaving(len(some), int((~some).sum()), corrected, standings(corrected, totals, 1 - confidence))


def how_of(voter: Voter, by: By, confidence: float, planned: int) -> How:
    for what, given, known in (("voter", voter, VOTERS), ("by", by, BYS)):
        if given not in known:
            raise BadExperiment(f"there is no {what} {given}; expected one of {', '.join(known)}")
    if by == "credit" and voter != "impression":
        raise BadExperiment(f"by credit impressions count, and no {voter} votes")
    return How(voter, by, confidence, planned)


def between(users: Ints, queries: Ints, one: Floats, other: Floats, how: How) -> Interleaving:
    counted = (one > 0) | (other > 0)
    without = int((~counted).sum())
    users, queries, one, other = users[counted], queries[counted], one[counted], other[counted]
    points = as_points(one - other)
    votes, clusters = votes_by(how.voter, points, users, queries)
    weights, won = (one + other, one) if how.by == "credit" else (np.ones(len(votes)), votes)
    score, weight = part(float(won.sum()), float(weights.sum())), float(weights.sum())
    influence = (won - score * weights) / weight if weight else won
    found = estimated(score, influence, clusters, how.confidence)
    # As many independent votes as would vary as much: the variance that the sum has grown to is the clock of all looks.
    effective = max(1, round(4 * (found.error * weight) ** 2)) if found.error > 0 else 0
    freedom = found.freedom or math.inf
    always = always_valid(score - 0.5, found.error, effective, planned=how.planned, confidence=how.confidence, freedom=freedom)
    return Interleaving(
        how.voter,
        len(votes),
        *tally(votes),
        without,
        distinct(users),
        distinct(queries),
        found,
        score - 0.5,
        found.low - 0.5,
        found.high - 0.5,
        sign_tests("users", *tally(votes_by("user", as_points(one - other), users, queries)[0])),
        how.by,
        max(always.low, -0.5) if not math.isnan(always.low) else math.nan,
        min(always.high, 0.5) if not math.isnan(always.high) else math.nan,
        always.p,
        part(found.error**2, float((influence**2).sum()) * len(votes) / max(1, len(votes) - 1)),
    )


def part(one: float, whole: float) -> float:
    return one / whole if whole else math.nan


def estimated(score: float, influence: Floats, clusters: dict[str, Ints], confidence: float) -> Clustered:
    if not len(influence):
        return Clustered(score, math.nan, math.nan, math.nan, math.nan, 0, "no impression gave either system credit")
    found = clustered(score, influence, clusters, against=0.5, confidence=confidence)
    return found if found.undefined else found._replace(low=max(found.low, 0.0), high=min(found.high, 1.0))


def standings(pairs: Sequence[Pair], credit: Mapping[str, float], alpha: float) -> list[Standing]:
    scores: dict[str, list[float]] = {name: [] for name in credit}
    above, below = dict.fromkeys(credit, 0), dict.fromkeys(credit, 0)
    for pair in pairs:
        score = pair.found.score.value
        scores[pair.first].append(score)
        scores[pair.second].append(1 - score)
        if pair.holm < alpha:
            better, worse = (pair.first, pair.second) if score > 0.5 else (pair.second, pair.first)
            above[worse] += 1
            below[better] += 1
    means = {name: float(np.nanmean(values)) for name, values in scores.items()}
    ranks = {name: 1 + sum(other > mean + ROUNDING for other in means.values()) for name, mean in means.items()}
    found = [
        Standing(name, ranks[name], 1 + above[name], len(credit) - below[name], means[name], total)
        for name, total in credit.items()
    ]
    return sorted(found, key=lambda one: one.rank)


def credit_table(query: Names, first: ArrayLike, second: ArrayLike) -> pl.DataFrame:
    """A row a query, in order: query, n (impressions with credit), without_credit, wins, ties, losses, what either system was
    credited with (first, second), and score, null where no impression has credit. BadExperiment as `interleaving`.

    >>> credit_table(["a", "b", "a"], [1, 0, 2], [0, 0, 3]).rows()
    [('a', 2, 0, 1, 0, 1, 3.0, 3.0, 0.5), ('b', 0, 1, 0, 0, 0, 0.0, 0.0, None)]
    """
    _, _, (one, other) = checked(query, query, first, second)
    seen = (pl.col("first") > 0) | (pl.col("second") > 0)
    apart = pl.col("first") - pl.col("second")
    wins, losses = apart > ROUNDING, apart < -ROUNDING
    ties = seen & (apart.abs() <= ROUNDING)
    counts = {"n": seen, "without_credit": ~seen, "wins": wins, "ties": ties, "losses": losses}
    frame = pl.DataFrame(
        {"query": query if isinstance(query, pl.Series) else pl.Series(list(query)), "first": one, "second": other}
    )
    table = frame.group_by("query").agg(
        *(column.sum().cast(pl.Int64).alias(name) for name, column in counts.items()), pl.col("first", "second").sum()
    )
    score = pl.when(pl.col("n") > 0).then((pl.col("wins") + pl.col("ties") / 2) / pl.col("n"))
    return table.select("query", *counts, "first", "second", score.alias("score")).sort("query")


def checked(user: Names, query: Names, *credit: ArrayLike) -> tuple[Ints, Ints, list[Floats]]:
    """Users and queries as codes, and credit as numbers."""
    users, queries = codes_of(user), codes_of(query)
    columns = [np.asarray(one, np.float64) for one in credit]
    if len({users.shape, queries.shape, *(one.shape for one in columns)}) > 1 or users.ndim != 1:
        raise BadExperiment("expected a user, a query and the credit of each system for every impression")
    if not all((np.isfinite(one) & (one >= 0)).all() for one in columns):
        raise BadExperiment("credit is a number from 0")
    return users, queries, columns


def codes_of(names: Names) -> Ints:
    if isinstance(names, pl.Series) and names.dtype == pl.String:
        return coded(names)[0]
    found = np.asarray(names)
    if found.dtype.kind == "i" and len(found) and found.min() >= 0 and found.max() < len(found):
        return found.astype(np.int64, copy=False)  # codes as they are: sorting them takes longer than all that follows
    return np.unique(found, return_inverse=True)[1]


def votes_by(voter: Voter, points: Floats, users: Ints, queries: Ints) -> tuple[Floats, dict[str, Ints]]:
    """What each voter gives the first system, and what votes share."""
    if voter == "impression":
        return points, {"user": users, "query": queries}
    codes = users if voter == "user" else queries
    votes = as_points(np.bincount(codes, points - 0.5)[np.bincount(codes) > 0].astype(np.float64))
    return votes, {voter: np.arange(len(votes))}


def as_points(surplus: Floats) -> Floats:
    return np.where(np.abs(surplus) > ROUNDING, np.sign(surplus), 0) / 2 + 0.5


def tally(points: Floats) -> tuple[int, int, int]:
    """Won, tied, lost."""
    return int((points == 1).sum()), int((points == 0.5).sum()), int((points == 0).sum())
