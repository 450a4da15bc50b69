"""Fisher's randomisation test: were it only chance which score is whose, how often would the difference be as large?"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from ..rankings import Floats
from .pairs import columns, like
from .weighing import count_as_extreme, portions, rows_at_a_time

FLIPS = 10_000


def randomisation(differences: ArrayLike, rng: np.random.Generator, flips: int = FLIPS) -> Floats:
    """Two-sided p of the mean difference when the two scores of every topic may change places: (1 + count) / (1 + flips).

    Assumes only that, without a difference between the systems, their scores of a topic are exchangeable. All 2ⁿ exchanges are
    looked at, and p is exact, where they are no more than `flips` and the identity. NaN without any topic. Source: Fisher, The
    design of experiments, 1935; Smucker, Allan and Carterette, CIKM 2007; Phipson and Smyth, 2010, for the 1 +.

    >>> float(randomisation([0.1, 0.2, 0.3, 0.4], np.random.default_rng(1)))
    0.125
    """
    table = columns(differences)
    n = len(table)
    if n == 0:
        return like(differences, np.full(table.shape[1], np.nan))
    observed = table.sum(axis=0)
    if 2**n <= flips + 1:
        p = count_as_extreme(all_signs(n), table, observed, lambda pairs: 0.0) / 2 ** (n - 1)
    else:
        p = (1 + count_as_extreme(random_signs(n, rng, flips), table, observed, lambda pairs: 0.0)) / (1 + flips)
    return like(differences, p)


def random_signs(n: int, rng: np.random.Generator, flips: int) -> Iterator[Floats]:
    for rows in portions(flips, rows_at_a_time(n)):
        yield np.where(rng.integers(0, 2, (rows, n), np.int8), 1.0, -1.0)


def all_signs(n: int) -> Iterator[Floats]:
    """Every choice of signs but for their mirror images, which are as far from zero."""
    total = 2 ** (n - 1)
    rows = rows_at_a_time(n)
    for start in range(0, total, rows):
        numbers = np.arange(start, min(start + rows, total))
        yield np.where(numbers[:, None] >> np.arange(n) & 1, 1.0, -1.0)
