"""Corrections of many p-values for multiple testing. NaN, an undefined test, is not counted."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ireval.arrays import Floats
from ireval.io.arguments import as_numbers, is_name_in, require_numbers
from ireval.io.files import BadInput
from ireval.significance.pairs import ROUNDING


def bonferroni(p: ArrayLike) -> Floats:
    """p × number of tests: bounds the chance of any false alarm. NaN is not counted.

    Source: Dunn, Multiple comparisons among means, JASA 56, 1961.

    >>> bonferroni([0.01, 0.04, 0.5]).tolist()
    [0.03, 0.12, 1.0]
    """
    return np.minimum(among_known(p, by_number), 1)


def by_number(sorted_p: Floats) -> Floats:
    return len(sorted_p) * sorted_p


def holm(p: ArrayLike) -> Floats:
    """The i-th smallest of m p × (m − i + 1), never falling: bounds the chance of any false alarm.

    Finds more than Bonferroni. NaN is not counted. Source: Holm, A simple sequentially rejective multiple test procedure,
    Scandinavian Journal of Statistics 6, 1979.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    return np.minimum(among_known(p, step_down), 1)


def step_down(sorted_p: Floats) -> Floats:
    return np.maximum.accumulate(sorted_p * np.arange(len(sorted_p), 0, -1))


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Bounds the expected share of false alarms among significant results, for independent or positively dependent tests.

    The i-th smallest of m p × m / i, never rising from the largest down. NaN is not counted. Source: Benjamini and Hochberg,
    Journal of the Royal Statistical Society B 57, 1995.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """
    return among_known(p, step_up)


def step_up(sorted_p: Floats) -> Floats:
    scaled = sorted_p * (len(sorted_p) / np.arange(1, len(sorted_p) + 1))  # the largest times exactly 1
    return np.minimum.accumulate(scaled[::-1])[::-1]


def none(p: ArrayLike) -> Floats:
    """The p-values as they are: right for a single test, chosen before the data were seen.

    >>> none([0.01, 0.04]).tolist()
    [0.01, 0.04]
    """
    return as_numbers("p", p)


def among_known(p: ArrayLike, corrected: Callable[[Floats], Floats]) -> Floats:
    """Correct the p-values that are not NaN, (tests,); `corrected` takes and returns them in ascending order."""
    values = as_numbers("p", p).copy()
    if values.ndim > 1:
        raise BadInput(f"p has the shape {values.shape}; expected one p per test")
    if (bad := (values < 0) | (values > 1 + ROUNDING)).any():
        row = int(bad.argmax())
        raise BadInput(f"row {row + 1:,}: p is {values[row]:g}; expected a number from 0 to 1")
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    values[order] = corrected(values[order])
    return values


def shares_of_alpha(p: ArrayLike, correction: str, alpha: float = 0.05) -> Floats:
    """The share of alpha that each test of a family gets: its corrected p is below alpha exactly when its own is below that.

    So an interval with the confidence 1 − share leaves out the null hypothesis exactly when the corrected test rejects it. With
    Bonferroni's correction such intervals hold together; with Benjamini and Hochberg's they bound the share of wrong ones among
    those of rejected hypotheses. A test whose p is NaN gets alpha. BadInput for an unknown correction. Source: Benjamini and
    Yekutieli, False discovery rate–adjusted multiple confidence intervals, JASA 100, 2005, for `bh`.

    >>> shares_of_alpha([0.01, 0.03, 0.5], "holm").round(4).tolist(), shares_of_alpha([0.01, 0.2], "bonferroni").tolist()
    ([0.0167, 0.025, 0.05], [0.025, 0.025])
    """
    if not is_name_in(correction, CORRECTIONS):
        raise BadInput(f"there is no correction {correction}; expected one of {', '.join(CORRECTIONS)}")
    values = as_numbers("p", p)
    require_numbers(alpha=alpha)
    ratio = np.divide(values, among_known(values, SCALES[correction]), out=np.ones_like(values), where=~np.isnan(values))
    return alpha * ratio


# p of m tests, sorted, as the corrections scale them before they are cut off at 1.
SCALES: dict[str, Callable[[Floats], Floats]] = {"holm": step_down, "bh": step_up, "bonferroni": by_number, "none": np.array}
CORRECTIONS: dict[str, tuple[str, Callable[[ArrayLike], Floats]]] = {
    "holm": ("Holm", holm),
    "bh": ("Benjamini–Hochberg", benjamini_hochberg),
    "bonferroni": ("Bonferroni", bonferroni),
    "none": ("none", none),
}
