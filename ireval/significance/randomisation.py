"""Fisher's randomisation test: how often is the difference as large if chance decides which system has which score?"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from ireval.arrays import Floats
from ireval.io.arguments import require_generator
from ireval.significance.pairs import Pairs, as_scores_by_system, like
from ireval.significance.weights import against_zero, count_as_extreme, portions, rows_at_a_time

FLIPS = 10_000


def randomisation(differences: ArrayLike, rng: np.random.Generator, flips: int = FLIPS) -> Floats:
    """Two-sided p of the mean difference when the two scores of every topic may change places: (1 + count) / (1 + flips).

    Differences are (topics,) or (topics, pairs). Assumes only that, without a difference between the systems, their scores on a
    topic are exchangeable. Where there are at most 1 + `flips` exchanges (2ⁿ), all are counted and p is exact. NaN without
    topics. Source: Fisher, The
    design of experiments, 1935; Smucker, Allan and Carterette, CIKM 2007; Phipson and Smyth, 2010, for the 1 +.

    >>> float(randomisation([0.1, 0.2, 0.3, 0.4], np.random.default_rng(1)))
    0.125
    """
    require_generator(rng)
    return like(differences, randomise(*against_zero(differences), rng, flips))


def randomise(scores: Floats, pairs: Pairs, rng: np.random.Generator, flips: int = FLIPS) -> Floats:
    """p as in randomisation, one per pair of systems: `scores` are topics × systems.

    >>> scores = np.array([[0.1, 0.2], [0.2, 0.4], [0.3, 0.6], [0.4, 0.8]])
    >>> randomise(scores, Pairs(np.array([0]), np.array([1])), np.random.default_rng(1)).tolist()
    [0.125]
    """
    scores = as_scores_by_system(scores, pairs)
    require_generator(rng)
    n = len(scores)
    if n == 0:
        return np.full(len(pairs), np.nan)
    rows = rows_at_a_time(scores)
    if 2**n <= flips + 1:
        return count_as_extreme(all_signs(n, rows), scores, pairs) / 2 ** (n - 1)
    return (1 + count_as_extreme(random_signs(n, rng, flips, rows), scores, pairs)) / (1 + flips)


def random_signs(n: int, rng: np.random.Generator, flips: int, rows: int) -> Iterator[Floats]:
    for portion in portions(flips, rows):
        yield np.where(rng.integers(0, 2, (portion, n), np.int8), 1.0, -1.0)


def all_signs(n: int, rows: int) -> Iterator[Floats]:
    """Yield every choice of signs, without mirror images, which are as far from zero."""
    total = 2 ** (n - 1)
    for start in range(0, total, rows):
        numbers = np.arange(start, min(start + rows, total))
        yield np.where(numbers[:, None] >> np.arange(n) & 1, 1.0, -1.0)
