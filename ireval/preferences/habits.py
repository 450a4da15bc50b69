"""Habits of workers, whatever the systems: preference for a side, consistency on mirrored repeats, and learning."""

from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.agreement import Agreement, Resampling, agreement_of, cohen_kappa, krippendorff_alpha, wilson_interval
from ireval.agreement.item_bootstrap import USUAL
from ireval.agreement.workers import shared_lead, without_own
from ireval.arrays import Floats, Ints
from ireval.io.frames import TableSource
from ireval.labels import Labels
from ireval.preferences.vote_files import as_votes
from ireval.preferences.votes import LEFT, POINTS, RIGHT, TIE, Votes
from ireval.significance.clusters import Clustered, clustered
from ireval.significance.exact_tests import binomial_test

# Labels of votes from the view of the system that comes first in `Votes.systems`.
PREFERRED = ("second", "tie", "first")
TENTHS = 10


class SideBias(NamedTuple):
    """How many of the `decided` votes chose the `left` side: the share, Wilson's interval and the exact p that it is a half.

    `by_worker` has one row per worker with decided votes: worker, decided, left, share, low, high, p.
    """

    decided: int
    left: int
    share: float
    low: float
    high: float
    p: float
    by_worker: pl.DataFrame


def side_bias(votes: Votes | TableSource, *, confidence: float = 0.95) -> SideBias:
    """Whether workers choose the left side more often than the right one, whichever system is there; ties are neither.

    p and interval assume that the sides were drawn at random for every vote. If all workers saw an item with the same sides, a
    preference for a system looks like one for a side. p of single workers are not corrected for their number. Without decided
    votes all is NaN, but p is 1. Sources: Wilson 1927 (`wilson_interval`); Dixon and Mood 1946 (`binomial_test`).

    >>> from ireval.preferences.votes import small
    >>> side_bias(small())[:3]
    (5, 2, 0.4)
    """
    votes = as_votes(votes)
    left, right = votes.winner == LEFT, votes.winner == RIGHT
    workers = np.unique(votes.worker[left | right])
    by_left, by_right = (np.bincount(votes.worker[side], minlength=len(votes.workers))[workers] for side in (left, right))
    low, high = wilson_interval(by_left, by_left + by_right, confidence)
    table = pl.DataFrame(
        {
            "worker": pl.Series([votes.workers[side] for side in workers], dtype=pl.String),
            "decided": by_left + by_right,
            "left": by_left,
            "share": by_left / (by_left + by_right),
            "low": low,
            "high": high,
            "p": [binomial_test(*two) for two in zip(by_left.tolist(), by_right.tolist(), strict=True)],
        }
    ).sort("worker")
    decided, chosen = int((left | right).sum()), int(left.sum())
    ends = [float(end) for end in wilson_interval(chosen, decided, confidence)]
    p = binomial_test(chosen, decided - chosen)
    return SideBias(decided, chosen, chosen / decided if decided else np.nan, ends[0], ends[1], p, table)


class Consistency(NamedTuple):
    """How often workers gave the same answer in `n` mirrored repeats, which have the sides swapped.

    same_system, both_tie: the same answer; both_bad counts as a tie. same_side: the same side, and so the other system. to_tie,
    from_tie: a choice became a tie, or a tie a choice. `share` is that of same_system and both_tie, with Wilson's interval;
    `kappa` is corrected for chance.
    """

    n: int
    same_system: int
    both_tie: int
    same_side: int
    to_tie: int
    from_tie: int
    share: float
    low: float
    high: float
    kappa: Agreement


