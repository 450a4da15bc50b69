"""Intervals of agreement: items drawn again from those there are.

Every coefficient here is a function of sums over items, so that a resample is a product of how often items were drawn and what
each adds. Items that add the same are drawn together, as one multinomial: of 19,000 items with up to ten binary labels there are
60 kinds, which makes 1,000 resamples a matter of milliseconds.
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
    """How an interval comes about: how sure it is to be, of how many resamples of items, from which seed."""

    confidence: float = 0.95
    resamples: int = 1000
    seed: int = 0


USUAL = Resampling()


class Agreement(NamedTuple):
    """A coefficient with the ends of its interval, over how many items and labels; NaN where `undefined` says why.

    `left_out` counts the resamples in which it was undefined; the interval is that of the others.
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
    observed, found = float(values[0]), values[1:][~np.isnan(values[1:])]
    if n < 2 or not len(found):
        return observed, np.nan, np.nan, how.resamples - len(found)
    low, high = np.quantile(found, [(1 - how.confidence) / 2, (1 + how.confidence) / 2])
    return observed, float(low), float(high), how.resamples - len(found)
