"""Tests of proportions, with few or no assumptions about normality."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ireval.agreement import wilson_interval
from ireval.experiments.sample_ratio import ChiSquare, chi_square
from ireval.io.arguments import as_numbers, require_numbers
from ireval.io.files import BadInput
from ireval.significance.pairs import SMALLEST


class ProportionTest(NamedTuple):
    """Two shares: the `difference` with Newcombe's interval, Pearson's `chi2` with its `p`, Fisher's `exact` p, and Cohen's h."""

    difference: float
    low: float
    high: float
    chi2: float
    p: float
    exact: float
    h: float


def homogeneity(n: ArrayLike, conversions: ArrayLike) -> ChiSquare:
    """Pearson's χ² test that all arms convert alike, from units and conversions (A,); no continuity correction.

    It has A − 1 degrees of freedom. NaN if nobody or everybody converts, and for an arm without units. BadInput for fewer than
    two arms, and for conversions that are fewer than none or more than units.
    Source: Pearson 1900.

    >>> test = homogeneity([100, 100], [10, 20])
    >>> round(test.chi2, 4), round(test.p, 4)
    (3.9216, 0.0477)
    """
    units, yes = as_numbers("n", n), as_numbers("conversions", conversions)
    if units.shape != yes.shape or units.ndim > 1:
        raise BadInput(f"there are {units.size} units and {yes.size} conversions; expected a number of each for every arm")
    if len(units) < 2:
        raise BadInput(f"expected two arms or more, found {len(units)}")
    if (wrong := np.flatnonzero(~((yes >= 0) & (yes <= units)))).size:
        arm = wrong[0]
        raise BadInput(f"arm {arm + 1} has {yes[arm]:g} conversions of {units[arm]:g} units; expected from 0 to as many")
    if not units.sum():
        return ChiSquare(np.nan, len(units) - 1, np.nan)
    share = yes.sum() / units.sum()
    return chi_square(np.stack([yes, units - yes]), np.stack([units * share, units * (1 - share)]), len(units) - 1)


def proportion_test(
    n: int, conversions: int, n_control: int, conversions_control: int, *, confidence: float = 0.95
) -> ProportionTest:
    """Compare a share with the control's. `exact` is right for any counts, χ² if both arms expect at least five of either.

    NaN for an arm without units; χ² and its p also if nobody or everybody converts. h = 2 asin √p − 2 asin √p_control.
    Sources: Newcombe, Interval estimation for the difference between independent proportions, Statistics in Medicine 17, 1998,
    method 10; Fisher 1935, two-sided by adding up the tables that are no likelier; Cohen 1988, chapter 6.

    >>> test = proportion_test(70, 56, 80, 48)
    >>> round(test.difference, 4), round(test.low, 4), round(test.high, 4)
    (0.2, 0.0524, 0.3339)
    """
    require_numbers(n=n, conversions=conversions, n_control=n_control, conversions_control=conversions_control)
    if not n or not n_control:
        return ProportionTest(*[math.nan] * 7)
    from scipy.stats import fisher_exact  # noqa: PLC0415 - slow to import

    share, share_control = conversions / n, conversions_control / n_control
    chi2, _, p = homogeneity([n, n_control], [conversions, conversions_control])
    low, high = wilson_interval(conversions, n, confidence=confidence)
    low_control, high_control = wilson_interval(conversions_control, n_control, confidence=confidence)
    below = math.hypot(share - low, high_control - share_control)
    above = math.hypot(high - share, share_control - low_control)
    table = [[conversions, n - conversions], [conversions_control, n_control - conversions_control]]
    exact = max(float(fisher_exact(table).pvalue), SMALLEST)
    h = 2 * math.asin(math.sqrt(share)) - 2 * math.asin(math.sqrt(share_control))
    return ProportionTest(share - share_control, share - share_control - below, share - share_control + above, chi2, p, exact, h)
