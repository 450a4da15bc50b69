"""Intervals of agreement by the bootstrap: whole topics are drawn again, with replacement; items where topics are not known.

Every coefficient is a function of sums over items. A resample is therefore a product: how often each topic or item was drawn
times what it adds. Those that add the same are drawn together, as one multinomial. 19,000 items with up to ten binary labels are
of 60 kinds, so that 1,000 resamples take milliseconds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ireval.arrays import Floats, Ints
from ireval.io.arguments import require_confidence, require_count
from ireval.labels import Labels
from ireval.significance.students_t import expanded_tail
from ireval.significance.weights import portions

# Numbers in a block of resamples: 16 MB.
BLOCK = 2**21
# With fewer topics (or items) of equal size, 95 % intervals hold the truth in less than 93.5 % (docs/reference/labels.md).
ENOUGH = 30


@dataclass(frozen=True)
class Resampling:
    """How an interval is computed: its confidence, the number of resamples of topics or items, and the seed."""

    confidence: float = 0.95
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        require_confidence(self.confidence)
        require_count("resamples", self.resamples)


USUAL = Resampling()


class Agreement(NamedTuple):
    """A coefficient with the ends of its interval and the numbers of items and labels; NaN where `undefined` says why.

    `left_out` counts the resamples in which it was undefined; the interval comes from the others. `topics` is how many were
    drawn, 0 where items were. `caution` says so where these are too few for the interval to be as wide as it should be.
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
    topics: int = 0
    caution: str = ""


class Units(NamedTuple):
    """What is drawn: the unit of each item, (items,), how many there are, and of what `kind`: "topics" or "items".

    `effective` is how many units of equal size say as much: (Σ n)² / Σ n², of their n items.
    Source: Carter, Schnepel and Steigerwald, Asymptotic behavior of a t-test robust to cluster heterogeneity, Review of Economics
    and Statistics 99, 2017 (their clusters are alike but for their sizes here).
    """

    code: Ints
    number: int
    effective: float
    kind: str

    @property
    def topics(self) -> int:
        return self.number if self.kind == "topics" else 0

    @property
    def caution(self) -> str:
        """Say that there is no interval, or that it may be too narrow, for so few units; empty where there are enough.

        >>> Units(np.arange(12), 12, 12.0, "topics").caution
        'with 12 topics the interval may be too narrow: 30 are needed'
        """
        if self.number < 2:
            return f"a single {self.kind.removesuffix('s')} has no interval"
        equal = round(self.effective)
        uneven = f", which say as much as {equal} of equal size," if equal < self.number else ""
        few = f"with {self.number} {self.kind}{uneven} the interval may be too narrow: {ENOUGH} are needed"
        return few if equal < ENOUGH else ""

    def sums(self, added: Floats) -> Floats:
        """What each unit adds, (units, S), from what its items add, (items, S)."""
        return np.column_stack([np.bincount(self.code, column) for column in added.T])


def units_of(labels: Labels, items: Ints) -> Units:
    """The topics of these items, (n,); the items themselves where topics are not known."""
    known = labels.topic is not None
    code = np.unique(labels.topic[items], return_inverse=True)[1] if labels.topic is not None else np.arange(len(items))
    sizes = np.bincount(code)
    return Units(code, len(sizes), float(sizes.sum() ** 2 / (sizes**2).sum()), "topics" if known else "items")


class Interval(NamedTuple):
    """A value with the ends of its interval, and how many resamples had no value."""

    value: float
    low: float
    high: float
    left_out: int


def resampled(units: Units, added: Floats, value: Callable[[Floats], Floats], resampling: Resampling) -> Interval:
    """The value of all, with the ends of its expanded percentile interval; NaN with fewer than two units to draw.

    `added` is what each item adds, (items, S); `value` turns sums of it, (resamples, S), into one number each.
    Source: Efron and Tibshirani, An introduction to the bootstrap, 1993, chapter 13.
    """
    kinds, counts = np.unique(units.sums(added), axis=0, return_counts=True)
    rng, n = np.random.default_rng(resampling.seed), units.number
    rows = max(1, BLOCK // len(kinds))
    drawn = [value(rng.multinomial(n, counts / n, rows) @ kinds) for rows in portions(resampling.resamples, rows)]
    values = np.concatenate([value(added.sum(axis=0)[None]), *drawn])
    observed, defined = float(values[0]), values[1:][~np.isnan(values[1:])]
    if n < 2 or not len(defined):
        return Interval(observed, np.nan, np.nan, resampling.resamples - len(defined))
    tail = expanded_tail(units.effective, resampling.confidence)
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(observed, float(low), float(high), resampling.resamples - len(defined))
