"""Which systems are compared, and their differences topic by topic: the matrix that every paired test starts from.

Tests take differences of shape (topics,) or (topics, pairs) and give one number a pair. Shared conventions: no topic, or too
few for the test, gives NaN; differences that are all zero give p = 1, for nothing was found; no p is ever 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ireval.arrays import Floats, Ints

# Differences closer to each other than this, relative to the largest, differ by rounding alone.
ROUNDING = 1e-9
# Differences held in memory at a time: 16 MB.
TABLE = 2**21
# Where a distribution's tail is too thin for a double.
SMALLEST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Pairs:
    """Numbers of the two systems of each pair; the difference is the first's score less the second's."""

    first: Ints
    second: Ints

    def __len__(self) -> int:
        return len(self.first)

    def part(self, rows: slice) -> "Pairs":
        return Pairs(self.first[rows], self.second[rows])

    def differences(self, scores: Floats) -> Floats:
        """Topics × pairs, from topics × systems."""
        return scores[:, self.first] - scores[:, self.second]

    def tables(self, scores: Floats) -> Iterator[tuple[slice, Floats]]:
        """The same in portions of some pairs, each with its place, for many pairs of many topics."""
        step = max(1, TABLE // max(1, len(scores)))
        for start in range(0, max(1, len(self)), step):
            part = slice(start, start + step)
            yield part, self.part(part).differences(scores)


def all_pairs(systems: int) -> Pairs:
    """
    >>> all_pairs(3).first.tolist(), all_pairs(3).second.tolist()
    ([0, 0, 1], [1, 2, 2])
    """
    return Pairs(*np.triu_indices(systems, 1))


def against(baseline: int, systems: int) -> Pairs:
    """Every other system against the baseline.

    >>> against(1, 3).first.tolist(), against(1, 3).second.tolist()
    ([0, 2], [1, 1])
    """
    others = np.delete(np.arange(systems), baseline)
    return Pairs(others, np.full_like(others, baseline))


def columns(differences: ArrayLike) -> Floats:
    """Differences as topics × pairs."""
    found = np.asarray(differences, np.float64)
    return found[:, None] if found.ndim == 1 else found


def like(differences: ArrayLike, found: NDArray) -> NDArray:
    """One number for differences of one pair, else one a pair."""
    return found[0] if np.ndim(differences) == 1 else found


def are_constant(table: Floats) -> NDArray[np.bool_]:
    """Which pairs differ by the same on every topic, but for rounding."""
    if not len(table):
        return np.ones(table.shape[1], bool)
    return np.ptp(table, axis=0) <= ROUNDING * np.abs(table).max(axis=0)


def are_zero(table: Floats) -> NDArray[np.bool_]:
    return np.asarray(~table.any(axis=0))
