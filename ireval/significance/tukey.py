"""Tukey's honestly significant differences: one test of all systems that bounds the chance of any false alarm."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ireval.arrays import Floats
from ireval.io.arguments import as_numbers, require_confidence, require_generator
from ireval.significance.pairs import ROUNDING, SMALLEST, TOLERANCE, Pairs, as_scores_by_system
from ireval.significance.studentised_range import upper_quantile, upper_tail
from ireval.significance.weights import BLOCK, portions

PERMUTATIONS = 10_000


class TwoWayFit(NamedTuple):
    """Means of the systems, (m,), with the residual's standard error of a mean and its degrees of freedom."""

    means: Floats
    error: float
    freedom: int


def two_way(scores: Floats) -> TwoWayFit:
    """Fit scores, topics × systems, as topic + system + residual. With fewer than two of either, the error is NaN."""
    n, m = scores.shape
    means = scores.mean(axis=0) if n else np.full(m, np.nan)
    if n < 2 or m < 2:
        return TwoWayFit(means, np.nan, 0)
    rest = scores - scores.mean(axis=1, keepdims=True) - means + scores.mean()
    freedom = (n - 1) * (m - 1)
    error = np.sqrt((rest**2).sum() / freedom / n)
    return TwoWayFit(means, 0.0 if error <= ROUNDING * np.abs(scores).max() else float(error), freedom)


def tukey(scores: Floats, pairs: Pairs) -> Floats:
    """p of each pair of systems: P(studentised range of m means ≥ |difference| / √(MSE / n)).

    `scores` are n topics × m systems; (n − 1)(m − 1) degrees of freedom. Assumes that a score is topic + system + a normal
    residual of equal variance for all systems. p is already corrected for all pairs. NaN for fewer than two topics or systems,
    and where residuals are 0 and the pair differs. Source: Tukey, The problem of multiple comparisons, 1953; Carterette, ACM
    TOIS 30(1), 2012, section 4.

    >>> scores = np.array([[0.1, 0.2, 0.5], [0.3, 0.3, 0.6], [0.2, 0.4, 0.4], [0.4, 0.3, 0.7]])
    >>> tukey(scores, Pairs(np.array([0, 0, 1]), np.array([1, 2, 2]))).round(4).tolist()
    [0.7447, 0.0098, 0.0222]
    """
    scores = as_scores_by_system(scores, pairs)
    fit = two_way(scores)
    apart = np.abs(fit.means[pairs.first] - fit.means[pairs.second])
    if not fit.error > 0:
        return np.where((fit.error == 0) & (apart <= ROUNDING * np.abs(scores).max(initial=0)), 1.0, np.nan)
    return np.maximum(upper_tail(apart / fit.error, len(fit.means), fit.freedom), SMALLEST)


def tukey_half_width(scores: Floats, confidence: float = 0.95) -> float:
    """Half the width of every difference's interval, so that all hold at once with that confidence; NaN as in tukey.

    >>> round(tukey_half_width(np.array([[0.1, 0.2, 0.5], [0.3, 0.3, 0.6], [0.2, 0.4, 0.4], [0.4, 0.3, 0.7]])), 4)
    0.2046
    """
    scores = as_scores_by_system(scores)
    require_confidence(confidence)
    fit = two_way(scores)
    return fit.error * upper_quantile(1 - confidence, len(fit.means), fit.freedom) if fit.error > 0 else fit.error


def randomised_ranges(scores: Floats, rng: np.random.Generator, permutations: int = PERMUTATIONS) -> Floats:
    """Sorted ranges (best mean minus worst), (permutations,), with the scores of each topic permuted among the systems.

    >>> randomised_ranges(np.array([[0.25, 0.5], [0.0, 0.5]]), np.random.default_rng(3), permutations=4).tolist()
    [0.125, 0.375, 0.375, 0.375]
    """
    scores = as_scores_by_system(scores)
    require_generator(rng)
    dealt = [np.ptp(means, axis=1) for means in dealt_means(scores, rng, permutations)]
    return np.sort(np.concatenate(dealt))


def dealt_means(scores: Floats, rng: np.random.Generator, permutations: int) -> Iterator[Floats]:
    n, m = scores.shape
    for rows in portions(permutations, max(1, BLOCK // max(1, m * n))):
        sums = np.zeros((rows, m))
        for topic in scores:
            sums += rng.permuted(np.broadcast_to(topic, (rows, m)), axis=1)
        yield sums / n


def randomised_tukey(scores: Floats, pairs: Pairs, ranges: Floats) -> Floats:
    """p of each pair: how many of the randomised ranges are at least its difference, (1 + count) / (1 + permutations).

    Assumes only that scores on a topic are exchangeable if all systems are alike. p is already corrected for all pairs. Source:
    Carterette, Multiple testing in statistical analysis of systems-based information retrieval experiments, ACM TOIS 30(1), 2012.

    >>> scores = np.array([[0.1, 0.2, 0.5], [0.3, 0.3, 0.6], [0.2, 0.4, 0.4], [0.4, 0.3, 0.7]])
    >>> ranges = randomised_ranges(scores, np.random.default_rng(1), 999)
    >>> randomised_tukey(scores, Pairs(np.array([0, 0, 1]), np.array([1, 2, 2])), ranges).round(2).tolist()
    [0.95, 0.05, 0.13]
    """
    scores = as_scores_by_system(scores, pairs)
    means = scores.mean(axis=0)
    apart = np.abs(means[pairs.first] - means[pairs.second]) - TOLERANCE * np.abs(scores).max(initial=0)
    return (1 + len(ranges) - np.searchsorted(ranges, apart, side="left")) / (1 + len(ranges))


def randomised_half_width(ranges: Floats, confidence: float = 0.95) -> float:
    """The range that chance exceeds with probability 1 − confidence; infinite with too few permutations.

    >>> randomised_half_width(np.arange(1.0, 100.0)), randomised_half_width(np.arange(1.0, 10.0))
    (95.0, inf)
    """
    ranges = as_numbers("ranges", ranges)
    require_confidence(confidence)
    place = int(np.ceil(confidence * (len(ranges) + 1) - 1e-9))
    return float(ranges[place - 1]) if place <= len(ranges) else np.inf
