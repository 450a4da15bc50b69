"""Pairs of systems and their differences per topic: the matrix that every paired test starts from.

Tests take differences of shape (topics,) or (topics, pairs) and return one number per pair. Shared conventions: too few topics
for the test give NaN. Differences that are all zero give p = 1. No p is ever 0. BadInput for a difference that is not finite.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ireval.arrays import Floats, Ints
from ireval.io.arguments import as_numbers, require_type
from ireval.io.files import BadInput

# Differences closer to each other than this, relative to the largest, differ by rounding alone.
ROUNDING = 1e-9
# Sums and scores that differ by less than this, relative to the largest that they could be, are equal: they were added in another
# order.
TOLERANCE = 1e-12
# Differences held in memory at a time: 16 MB.
TABLE = 2**21
# Where a distribution's tail is too thin for a double.
SMALLEST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Pairs:
    """Numbers of the two systems of each pair, (pairs,) each; the difference is the first's score minus the second's."""

    first: Ints
    second: Ints

    def __len__(self) -> int:
        return len(self.first)

    def part(self, rows: slice) -> "Pairs":
        """Some of the pairs."""
        return Pairs(self.first[rows], self.second[rows])

    def differences(self, scores: Floats) -> Floats:
        """Topics × pairs, from topics × systems. Two scores that differ by rounding alone have a difference of 0.

        >>> Pairs(np.array([0]), np.array([1])).differences(np.array([[0.1 + 0.2, 0.3], [0.5, 0.25]])).tolist()
        [[0.0], [0.25]]
        """
        first, second = scores[:, self.first], scores[:, self.second]
        apart = first - second
        apart[np.abs(apart) <= TOLERANCE * np.maximum(np.abs(first), np.abs(second))] = 0
        return apart

    def tables(self, scores: Floats) -> Iterator[tuple[slice, Floats]]:
        """Yield the differences in portions of pairs, each with its slice, so that memory stays bounded."""
        step = max(1, TABLE // max(1, len(scores)))
        for start in range(0, max(1, len(self)), step):
            part = slice(start, start + step)
            yield part, self.part(part).differences(scores)


def all_pairs(systems: int) -> Pairs:
    """Every two of so many systems.

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
    """Differences as topics × pairs. BadInput for one that is no finite number.

    >>> columns([0.1, float("nan")])
    Traceback (most recent call last):
    ireval.io.files.BadInput: row 2: the difference is nan; expected a finite number: leave the topic out
    """
    values = as_numbers("differences", differences)
    if values.ndim > 2:
        raise BadInput(f"differences have the shape {values.shape}; expected topics, or topics and pairs")
    table = values[:, None] if values.ndim == 1 else values
    if not np.isfinite(table).all():
        row, pair = np.argwhere(~np.isfinite(table))[0]
        place = f"row {row + 1:,}" if values.ndim == 1 else f"row {row + 1:,}, pair {pair + 1:,}"
        raise BadInput(f"{place}: the difference is {table[row, pair]}; expected a finite number: leave the topic out")
    return table


def as_scores_by_system(scores: ArrayLike, pairs: Pairs | None = None) -> Floats:
    """Scores as topics × systems; BadInput for anything else, and where `pairs` are of other systems."""
    table = as_numbers("scores", scores)
    if pairs is not None:
        require_type("pairs", pairs, Pairs, "Pairs, such as all_pairs(systems)")
        if table.ndim == 2 and max(pairs.first.max(initial=-1), pairs.second.max(initial=-1)) >= table.shape[1]:
            raise BadInput(f"scores are of {table.shape[1]} systems; expected a column for each that the pairs name")
    if table.ndim != 2 or not table.shape[1]:
        raise BadInput(f"scores have the shape {table.shape}; expected a row per topic and a column per system")
    return table


def in_steps(table: Floats) -> Floats:
    """Differences as whole numbers of steps, topics × pairs: what differs by rounding alone is the same number, or 0.

    A step is 2⁻³⁰ of the pair's largest difference, about `ROUNDING`. Simple shares of the largest are whole or lie well between
    two steps, which those of a decimal step do not.

    >>> steps = in_steps(np.array([[0.6 - 0.4], [0.6 - 0.8], [0.1 + 0.2 - 0.3]]))
    >>> (abs(steps[0]) == abs(steps[1])).item(), steps[2].item()
    (True, 0.0)
    """
    largest = np.abs(table).max(axis=0, initial=0)
    return np.rint(np.divide(table, largest, out=np.zeros_like(table), where=largest > 0) * 2.0**30)


def like(differences: ArrayLike, values: NDArray) -> NDArray:
    """A single number for differences (topics,), else one per pair."""
    return values[0] if np.ndim(differences) == 1 else values


def are_constant(table: Floats) -> NDArray[np.bool_]:
    """Which pairs, (pairs,), differ by the same amount on every topic, up to rounding."""
    if not len(table):
        return np.ones(table.shape[1], bool)
    return np.ptp(table, axis=0) <= ROUNDING * np.abs(table).max(axis=0)


def are_zero(table: Floats) -> NDArray[np.bool_]:
    return np.asarray(~table.any(axis=0))
