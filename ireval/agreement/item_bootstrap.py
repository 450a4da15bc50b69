"""Intervals of agreement by the bootstrap: items are drawn again, with replacement.

Every coefficient is a function of sums over items. A resample is therefore a product: how often each item was drawn times what
it adds. Items that add the same are drawn together, as one multinomial. 19,000 items with up to ten binary labels are of 60
kinds, so that 1,000 resamples take milliseconds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ireval.arrays import Floats
from ireval.significance.weights import portions

# Numbers in a block of resamples: 16 MB.
BLOCK = 2**21


@dataclass(frozen=True)
class Resampling:
    """How an interval is computed: its confidence, the number of resamples of items, and the seed."""

    confidence: float = 0.95
    resamples: int = 1000
    seed: int = 0


USUAL = Resampling()


class Agreement(NamedTuple):
    """A coefficient with the ends of its interval and the numbers of items and labels; NaN where `undefined` says why.

    `left_out` counts the resamples in which it was undefined; the interval comes from the others.
    """

    name: str
    title: str
    value: float
    low: float
    high: float
    items: int
    labels: int
    undefined: str = ""
    left_out: int = 0


def resampled(sums: Floats, value: Callable[[Floats], Floats], how: Resampling) -> tuple[float, float, float, int]:
    """The value of all items, the ends of its percentile interval, and how many resamples had none.

    `sums` are what each item adds, (items, S); `value` turns sums, (resamples, S), into one number each.
    Source: Efron and Tibshirani, An introduction to the bootstrap, 1993, chapter 13.
    """
    kinds, counts = np.unique(sums, axis=0, return_counts=True)
    rng, n = np.random.default_rng(how.seed), len(sums)
    rows = max(1, BLOCK // len(kinds))
    drawn = [value(rng.multinomial(n, counts / n, rows) @ kinds) for rows in portions(how.resamples, rows)]
    values = np.concatenate([value(sums.sum(axis=0)[None]), *drawn])
    observed, defined = float(values[0]), values[1:][~np.isnan(values[1:])]
    if n < 2 or not len(defined):
        return observed, np.nan, np.nan, how.resamples - len(defined)
    low, high = np.quantile(defined, [(1 - how.confidence) / 2, (1 + how.confidence) / 2])
    return observed, float(low), float(high), how.resamples - len(defined)
