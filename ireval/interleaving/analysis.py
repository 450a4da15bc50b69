"""Analysis of interleaving: which of several systems in one list people prefer, by their clicks."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Floats, Ints
from ireval.experiments.observations import BadExperiment
from ireval.interleaving.credit import ROUNDING
from ireval.interleaving.credit_files import Credits, Names, as_credits
from ireval.io.arguments import as_numbers, require_each
from ireval.io.cells import complaint_about_id, shown
from ireval.io.frames import TableSource
from ireval.labels.labels import coded
from ireval.significance.clusters import Clustered, clustered_share, distinct
from ireval.significance.corrections import holm
from ireval.significance.decision import Decision, Estimate, decide
from ireval.significance.exact_tests import SignTests, sign_tests
from ireval.significance.sequences import DEFAULT_PLANNED, always_valid

Voter = Literal["impression", "query", "user"]
VOTERS: tuple[Voter, ...] = ("impression", "query", "user")
By = Literal["wins", "credit"]
BYS: tuple[By, ...] = ("wins", "credit")


class Interleaving(NamedTuple):
    """The first system against the second: wins, ties and losses among the `n` voters (`voter` says who votes).

    - without_credit: impressions without credit for either system; they do not count.
    - score: `by` wins, the mean of the votes, 1 for a win and ½ for a tie. `by` credit, the first's share of all credit. Its p
      tests against ½.
    - delta, delta_low, delta_high: the score minus ½, Δ_AB in the literature.
    - by_users: every user votes once.
    - always_low, always_high, always_p: interval and p of delta that hold at any time.
    - design_effect: the score's variance over that of independent votes.
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
    analysis: Interleaving
    holm: float
    always_holm: float


class Standing(NamedTuple):
    """A system among all. Its `score` is the mean of its scores against each other system, its `rank` that of the score.

    rank_low and rank_high are the ranks that Holm's tests of the pairs leave possible. `credit` is the sum over all
    impressions.
    """

    system: str
    rank: int
    rank_low: int
    rank_high: int
    score: float
    credit: float


class Multileaving(NamedTuple):
    """All L (L − 1) / 2 pairs of L systems, in the order of the systems, and the `standings`, best first.

    `without_credit` is how many of the `impressions` had no credit for any system.
    """

    impressions: int
    without_credit: int
    pairs: list[Pair]
    standings: list[Standing]


class ComparisonOptions(NamedTuple):
    """The options of a comparison."""

    voter: Voter
    by: By
    confidence: float
    planned: int


def compare_interleaved(
    credits: Credits | TableSource,
    *,
    systems: Sequence[str] | None = None,
    voter: Voter = "impression",
    by: By = "wins",
    confidence: float = 0.95,
    planned: int = DEFAULT_PLANNED,
) -> Interleaving:
    """Which of two interleaved systems is preferred, from the user, the query and both credits of every impression.

    `credits` are what credits_of takes, or Credits. The first system is compared with the second; `systems` names both where
    there are more, or in the other order. Credit is the number of clicks or any other count. An impression is won by the
    system with more credit; credits within 10⁻⁹ are equal. With the voter "query" or "user", each query or user votes once,
    for the system that won more of its impressions. The score is (wins + ties / 2) / (wins + ties + losses). `by` "credit",
    it is the first's share of the credit of both, which the probabilistic method needs; impressions then vote.

    Interval and p are robust to votes that are alike within users, and if impressions vote also within queries. The interval
    is cut off at 0 and 1. The always-valid interval is an asymptotic confidence sequence with the same degrees of freedom. It
    is narrowest when the sum of the votes varies as much as that of `planned` independent votes: about impressions with
    credit times design effect. docs/reference/experiments.md has its assumptions.

    NaN with a reason if all votes are ties, and for a single user (or query, if queries vote). If queries vote, users are
    ignored. BadExperiment as credits_of, for other than two systems, arrays of other lengths, an unknown voter or `by`, and
    without any credit. BadFile for an invalid file. Sources: Chapelle, Joachims, Radlinski and Yue, Large-scale validation
    and analysis of interleaved search evaluation, TOIS 30, 2012, equation 1. Hofmann, Whiteson and de Rijke 2011 (credit).
    Cameron, Gelbach and Miller 2011. Dixon and Mood 1946. Waudby-Smith et al. 2024.

    >>> credits = pl.DataFrame({"user": list("uuvw"), "query": list("abab"), "new": [1, 0, 2, 0], "old": [0, 1, 0, 0]})
    >>> result = compare_interleaved(credits)
    >>> result.wins, result.losses, result.without_credit, round(result.score.value, 4), round(result.delta, 4)
    (2, 1, 1, 0.6667, 0.1667)
    """
    users, queries, (first, second) = checked_arrays(of_two(credits, systems))
    if not ((first > 0) | (second > 0)).any():
        raise BadExperiment("no impression gave either system credit")
    return compare_two(users, queries, first, second, options_of(voter, by, confidence, planned))


