"""Lines: what one kind of evidence says on whether B is better than A, in its own unit and on a shared scale.

The shared scale is the share of units (topics, votes, users) in which B beats A, a tie counting half. One half is no difference.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ireval.arrays import Floats, Ints
from ireval.interleaving.analysis import effective_votes
from ireval.io.arguments import require_numbers, require_type
from ireval.io.files import BadInput
from ireval.significance.clusters import Clustered, clustered_share
from ireval.significance.decision import Estimate
from ireval.significance.independent_groups import superiority_of_arms
from ireval.significance.pairs import ROUNDING, are_constant, columns, in_steps

# With fewer, 95 % intervals hold the truth in 93 % where workers differ as much as topics.
ENOUGH_WORKERS = 6


class Line(NamedTuple):
    """One kind of evidence.

    - difference: B − A in the unit of `measure`, more being better.
    - share: how often B beats A, of `n` units.
    - margin: the smallest difference that matters, in the unit of `measure`.
    - planned: for how many units intervals that hold at every look are narrowest; None where there is one look.
    - bounds: the least and the largest difference that can be.
    - caution: what the line does not tell.
    """

    kind: str
    measure: str
    unit: str
    n: int
    difference: Estimate
    share: Estimate
    margin: float
    planned: int | None = None
    bounds: tuple[float, float] = (-np.inf, np.inf)
    caution: str = ""


def line_of_topics(
    kind: str,
    measure: str,
    differences: ArrayLike,
    *,
    margin: float,
    without_worker: Mapping[str, Mapping[int, float]] | None = None,
    bounds: tuple[float, float] = (-np.inf, np.inf),
    unit: str = "topics",
) -> Line:
    """Graded evidence: the differences (B − A) of a measure's values, (topics,).

    `without_worker` has, by worker and place of the topic, the difference that is left without that worker's grades. The interval
    is then over other topics and other workers (`over_topics_and_workers`); else over other topics alone.
    NaN and a reason with a single topic, and where all differences are equal. BadInput for a difference that is not finite.

    >>> line = line_of_topics("grades", "nDCG@10", [0.1, 0.2, 0.0, -0.1], margin=0.02)
    >>> round(line.difference.value, 3), line.difference.freedom, line.share.value
    (0.05, 3, 0.625)
    """
    of_pairs = columns(differences)
    if of_pairs.shape[1] != 1:
        raise BadInput(f"differences are of {of_pairs.shape[1]} pairs; expected those of one, a number a topic")
    values = of_pairs[:, 0]
    require_numbers(margin=margin)
    signs = np.sign(in_steps(values[:, None])[:, 0]) / 2 + 0.5
    changes = changes_of(values, without_worker or {})
    return Line(
        kind,
        measure,
        unit,
        len(values),
        over_topics_and_workers(values, changes),
        share_of(signs, {"topic": np.arange(len(signs))}).estimate._replace(n=len(signs)),
        margin,
        bounds=bounds,
        caution=caution_of(len(without_worker or {})),
    )


def caution_of(workers: int) -> str:
    if not workers:
        return "The interval is over other topics, not over other workers."
    if workers < ENOUGH_WORKERS:
        return f"With {workers} workers the interval may hold the truth somewhat less often than it says."
    return ""


class Changes(NamedTuple):
    """What leaving out a worker's grades of a topic changes: the topic's place, the worker's, and by how much, (cells,) each."""

    topic: Ints
    worker: Ints
    change: Floats


def changes_of(values: Floats, without_worker: Mapping[str, Mapping[int, float]]) -> Changes:
    cells = [
        (topic, worker, left - values[topic])
        for worker, differences in enumerate(without_worker.values())
        for topic, left in differences.items()
    ]
    topics, workers, change = zip(*cells, strict=True) if cells else ((), (), ())
    return Changes(np.array(topics, np.int64), np.array(workers, np.int64), np.array(change, np.float64))


