"""The probability of superiority of two independent groups: how often a unit of one has more than a unit of the other."""

import numpy as np
from numpy.typing import ArrayLike

from ireval.arrays import Floats
from ireval.significance.decision import Estimate


def superiority_of_arms(first: tuple[ArrayLike, ArrayLike], second: tuple[ArrayLike, ArrayLike]) -> Estimate:
    """P(second > first) + ½ P(second = first), from each group's different values and how many units have each.

    The error and its degrees of freedom are Brunner and Munzel's. The error would be 0 where the groups do not overlap. Then it
    is taken as that of one unit on the other side. NaN and a reason with fewer than two units in a group.
    Sources: Brunner and Munzel, The nonparametric Behrens–Fisher problem, Biometrical Journal 42, 2000; McGraw and Wong, A common
    language effect size statistic, Psychological Bulletin 111, 1992.

    >>> estimate = superiority_of_arms(([0, 1, 2], [2, 1, 1]), ([1, 2, 3], [1, 2, 1]))
    >>> estimate.value, round(estimate.error, 4), round(estimate.freedom, 2)
    (0.84375, 0.1421, 5.22)
    """
    tables = [table_of(*group) for group in (first, second)]
    sizes = [int(counts.sum()) for _, counts in tables]
    if min(sizes) < 2:
        return Estimate(np.nan, np.nan, np.nan, sum(sizes), "a group has fewer than two units")
    below = placements(tables[1], tables[0])  # of each unit of the second: the share of the first below it
    above = placements(tables[0], tables[1])
    share = weighted_mean(below, tables[1][1])
    parts = [weighted_variance(place, counts) / counts.sum() for place, (_, counts) in zip((above, below), tables, strict=True)]
    if not sum(parts):
        error = 0.5 / min(sizes)
        return Estimate(share, error, min(sizes) - 1, sum(sizes))
    freedom = sum(parts) ** 2 / sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
    return Estimate(share, float(np.sqrt(sum(parts))), float(freedom), sum(sizes))


def table_of(values: ArrayLike, counts: ArrayLike) -> tuple[Floats, Floats]:
    """The different values in order, and how many units have each."""
    distinct, place = np.unique(np.asarray(values, np.float64), return_inverse=True)
    return distinct, np.bincount(place, np.asarray(counts, np.float64), minlength=len(distinct)).astype(np.float64)


def placements(of: tuple[Floats, Floats], among: tuple[Floats, Floats]) -> Floats:
    """The share of the units of `among` below each value of `of`, equal ones counting half."""
    values, counts = among
    total = np.concatenate([[0.0], np.cumsum(counts)])
    left, right = np.searchsorted(values, of[0], "left"), np.searchsorted(values, of[0], "right")
    return (total[left] + total[right]) / 2 / total[-1]


def weighted_mean(values: Floats, counts: Floats) -> float:
    return float(values @ counts / counts.sum())


def weighted_variance(values: Floats, counts: Floats) -> float:
    return float(((values - weighted_mean(values, counts)) ** 2) @ counts / (counts.sum() - 1))