def compare_multileaved(
    credits: Credits | TableSource,
    *,
    systems: Sequence[str] | None = None,
    voter: Voter = "impression",
    by: By = "wins",
    confidence: float = 0.95,
    planned: int = DEFAULT_PLANNED,
) -> Multileaving:
    """`compare_interleaved` for every two of many systems, with p corrected for all pairs, and the systems' ranks.

    `credits` are what credits_of takes, or Credits; `systems` names those to compare. A pair's impressions are those in which
    either has credit; a pair without any is undefined and not counted in corrections. Ranks of equal scores are equal.
    BadExperiment as `compare_interleaved`, and for fewer than two systems. Sources: as `compare_interleaved`; Holm 1979;
    Schuth et al., Multileaving comparisons for fast online evaluation, CIKM 2014; Mogstad, Romano, Shaikh and Wilhelm,
    Inference for ranks, Review of Economic Studies 91, 2024 (ranks from simultaneous pairs).

    >>> result = compare_multileaved(Credits(["u", "v", "w"], ["a", "b", "a"], {"x": [1, 1, 0], "y": [0, 1, 1], "z": [0, 0, 1]}))
    >>> [(standing.system, standing.rank, round(standing.score, 4)) for standing in result.standings]
    [('y', 1, 0.625), ('x', 2, 0.5833), ('z', 3, 0.2917)]
    """
    chosen, options = as_credits(credits, systems), options_of(voter, by, confidence, planned)
    users, queries, numbers = checked_arrays(chosen)
    columns = dict(zip(chosen.systems, numbers, strict=True))
    some = np.any([column > 0 for column in numbers], axis=0)
    if not some.any():
        raise BadExperiment("no impression gave any system credit")
    pairs = [
        (first, second, compare_two(users, queries, columns[first], columns[second], options))
        for first, second in combinations(columns, 2)
    ]
    fixed = holm(np.array([result.score.p for _, _, result in pairs])).tolist()
    always = holm(np.array([result.always_p for _, _, result in pairs])).tolist()
    corrected = [Pair(*pair, *both) for pair, *both in zip(pairs, fixed, always, strict=True)]
    totals = {name: float(column.sum()) for name, column in columns.items()}
    return Multileaving(len(some), int((~some).sum()), corrected, standings(corrected, totals, 1 - confidence))


def decisions(
    analyses: Sequence[Interleaving], weights: Sequence[float], *, alpha: float = 0.05, planned: int | None = None
) -> list[Decision]:
    """Which of the two is preferred in each analysis, by Δ against 0; p are corrected for all together (Holm).

    `weights` are what the score of each is a share of: the number of votes, or by credit the sum of both systems' credit.
    With `planned` the decisions hold at every look. "unknown" where Δ has no interval. Sources: as `compare_interleaved`,
    `decide`.

    >>> result = compare_interleaved(Credits(list("uuvw"), list("abab"), {"new": [1, 0, 2, 0], "old": [0, 1, 0, 0]}))
    >>> decisions([result], [result.n])[0].outcome
    'none'
    """
    require_each("analyses", analyses, Interleaving, "results of compare_interleaved")
    if as_numbers("weights", weights, BadExperiment).shape != (len(analyses),):
        raise BadExperiment(f"weights are {shown(weights)}; expected one for each of {len(analyses)} analyses")
    estimates = [
        Estimate(
            analysis.delta,
            analysis.score.error,
            analysis.score.freedom or math.inf,
            effective_votes(analysis.score.error, weight),
            analysis.score.undefined,
        )
        for analysis, weight in zip(analyses, weights, strict=True)
    ]
    return decide(estimates, alpha=alpha, planned=planned, bounds=(-0.5, 0.5))