def consistency(votes: Votes | TableSource, resampling: Resampling = USUAL) -> Consistency:
    """Whether workers give the same answer when they see an item again with its sides swapped.

    κ is Cohen's, of the first and the second answer from the view of the system that comes first in `votes.systems`. Its interval
    comes from repeats drawn again. NaN without repeats; κ also where all answers are the same.
    Sources: Wilson 1927; Cohen 1960 (`cohen_kappa`).

    >>> from ireval.preferences.votes import small
    >>> consistency(small())[:7]
    (1, 1, 0, 0, 0, 0, 1.0)
    """
    votes = as_votes(votes)
    first, again = votes.winner[votes.repeats.vote], votes.repeats.winner
    was_tie, is_tie = first >= TIE, again >= TIE
    same_side = ~was_tie & (first == again)
    same_system = ~was_tie & ~is_tie & (first != again)
    both_tie = was_tie & is_tie
    n, stayed = len(again), int((same_system | both_tie).sum())
    low, high = wilson_interval(stayed, n, resampling.confidence)
    return Consistency(
        n=n,
        same_system=int(same_system.sum()),
        both_tie=int(both_tie.sum()),
        same_side=int(same_side.sum()),
        to_tie=int((~was_tie & is_tie).sum()),
        from_tie=int((was_tie & ~is_tie).sum()),
        share=stayed / n if n else np.nan,
        low=float(low),
        high=float(high),
        kappa=cohen_kappa(answers_of_repeats(votes), resampling=resampling),
    )


def answers_of_repeats(votes: Votes) -> Labels:
    """Every repeated vote as an item with two labels."""
    rows, n = votes.repeats.vote, len(votes.repeats.vote)
    again = POINTS[votes.repeats.winner]  # the system that was on the left is on the right
    points = np.concatenate([votes.points[rows], np.where(votes.left[rows] == votes.low[rows], 1 - again, again)])
    return Labels(
        item=np.tile(np.arange(n), 2),
        worker=np.repeat([0, 1], n),
        label=labels_of_points(points),
        items=tuple(map(str, range(n))),
        workers=("first", "again"),
        values=PREFERRED,
        ordered=True,
        topic=votes.topic[rows],
    )


def labels_of_points(points: Floats) -> Ints:
    return (2 * points).astype(np.int64)


def vote_labels(votes: Votes | TableSource) -> Labels:
    """The votes as labels on the scale second < tie < first; both_bad is a tie.

    "first" is the system of the pair that comes first in `votes.systems`. A labelled item is an item with a pair of systems.
    Not for a study without votes.

    >>> from ireval.preferences.votes import small
    >>> vote_labels(small()).counts.tolist()
    [[0, 0, 2], [0, 0, 2], [1, 1, 0]]
    """
    votes = as_votes(votes)
    _, first = np.unique(votes.unit, return_index=True)
    unit = np.unique(votes.unit, return_inverse=True)[1]
    shared = len(np.unique(votes.item[first])) < len(first)
    names = [votes.items[code] for code in votes.item[first]]
    if shared:
        systems = zip(votes.low[first], votes.high[first], strict=True)
        names = [f"{name} {votes.systems[a]} {votes.systems[b]}" for name, (a, b) in zip(names, systems, strict=True)]
    return Labels(
        unit, votes.worker, labels_of_points(votes.points), tuple(names), votes.workers, PREFERRED, True, votes.topic[first]
    )


def vote_agreement(votes: Votes | TableSource, resampling: Resampling = USUAL) -> list[Agreement]:
    """How far workers agree which system is better: all coefficients of `agreement_of` for nominal labels, and ordinal α.

    Krippendorff's ordinal α counts a win against a tie as less of a disagreement than a win against a loss. NaN where `undefined`
    says why.

    >>> from ireval.preferences.votes import small
    >>> [(coefficient.name, round(coefficient.value, 4)) for coefficient in vote_agreement(small())][:1]
    [('percent', 0.6667)]
    """
    votes = as_votes(votes)
    labels = vote_labels(votes)
    ordinal = krippendorff_alpha(labels, "ordinal", resampling)._replace(name="alpha-ordinal")
    return [*agreement_of(labels, "nominal", resampling), ordinal]