def over_topics_and_workers(values: Floats, changes: Changes) -> Estimate:
    """The mean of the topics' differences with an error for other topics and other workers.

    V = V_topics + V_workers − V_both, but no less than either of the first two. V_topics is s² / T; V_workers the jackknife's
    over workers, V_both that over the cells of a topic and a worker. The degrees of freedom are Satterthwaite's,
    V² / (V_topics² / (T − 1) + V_workers² / (W − 1)), at least the smaller number less one.
    Sources: Cameron, Gelbach and Miller 2011 (`clusters.variance`); Efron and Stein, The jackknife estimate of variance, Annals
    of Statistics 9, 1981; Satterthwaite, An approximate distribution of estimates of variance components, Biometrics Bulletin 2,
    1946. The floor is ours; `python -m benchmarks.verdict` counts what it covers.
    """
    topics, mean = len(values), float(values.mean()) if len(values) else np.nan
    if topics < 2:
        return Estimate(mean, np.nan, np.nan, topics, "there is a single topic")
    by_topics = 0.0 if are_constant(values[:, None])[0] else float(values.var(ddof=1)) / topics
    workers = len(np.unique(changes.worker))
    if workers < 2:
        reason = "" if by_topics else "all topics say the same"
        return Estimate(mean, float(np.sqrt(by_topics)) or np.nan, topics - 1, topics, reason)
    parts = changes.change / topics
    by_workers = spread(np.bincount(changes.worker, parts).astype(np.float64), workers)
    of_topic = np.bincount(changes.topic, minlength=topics)[changes.topic]
    both = float((np.where(of_topic > 1, (of_topic - 1) / of_topic, 1.0) * parts**2).sum())
    variance = max(by_topics, by_workers, by_topics + by_workers - both)
    if not by_topics and variance <= (ROUNDING * np.abs(values).max()) ** 2:
        return Estimate(mean, np.nan, np.nan, topics, "all topics say the same")
    freedom = variance**2 / (by_topics**2 / (topics - 1) + by_workers**2 / (workers - 1))
    return Estimate(mean, float(np.sqrt(variance)), max(freedom, min(topics, workers) - 1), topics)


def spread(changes: Floats, n: int) -> float:
    """The jackknife's variance from what leaving out each of n changes."""
    return float((n - 1) / n * ((changes - changes.mean()) ** 2).sum())


def share_of(points: Floats, clusters: dict[str, Ints]) -> Clustered:
    """The share of units that B wins, with an interval that is robust to what units have in common."""
    share = float(points.mean()) if len(points) else np.nan
    return clustered_share(share, (points - share) / max(1, len(points)), clusters)


def line_of_votes(kind: str, score: Clustered, n: int, *, margin: float) -> Line:
    """Votes on two lists, from `Preference.score` of B against A; margin and difference are shares of votes above one half.

    >>> score = Clustered(0.6, 0.52, 0.68, 0.04, 0.02, 11)
    >>> line = line_of_votes("side by side", score, 200, margin=0.05)
    >>> round(line.difference.value, 3), line.share.value
    (0.1, 0.6)
    """
    require_type("score", score, Clustered, "the score of a Preference or an Interleaving")
    share = score.estimate._replace(n=n)
    return Line(kind, "share of votes", "votes", n, above_half(share), share, margin, bounds=(-0.5, 0.5))


def line_of_interleaving(kind: str, score: Clustered, n: int, *, margin: float, unit: str, planned: int | None = None) -> Line:
    """Interleaved lists, from `Interleaving.score` of B against A; the difference is Δ, the score less one half."""
    require_type("score", score, Clustered, "the score of a Preference or an Interleaving")
    return line_of_score(kind, score.estimate, n, margin=margin, unit=unit, planned=planned)


def line_of_score(
    kind: str, score: Estimate, n: int, *, margin: float, unit: str, planned: int | None = None, weight: float | None = None
) -> Line:
    """Interleaved lists, from the score of B with its error, of `n` votes.

    `weight` is what the score is a share of, where that is not the votes: by credit, the sum of it. Intervals that hold at every
    look are those of `compare_interleaved`.
    """
    share = score._replace(n=effective_votes(score.error, n if weight is None else weight))
    return Line(kind, "Δ of interleaving", unit, n, above_half(share), share, margin, planned, bounds=(-0.5, 0.5))


def above_half(share: Estimate) -> Estimate:
    return share._replace(value=share.value - 0.5)


def line_of_arms(
    kind: str,
    measure: str,
    difference: Estimate,
    control: tuple[ArrayLike, ArrayLike],
    new: tuple[ArrayLike, ArrayLike],
    *,
    margin: float,
    more_is_better: bool = True,
    planned: int | None = None,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Line:
    """Two arms of a test on users: `difference` is `Effect.estimate` of B's arm against A's.

    `control` and `new` are each arm's values of a unit and how many units have them. From these comes the probability that a unit
    of B's arm has more than one of A's (`superiority_of_arms`).
    """
    require_type("difference", difference, Estimate, "an Estimate, such as Effect.estimate")
    share = superiority_of_arms(control, new)
    if not more_is_better:
        difference = difference._replace(value=-difference.value)
        share = share._replace(value=1 - share.value)
    return Line(kind, measure, "users", difference.n, difference, share, margin, planned, bounds)