def effective_votes(error: float, weight: float) -> int:
    """The number of independent votes with the same variance: a confidence sequence depends on the variance of the sum."""
    return max(1, round(4 * (error * weight) ** 2)) if error > 0 else 0


def options_of(voter: Voter, by: By, confidence: float, planned: int) -> ComparisonOptions:
    for what, value, allowed in (("voter", voter, VOTERS), ("by", by, BYS)):
        if value not in allowed:
            raise BadExperiment(f"there is no {what} {value}; expected one of {', '.join(allowed)}")
    if by == "credit" and voter != "impression":
        raise BadExperiment(f"by credit impressions count, and no {voter} votes")
    return ComparisonOptions(voter, by, confidence, planned)


def compare_two(users: Ints, queries: Ints, first: Floats, second: Floats, options: ComparisonOptions) -> Interleaving:
    counted = (first > 0) | (second > 0)
    without = int((~counted).sum())
    users, queries, first, second = users[counted], queries[counted], first[counted], second[counted]
    points = as_points(first - second)
    votes, clusters = votes_by(options.voter, points, users, queries)
    weights, won = (first + second, first) if options.by == "credit" else (np.ones(len(votes)), votes)
    score, weight = ratio(float(won.sum()), float(weights.sum())), float(weights.sum())
    influence = (won - score * weights) / weight if weight else won
    estimate = clustered_score(score, influence, clusters, options.confidence)
    effective = effective_votes(estimate.error, weight)
    freedom = estimate.freedom or math.inf
    always = always_valid(
        score - 0.5, estimate.error, effective, planned=options.planned, confidence=options.confidence, freedom=freedom
    )
    return Interleaving(
        options.voter,
        len(votes),
        *tally(votes),
        without,
        distinct(users),
        distinct(queries),
        estimate,
        score - 0.5,
        estimate.low - 0.5,
        estimate.high - 0.5,
        sign_tests("users", *tally(votes_by("user", as_points(first - second), users, queries)[0])),
        options.by,
        max(always.low, -0.5) if not math.isnan(always.low) else math.nan,
        min(always.high, 0.5) if not math.isnan(always.high) else math.nan,
        always.p,
        ratio(estimate.error**2, float((influence**2).sum()) * len(votes) / max(1, len(votes) - 1)),
    )


def ratio(amount: float, whole: float) -> float:
    return amount / whole if whole else math.nan


def clustered_score(score: float, influence: Floats, clusters: dict[str, Ints], confidence: float) -> Clustered:
    if not len(influence):
        return Clustered(score, math.nan, math.nan, math.nan, math.nan, 0, "no impression gave either system credit")
    return clustered_share(score, influence, clusters, confidence=confidence)


def standings(pairs: Sequence[Pair], credit: Mapping[str, float], alpha: float) -> list[Standing]:
    scores: dict[str, list[float]] = {name: [] for name in credit}
    above, below = dict.fromkeys(credit, 0), dict.fromkeys(credit, 0)
    for pair in pairs:
        score = pair.analysis.score.value
        scores[pair.first].append(score)
        scores[pair.second].append(1 - score)
        if pair.holm < alpha:
            better, worse = (pair.first, pair.second) if score > 0.5 else (pair.second, pair.first)
            above[worse] += 1
            below[better] += 1
    means = {name: float(np.nanmean(values)) for name, values in scores.items()}
    ranks = {name: 1 + sum(other > mean + ROUNDING for other in means.values()) for name, mean in means.items()}
    unordered = [
        Standing(name, ranks[name], 1 + above[name], len(credit) - below[name], means[name], total)
        for name, total in credit.items()
    ]
    return sorted(unordered, key=lambda standing: standing.rank)


