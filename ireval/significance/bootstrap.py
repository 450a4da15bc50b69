"""The bootstrap: topics are drawn again, with replacement, to see how far the mean difference moves."""

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ireval.arrays import Floats
from ireval.io.arguments import require_confidence, require_count, require_generator
from ireval.significance.pairs import Pairs, are_constant, are_zero, as_scores_by_system, columns, like
from ireval.significance.students_t import expanded_tail
from ireval.significance.weights import BLOCK, against_zero, count_as_extreme, portions, rows_at_a_time

SAMPLES = 10_000
IntervalMethod = Literal["bca", "percentile", "studentised"]


def bootstrap_test(differences: ArrayLike, rng: np.random.Generator, samples: int = SAMPLES) -> Floats:
    """Two-sided p: how often resampled means are as far from the mean difference as it is from zero.

    Differences are (topics,) or (topics, pairs); p is (1 + count) / (1 + samples). The shift method: the differences, moved to a
    mean of zero, are the null distribution. Assumes that the topics are a sample; with few topics p is too small. NaN for fewer
    than two topics, and for differences that are all equal but not zero. Sources: Noreen, Computer-intensive methods for testing
    hypotheses, 1989; Smucker, Allan and Carterette, CIKM 2007, for means over topics. Sakai, SIGIR 2006, studentises instead.

    >>> float(bootstrap_test([0.1, 0.2, 0.3, -0.1, 0.2], np.random.default_rng(1)).round(2))
    0.03
    """
    require_generator(rng)
    return like(differences, bootstrap(*against_zero(differences), rng, samples))


def bootstrap(scores: Floats, pairs: Pairs, rng: np.random.Generator, samples: int = SAMPLES) -> Floats:
    """p as in bootstrap_test, one per pair of systems: `scores` are topics × systems.

    >>> scores = np.array([[0.1, 0.2], [0.2, 0.4], [0.3, 0.6], [0.8, 0.7], [0.4, 0.6]])
    >>> bootstrap(scores, Pairs(np.array([0]), np.array([1])), np.random.default_rng(1)).round(2).tolist()
    [0.03]
    """
    require_generator(rng)
    scores = as_scores_by_system(scores, pairs)
    n = len(scores)
    counts = count_as_extreme(draws(n, rng, samples, rows_at_a_time(scores)), scores, pairs, around_observed=True)
    p: Floats = (1 + counts) / (1 + samples)
    for part, differences in pairs.tables(scores):
        p[part] = np.where(are_zero(differences), 1, np.where(are_constant(differences), np.nan, p[part]))
    return p if n > 1 else np.full(len(pairs), np.nan)


