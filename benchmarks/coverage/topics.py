"""Intervals of means and differences over topics, which are drawn from the topics of real systems, with replacement.

The truth is the mean over all these topics. Each repetition draws topics anew and takes systems at random: one for a mean, two
for a difference, `SYSTEMS` for Tukey's intervals.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.coverage import Row, row
from ireval import difference_interval, mean_interval, t_interval
from ireval.arrays import Floats
from ireval.significance.tukey import randomised_half_width, randomised_ranges, tukey_half_width

TOPICS = (5, 10, 25, 50, 100)
SYSTEMS = 5
SAMPLES = 1000  # resamples of a bootstrap, permutations
FOLDER = "significance_urbano2019"
FILES = {
    "adhoc8_ap": "AP, TREC 8",
    "adhoc8_p10": "P@10, TREC 8",
    "adhoc8_rr": "RR, TREC 8",
    "web2013_ndcg20": "nDCG@20, TREC web 2013",
    "web2013_err20": "ERR@20, TREC web 2013",
}
# Rounding of sums over topics.
SLACK = 1e-9


def rows(repetitions: int, data: Path) -> Iterator[Row]:
    for world, scores in worlds(data).items():
        for n in TOPICS:
            rng = np.random.default_rng(n)
            yield of_means(rng, world, scores, n, repetitions)
            yield from of_differences(rng, world, scores, n, repetitions)
            yield from of_all_pairs(rng, world, scores, n, repetitions)


def worlds(data: Path) -> dict[str, Floats]:
    """Scores, topics × systems, by the name of their world: real ones if they are there, and skewed simulated ones."""
    real = {world: data / FOLDER / f"{file}.csv" for file, world in FILES.items()}
    there = {world: pl.read_csv(path).to_numpy() for world, path in real.items() if path.is_file()}
    return {**there, "simulated, skewed": simulated(np.random.default_rng(0))}


def simulated(rng: np.random.Generator, topics: int = 5000, systems: int = 20) -> Floats:
    """Scores from 0 to 1, most of them small: topics differ more than systems."""
    ease = rng.normal(-1.5, 1, (topics, 1))
    return 1 / (1 + np.exp(-(ease + rng.normal(0, 0.3, systems) + rng.normal(0, 0.7, (topics, systems)))))


def of_means(rng: np.random.Generator, world: str, scores: Floats, n: int, repetitions: int) -> Row:
    system = rng.integers(0, scores.shape[1], repetitions)
    drawn = scores[rng.integers(0, len(scores), (n, repetitions)), system]
    low, high = np.array([mean_interval(values)[1:] for values in drawn.T]).T
    return row("mean, Student's", world, f"{n} topics", held(low, scores.mean(axis=0)[system], high))


def of_differences(rng: np.random.Generator, world: str, scores: Floats, n: int, repetitions: int) -> Iterator[Row]:
    first, second = np.array([rng.choice(scores.shape[1], 2, replace=False) for _ in range(repetitions)]).T
    truth, drawn = scores.mean(axis=0), rng.integers(0, len(scores), (n, repetitions))
    differences = scores[drawn, first] - scores[drawn, second]
    intervals = {
        "difference, Student's": t_interval(differences),
        "difference, bootstrap percentiles": difference_interval(differences, rng, samples=SAMPLES),
        "difference, BCa": difference_interval(differences, np.random.default_rng([n, 1]), method="bca", samples=SAMPLES),
    }
    for name, (low, high) in intervals.items():
        yield row(name, world, f"{n} topics", held(low, truth[first] - truth[second], high))


def of_all_pairs(rng: np.random.Generator, world: str, scores: Floats, n: int, repetitions: int) -> Iterator[Row]:
    """Both of Tukey's: all pairs have intervals of the same width, so that the pair farthest off decides."""
    held = np.empty((repetitions, 2))
    for repetition in held:
        chosen = scores[:, rng.choice(scores.shape[1], SYSTEMS, replace=False)]
        drawn = chosen[rng.integers(0, len(scores), n)]
        farthest = np.ptp(drawn.mean(axis=0) - chosen.mean(axis=0)) - SLACK
        dealt = randomised_half_width(randomised_ranges(drawn, rng, SAMPLES))
        repetition[:] = farthest <= tukey_half_width(drawn), farthest <= dealt
    for name, together in zip(("Tukey's", "Tukey's, randomised"), held.T, strict=True):
        yield row(f"all differences of {SYSTEMS} systems, {name}", world, f"{n} topics", together)


def held(low: Floats, truth: Floats, high: Floats) -> Floats:
    """1 where the interval holds the truth, else 0; NaN where there is none, (R,)."""
    inside = (low - SLACK <= truth) & (truth <= high + SLACK)
    return np.where(np.isnan(low) | np.isnan(high), np.nan, inside)