def credit_table(credits: Credits | TableSource, *, systems: Sequence[str] | None = None) -> pl.DataFrame:
    """One row per query, sorted: query, n, without_credit, wins, ties, losses, first, second and score.

    `credits` and `systems` are those of `compare_interleaved`. n are the impressions with credit, first and second the
    systems' credit. score is null if no impression has credit. BadExperiment as `compare_interleaved`.

    >>> credit_table(Credits(["u", "v", "u"], ["a", "b", "a"], {"new": [1, 0, 2], "old": [0, 0, 3]})).rows()
    [('a', 2, 0, 1, 0, 1, 3.0, 3.0, 0.5), ('b', 0, 1, 0, 0, 0, 0.0, 0.0, None)]
    """
    chosen = of_two(credits, systems)
    _, _, (first, second) = checked_arrays(chosen)
    has_credit = (pl.col("first") > 0) | (pl.col("second") > 0)
    apart = pl.col("first") - pl.col("second")
    wins, losses = apart > ROUNDING, apart < -ROUNDING
    ties = has_credit & (apart.abs() <= ROUNDING)
    counts = {"n": has_credit, "without_credit": ~has_credit, "wins": wins, "ties": ties, "losses": losses}
    query = chosen.query if isinstance(chosen.query, pl.Series) else pl.Series(np.asarray(list(chosen.query)))
    frame = pl.DataFrame({"query": query, "first": first, "second": second})
    table = frame.group_by("query").agg(
        *(column.sum().cast(pl.Int64).alias(name) for name, column in counts.items()), pl.col("first", "second").sum()
    )
    score = pl.when(pl.col("n") > 0).then((pl.col("wins") + pl.col("ties") / 2) / pl.col("n"))
    return table.select("query", *counts, "first", "second", score.alias("score")).sort("query")


def of_two(credits: Credits | TableSource, systems: Sequence[str] | None) -> Credits:
    chosen = as_credits(credits, systems)
    if len(chosen.systems) != 2:
        names = ", ".join(chosen.systems)
        raise BadExperiment(
            f"found the credit of {names}; expected two systems: name them, such as systems={list(chosen.systems[:2])}"
        )
    return chosen


def checked_arrays(credits: Credits) -> tuple[Ints, Ints, list[Floats]]:
    """Users and queries as codes, (N,), and credit as numbers, (N,) for each system."""
    users, queries = codes_of("user", credits.user), codes_of("query", credits.query)
    columns = [as_numbers(f"the credit of {name}", column, BadExperiment) for name, column in credits.credit.items()]
    if len({users.shape, queries.shape, *(column.shape for column in columns)}) > 1 or users.ndim != 1:
        raise BadExperiment("expected a user, a query and the credit of each system for every impression")
    for name, column in zip(credits.systems, columns, strict=True):
        if (bad := ~(np.isfinite(column) & (column >= 0))).any():
            row = int(bad.argmax())
            raise BadExperiment(f"row {row + 1:,}: the credit of {name} is {column[row]:g}; expected a number from 0: mend it")
    return users, queries, columns


def codes_of(name: str, names: Names) -> Ints:
    if isinstance(names, str) or not isinstance(names, Sequence | np.ndarray | pl.Series):
        raise BadExperiment(f"{name} is {shown(names)}; expected one {name} per impression")
    if isinstance(names, pl.Series) and names.dtype == pl.String and not names.null_count():
        return coded(names)[0]
    codes = np.asarray(names)
    if codes.dtype.kind not in "biuU":
        for row, value in enumerate(codes.tolist(), start=1):
            if complaint := complaint_about_id(value):
                raise BadExperiment(f"row {row:,}: the {name} {complaint}")
    if codes.dtype.kind == "i" and len(codes) and codes.min() >= 0 and codes.max() < len(codes):
        return codes.astype(np.int64, copy=False)  # codes as they are: sorting them takes longer than all that follows
    return np.unique(codes, return_inverse=True)[1]


def votes_by(voter: Voter, points: Floats, users: Ints, queries: Ints) -> tuple[Floats, dict[str, Ints]]:
    """The points of the first system in each vote, and the clusters of votes."""
    if voter == "impression":
        return points, {"user": users, "query": queries}
    codes = users if voter == "user" else queries
    votes = as_points(np.bincount(codes, points - 0.5)[np.bincount(codes) > 0].astype(np.float64))
    return votes, {voter: np.arange(len(votes))}


def as_points(surplus: Floats) -> Floats:
    return np.where(np.abs(surplus) > ROUNDING, np.sign(surplus), 0) / 2 + 0.5


def tally(points: Floats) -> tuple[int, int, int]:
    """How many were won, tied and lost."""
    return int((points == 1).sum()), int((points == 0.5).sum()), int((points == 0).sum())
