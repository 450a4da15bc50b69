"""Intervals of side-by-side studies: the score of two systems, the ladder's strengths and scores, and all its ranks at once.

Workers and topics are drawn anew for each study; in some worlds both have tastes of their own. The truth is what a study of very
many topics and workers finds.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.coverage import Row, holds, row
from benchmarks.preferences import simulated
from ireval.agreement import Resampling
from ireval.arrays import Floats
from ireval.preferences import Votes, bradley_terry, ladder, preference
from ireval.preferences.strengths import Strengths

VERY_MANY = 40_000
# How far systems are apart on topics and to workers, and how much workers like a side (standard deviations of log strengths).
WORLDS = {
    "every vote by itself": {},
    "topics differ": {"by_topic": 1.0, "side": 0.5},
    "topics and tastes differ": {"by_topic": 1.0, "by_worker": 0.5, "side": 0.5},
    "strong tastes": {"by_topic": 0.5, "by_worker": 1.0, "side": 0.5},
}
PAIR = (0.6, 0.0)
FIVE = tuple(np.linspace(-0.6, 0.6, 5))
# One system that hardly ever loses and one that hardly ever wins.
LOPSIDED = (3.0, 0.0, 0.0, -3.0)
DRAWS = 500


def rows(repetitions: int, data: Path) -> Iterator[Row]:
    """Yield the rows of scores, then of ladders; nothing is read from `data`."""
    for world in WORLDS:
        for topics in (10, 25, 50, 200):
            for workers in (3, 5, 10, 20):
                yield of_score(world, topics, workers, repetitions)
    for world in WORLDS:
        yield from of_ladder(world, FIVE, "5 systems, 30 topics, 20 workers", repetitions)
        yield from of_ladder(world, LOPSIDED, "4 systems, 10 topics, 10 workers", repetitions)


def of_score(world: str, topics: int, workers: int, repetitions: int) -> Row:
    rng, truth = np.random.default_rng([topics, workers]), true_score(world)
    systems = np.array(PAIR)
    studies = (simulated(rng, systems, topics=topics, workers=workers, overlap=3, **WORLDS[world]) for _ in range(repetitions))
    scores = (preference(votes, "s000", "s001").score for votes in studies)
    held = [holds(score.low, truth, score.high) for score in scores]
    return row("score of two systems", world, f"{topics} topics, {workers} workers", held)


@cache
def true_score(world: str) -> float:
    rng = np.random.default_rng(0)
    votes = simulated(rng, np.array(PAIR), topics=10 * VERY_MANY, workers=VERY_MANY, overlap=1, **WORLDS[world])
    return float(votes.points.mean())


def of_ladder(world: str, strength: tuple[float, ...], size: str, repetitions: int) -> Iterator[Row]:
    lopsided = strength == LOPSIDED
    topics, workers, overlap = (10, 10, 1) if lopsided else (30, 20, 2)
    rng, truth = np.random.default_rng(len(strength)), true_strengths(world, strength)
    held = []
    for seed in range(repetitions):
        votes = simulated(rng, np.array(strength), topics=topics, workers=workers, overlap=overlap, **WORLDS[world])
        held.append(held_by(votes, truth, seed))
    title = f"{world}, one unbeaten" if lopsided else world
    for name, column in zip(("strength", "score against the average", "all ranks"), np.transpose(held), strict=True):
        yield row(f"ladder: {name}", title, size, column)


@cache
def true_strengths(world: str, strength: tuple[float, ...]) -> Strengths:
    rng = np.random.default_rng(0)
    large = simulated(rng, np.array(strength), topics=VERY_MANY, workers=VERY_MANY, overlap=1, **WORLDS[world])
    return bradley_terry(large)


def held_by(votes: Votes, truth: Strengths, seed: int) -> tuple[float, float, float]:
    """The shares of strengths and of scores against the average that were held, and whether all ranks were."""
    fitted = ladder(votes, resampling=Resampling(resamples=DRAWS, seed=seed))
    above = truth.strength[:, None] > truth.strength + 1e-2
    best, last = 1 + above.sum(axis=0), len(truth.strength) - above.sum(axis=1)
    ranks = (fitted.rank_low <= best) & (last <= fitted.rank_high)
    return (
        share(fitted.low, truth.strength, fitted.high),
        share(fitted.average_low, truth.against_average, fitted.average_high),
        float(ranks.all()),
    )


def share(low: Floats, truth: Floats, high: Floats) -> float:
    """The share of shown intervals that hold the truth; NaN where none is shown."""
    shown = ~(np.isnan(low) | np.isnan(high))
    return float(((low <= truth) & (truth <= high))[shown].mean()) if shown.any() else float("nan")
