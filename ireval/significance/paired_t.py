"""Student's paired t test: is the mean difference over all possible topics zero?"""

import numpy as np
from numpy.typing import ArrayLike

from ireval.arrays import Floats
from ireval.io.arguments import require_confidence
from ireval.significance.pairs import SMALLEST, are_constant, are_zero, columns, like


def paired_t(differences: ArrayLike) -> Floats:
    """Two-sided p of t = mean / (s / √n) with n − 1 degrees of freedom. Differences are (topics,) or (topics, pairs).

    Assumes that the mean difference is nearly normal: few topics need nearly normal differences. NaN for fewer than two topics,
    and for differences that are all equal but not zero, whose spread says nothing. Source: Student, The probable error of a mean,
    Biometrika 6, 1908.

    >>> float(paired_t([0.1, 0.2, 0.3, -0.1]).round(4))
    0.2394
    """
    from scipy.special import stdtr  # noqa: PLC0415 - slow to import

    table = columns(differences)
    n = len(table)
    t = mean_over_error(table)
    p = np.maximum(2 * stdtr(max(n - 1, 1), -np.abs(t)), SMALLEST)
    p[are_zero(table) & (n > 1)] = 1
    return like(differences, p)


def t_interval(differences: ArrayLike, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Low and high ends of Student's interval of the mean difference, as intervals.mean_interval computes it.

    Differences are (topics,) or (topics, pairs). NaN for fewer than two topics.

    >>> [float(end.round(4)) for end in t_interval([0.1, 0.2, 0.3, -0.1])]
    [-0.1468, 0.3968]
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to import

    require_confidence(confidence)
    table = columns(differences)
    n = len(table)
    if n < 2:
        ends = np.full(table.shape[1], np.nan)
        return like(differences, ends), like(differences, ends)
    half = stdtrit(n - 1, (1 + confidence) / 2) * table.std(axis=0, ddof=1) / np.sqrt(n)
    return like(differences, table.mean(axis=0) - half), like(differences, table.mean(axis=0) + half)


def mean_over_error(table: Floats) -> Floats:
    """t of each pair, (pairs,); NaN where the differences do not vary."""
    t = np.full(table.shape[1], np.nan)
    if len(table) > 1:
        varies = ~are_constant(table)
        chosen = table[:, varies]
        t[varies] = chosen.mean(axis=0) / (chosen.std(axis=0, ddof=1) / np.sqrt(len(table)))
    return t
