"""How often 95 % intervals hold the truth in worlds where it is known: one module for each kind of evidence.

Every module's `rows(repetitions, data)` yields `Row`s. `python -m benchmarks.coverage` prints them as one table.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

# What 95 % intervals have to hold where ireval shows them without a word of caution.
LEAST, MOST = 0.935, 0.965


class Row(NamedTuple):
    """The share of `repetitions` whose interval held the truth; for simultaneous intervals, whose intervals all did."""

    interval: str
    world: str
    size: str
    held: float
    repetitions: int

    @property
    def verdict(self) -> str:
        return "too narrow" if self.held < LEAST else "too wide" if self.held > MOST else ""


def row(interval: str, world: str, size: str, held: ArrayLike) -> Row:
    """The row of one repetition each that held the truth or not; NaN is left out: nothing was shown."""
    counted = np.asarray(held, np.float64)
    counted = counted[~np.isnan(counted)]
    return Row(interval, world, size, float(counted.mean()), len(counted))


def holds(low: float, truth: float, high: float) -> float:
    """1 if the interval holds the truth, else 0; NaN where there is none."""
    return float("nan") if np.isnan(low) or np.isnan(high) else float(low <= truth <= high)