class Learning(NamedTuple):
    """How votes change with the number of votes that the worker had given before.

    - tenths: one row per tenth of every worker's own votes: tenth (from 1), votes, agreement and seconds (median). agreement is
      the share that equals the commonest answer of the others, if there is one. Null where there is nothing to count.
    - agreement: that of the second half of every worker's votes minus that of the first half.
    - pace: the geometric mean of seconds in the second half over that in the first.
    """

    tenths: pl.DataFrame
    agreement: Clustered
    pace: Clustered


def learning(votes: Votes | TableSource, *, confidence: float = 0.95) -> Learning:
    """Whether workers agree more with the others, and become faster, the more they have voted.

    Each worker is compared with the others' votes; where k answers tie among these, each counts 1/k. Halves and tenths are each
    worker's own, by `votes.before`. Differences are of means over votes of workers with votes in both halves. Their intervals are
    robust to votes that are alike within workers; undefined (NaN) with fewer than two workers. Times of 0 seconds are left out
    of the pace.
    Source: Cameron, Gelbach and Miller 2011 with one kind of clusters.

    >>> from ireval.preferences.votes import small
    >>> learning(small()).agreement.value
    -1.0
    """
    votes = as_votes(votes)
    labels = vote_labels(votes)
    others = without_own(labels)
    alike = shared_lead(others)[np.arange(len(labels)), labels.label]
    compared = others.any(axis=1)
    place = progress(votes)
    tenth = np.minimum((TENTHS * place).astype(np.int64), TENTHS - 1)
    timed = votes.seconds > 0
    return Learning(
        by_tenth(tenth, np.where(compared, alike, np.nan), votes.seconds),
        change(votes.worker[compared], place[compared], alike[compared], confidence),
        ratio_of(change(votes.worker[timed], place[timed], np.log(votes.seconds[timed]), confidence)),
    )


def progress(votes: Votes) -> Floats:
    """The share of the worker's own votes given before each vote, (N,): 0 for the first."""
    order = np.lexsort((votes.before, votes.worker))
    sizes = np.bincount(votes.worker)
    shares = np.empty(len(votes))
    worker = votes.worker[order]
    shares[order] = (np.arange(len(votes)) - (np.cumsum(sizes) - sizes)[worker]) / sizes[worker]
    return shares


def by_tenth(tenth: Ints, agreement: Floats, seconds: Floats) -> pl.DataFrame:
    frame = pl.DataFrame({"tenth": tenth + 1, "agreement": agreement, "seconds": seconds}).fill_nan(None)
    columns = [pl.len().cast(pl.Int64).alias("votes"), pl.col("agreement").mean(), pl.col("seconds").median()]
    every = pl.DataFrame({"tenth": np.arange(1, TENTHS + 1)})
    tenths = every.join(frame.group_by("tenth").agg(columns), on="tenth", how="left", maintain_order="left")
    return tenths.with_columns(pl.col("votes").fill_null(0))


def change(worker: Ints, place: Floats, values: Floats, confidence: float) -> Clustered:
    """The mean of the second half minus that of the first, for workers who have votes in both."""
    late = place >= 0.5
    size = int(worker.max(initial=-1)) + 1
    in_both = (np.bincount(worker[late], minlength=size) > 0) & (np.bincount(worker[~late], minlength=size) > 0)
    kept = in_both[worker]
    worker, late, values = worker[kept], late[kept], values[kept]
    if not len(values):
        return Clustered(np.nan, np.nan, np.nan, np.nan, np.nan, 0, "no worker has votes in both halves to compare")
    means = np.array([values[~late].mean(), values[late].mean()])
    sizes = np.array([(~late).sum(), late.sum()])
    influence = (values - means[late.astype(int)]) / sizes[late.astype(int)] * np.where(late, 1, -1)
    return clustered(float(means[1] - means[0]), influence, {"worker": worker}, against=0, confidence=confidence)


def ratio_of(logarithms: Clustered) -> Clustered:
    """A difference of logarithms as a ratio; the error stays that of the logarithm."""
    value, low, high = np.exp(logarithms[:3]).tolist()
    return logarithms._replace(value=value, low=low, high=high)
