"""Corrections of many p-values at once, for those who ask many questions. NaN, a test that said nothing, is no question."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ireval.arrays import Floats


def bonferroni(p: ArrayLike) -> Floats:
    """p × number of questions: bounds the chance of any false alarm. NaN is no question.

    >>> bonferroni([0.01, 0.04, 0.5]).tolist()
    [0.03, 0.12, 1.0]
    """
    return among_known(p, lambda sorted_p: np.minimum(len(sorted_p) * sorted_p, 1))


def holm(p: ArrayLike) -> Floats:
    """Bounds the chance of any false alarm, as Bonferroni does, and finds more: the i-th smallest p × (m − i + 1), rising.

    NaN is no question. Source: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6, 1979.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """

    def corrected(sorted_p: Floats) -> Floats:
        return np.minimum(np.maximum.accumulate(sorted_p * np.arange(len(sorted_p), 0, -1)), 1)

    return among_known(p, corrected)


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Bounds the expected share of false alarms among what is found, for independent or positively dependent questions.

    The i-th smallest p × m / i, falling from the largest down. NaN is no question. Source: Benjamini and Hochberg, Journal of the
    Royal Statistical Society B 57, 1995.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """

    def corrected(sorted_p: Floats) -> Floats:
        scaled = sorted_p * (len(sorted_p) / np.arange(1, len(sorted_p) + 1))  # the largest times exactly 1
        return np.minimum.accumulate(scaled[::-1])[::-1]

    return among_known(p, corrected)


def none(p: ArrayLike) -> Floats:
    """As they are: right for a single question asked before the data were seen.

    >>> none([0.01, 0.04]).tolist()
    [0.01, 0.04]
    """
    return np.array(p, np.float64)


def among_known(p: ArrayLike, corrected: Callable[[Floats], Floats]) -> Floats:
    """`corrected` takes and gives p-values in ascending order."""
    found = np.array(p, np.float64)
    order = np.argsort(found, kind="stable")[: np.count_nonzero(~np.isnan(found))]
    found[order] = corrected(found[order])
    return found


CORRECTIONS: dict[str, tuple[str, Callable[[ArrayLike], Floats]]] = {
    "holm": ("Holm", holm),
    "bh": ("Benjamini–Hochberg", benjamini_hochberg),
    "bonferroni": ("Bonferroni", bonferroni),
    "none": ("none", none),
}
