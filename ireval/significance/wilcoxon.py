"""Wilcoxon's signed-rank test: are differences as large on one side of zero as on the other?"""

from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ireval.arrays import Floats
from ireval.significance.pairs import SMALLEST, columns, like

# As in R: from so many topics on the normal distribution is near enough.
EXACT_BELOW = 50


def wilcoxon(
    differences: ArrayLike, *, zeros: Literal["drop", "pratt"] = "drop", method: Literal["auto", "exact", "normal"] = "auto"
) -> Floats:
    """Two-sided p of the sum of the ranks of positive differences. Differences are (topics,) or (topics, pairs).

    Assumes differences that are symmetric about their median, and that their sizes can be ranked. Topics without a difference
    are dropped, as Wilcoxon did, or with "pratt" ranked and then dropped; equal sizes share the mean of their ranks. Exact
    without ties and zeros below 50 topics, else the normal distribution with the variance of these very ranks and a continuity
    correction: R's rules. "exact" and "normal" choose for all ("exact" is right only without ties). NaN without any topic.
    Source: Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1, 1945; Pratt, JASA 54, 1959.

    >>> float(wilcoxon([0.1, 0.2, 0.3, -0.15, 0.25]))
    0.1875
    """
    from scipy.special import ndtr  # noqa: PLC0415 - slow to import
    from scipy.stats import rankdata  # noqa: PLC0415

    table = columns(differences)
    counted = table != 0
    n = counted.sum(axis=0)
    ranks = rankdata(np.abs(table), axis=0) if len(table) else table
    if zeros == "drop":
        ranks = ranks - (len(table) - n)
    ranks = np.where(counted, ranks, 0)
    above = (ranks * (table > 0)).sum(axis=0)
    middle = ranks.sum(axis=0) / 2
    deviation = np.sqrt((ranks**2).sum(axis=0)) / 2
    off = np.maximum(np.abs(above - middle) - 0.5, 0)
    p = np.minimum(2 * ndtr(-np.divide(off, deviation, out=np.zeros(len(n)), where=deviation > 0)), 1)
    for pair in np.flatnonzero(are_exact(ranks, n, method)):
        p[pair] = exact(int(n[pair]), float(np.minimum(above, 2 * middle - above)[pair]))
    return like(differences, np.where(len(table) > 0, np.maximum(p, SMALLEST), np.nan))


def are_exact(ranks: Floats, n: np.ndarray, method: str) -> np.ndarray:
    if method != "auto":
        return np.full(len(n), method == "exact")
    tied_or_zero = (np.diff(np.sort(ranks, axis=0), axis=0) == 0).any(axis=0) | (n < len(ranks))
    return (n < EXACT_BELOW) & ~tied_or_zero


def exact(n: int, smaller_sum: float) -> float:
    return float(min(1, 2 * cumulated(n)[int(smaller_sum)]))


@cache
def cumulated(n: int) -> Floats:
    """P(sum ≤ w) for w = 0 … n (n + 1) / 2: each rank is in the sum or not."""
    shares = np.ones(1)
    for rank in range(1, n + 1):
        shares = (np.append(shares, np.zeros(rank)) + np.append(np.zeros(rank), shares)) / 2
    return np.cumsum(shares)