def difference_interval(
    differences: ArrayLike,
    rng: np.random.Generator,
    *,
    confidence: float = 0.95,
    method: IntervalMethod = "percentile",
    samples: int = SAMPLES,
) -> tuple[Floats, Floats]:
    """Low and high ends of a bootstrap interval of the mean difference. Differences are (topics,) or (topics, pairs).

    "percentile" reads off the quantiles of the resampled means and "bca" corrects them for bias and skewness, both expanded for
    few topics, as in intervals.bootstrap_interval. Differences are skewed little, and BCa holds theirs less often than the plain
    one (docs/explanation/statistics.md). "studentised" (bootstrap-t) takes the quantiles of the resampled t instead of
    Student's. NaN for fewer than two topics; an interval without width for differences that are all equal. Sources: Efron and
    Tibshirani, An introduction to the bootstrap, 1993, chapters 12 to 14; Hesterberg 2015 (`expanded_tail`).

    >>> [float(end.round(2)) for end in difference_interval([0.1, 0.2, 0.3, -0.1, 0.2], np.random.default_rng(1))]
    [-0.06, 0.28]
    """
    require_generator(rng)
    require_confidence(confidence)
    require_count("samples", samples)
    table = columns(differences)
    n, pairs = table.shape
    low, high = np.full((2, pairs), np.nan)
    if n > 1:
        # Kept for all blocks of pairs; as doubles those of many topics would fill half a gigabyte.
        small = np.min_scalar_type(n)
        counts = [block.astype(small) for block in draws(n, rng, samples, rows_at_a_time(table))]
        low, high = table.mean(axis=0), table.mean(axis=0)
        varying = np.flatnonzero(~are_constant(table))
        step = max(1, BLOCK // 2 // samples)
        for start in range(0, len(varying), step):
            chosen = varying[start : start + step]
            low[chosen], high[chosen] = ends(table[:, chosen], counts, confidence, method)
    return like(differences, low), like(differences, high)


def draws(n: int, rng: np.random.Generator, samples: int, rows: int) -> Iterator[Floats]:
    """Yield how often each topic is drawn: samples × topics, in portions."""
    for portion in portions(samples, rows) if n else ():
        drawn = rng.integers(0, n, (portion, n)) + n * np.arange(portion)[:, None]
        yield np.bincount(drawn.ravel(), minlength=portion * n).reshape(portion, n).astype(np.float64)


def ends(table: Floats, counts: Sequence[NDArray], confidence: float, method: IntervalMethod) -> Floats:
    n = len(table)
    mean = table.mean(axis=0)
    means = resampled_means(table, counts)
    if method == "studentised":
        levels = np.array([(1 - confidence) / 2, (1 + confidence) / 2])[:, None]
        squares = resampled_means(table**2, counts)
        spread = np.sqrt(np.maximum(squares - means**2, 0) / (n - 1))
        apart = means - mean[:, None]
        # A sample of a single topic has no spread: its t is infinite, with the sign of its mean.
        t = np.divide(apart, spread, out=np.copysign(np.inf, apart), where=spread > 1e-9 * np.abs(table).max())
        error = table.std(axis=0, ddof=1) / np.sqrt(n)
        return mean - read_off(t, levels[::-1] * np.ones(len(mean))) * error
    tail = expanded_tail(n, confidence)
    plain = np.array([tail, 1 - tail])[:, None] * np.ones(len(mean))
    return read_off(means, corrected_levels(table, means, tail) if method == "bca" else plain)


def resampled_means(table: Floats, counts: Sequence[NDArray]) -> Floats:
    """Means of the resamples, pairs × samples."""
    return np.hstack([table.T @ block.T.astype(np.float64) for block in counts]) / len(table)


def read_off(values: Floats, levels: Floats) -> Floats:
    """Quantiles, interpolated: `values` are pairs × samples, `levels` ends × pairs."""
    ordered = np.sort(values, axis=1)
    place = np.clip(levels, 0, 1) * (values.shape[1] - 1)
    below = np.floor(place).astype(np.int64)
    pair = np.arange(len(values))
    lower, upper = ordered[pair, below], ordered[pair, np.minimum(below + 1, values.shape[1] - 1)]
    return np.where(
        lower == upper, lower, lower + (place - below) * np.subtract(upper, lower, where=lower != upper, out=np.zeros_like(lower))
    )


def corrected_levels(table: Floats, means: Floats, tail: float) -> Floats:
    """The levels, ends × pairs, at which to read off the resampled means; a mean's acceleration is a sixth of its skewness."""
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - slow to import

    centre, samples = table.mean(axis=0), means.shape[1]
    # The same topics added in another order may miss the mean by a rounding error. They count as equal to it: half below.
    slack = 1e-12 * np.abs(table).max(axis=0)
    below = (np.mean(means < (centre - slack)[:, None], axis=1) + np.mean(means <= (centre + slack)[:, None], axis=1)) / 2
    bias = ndtri(np.clip(below, 0.5 / samples, 1 - 0.5 / samples))
    apart = table - centre
    acceleration = np.sum(apart**3, axis=0) / (6 * np.sum(apart**2, axis=0) ** 1.5)
    shifted = bias + ndtri(tail) * np.array([[1], [-1]])
    return ndtr(bias + shifted / (1 - acceleration * shifted))
