"""Wilcoxon's signed-rank test: are differences as large on one side of zero as on the other?"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ireval.arrays import Floats
from ireval.significance.pairs import SMALLEST, columns, in_steps, like

# As in R: from so many topics on the normal distribution is near enough.
EXACT_BELOW = 50
SCIPYS_ZEROS = {"drop": "wilcox", "pratt": "pratt"}


def wilcoxon(
    differences: ArrayLike, *, zeros: Literal["drop", "pratt"] = "drop", method: Literal["auto", "exact", "normal"] = "auto"
) -> Floats:
    """Two-sided p of the sum of the ranks of positive differences. Differences are (topics,) or (topics, pairs).

    Assumes that differences are symmetric about their median, and that their sizes can be ranked. Topics without a difference
    are dropped, as Wilcoxon did, or with "pratt" ranked and then dropped; equal sizes share the mean of their ranks. Sizes are
    equal, and differences zero, up to rounding (`in_steps`). "auto" follows R: exact below 50 topics without ties and zeros.
    Otherwise it takes the normal distribution, with the variance of these ranks and a continuity correction. "exact" is right
    only without ties. NaN without topics.
    Source: Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1, 1945; Pratt, JASA 54, 1959.

    >>> float(wilcoxon([0.1, 0.2, 0.3, -0.15, 0.25]))
    0.1875
    """
    from scipy import stats  # noqa: PLC0415 - slow to import

    table = in_steps(columns(differences))
    p = np.full(table.shape[1], 1.0 if len(table) else np.nan)
    exact = are_exact(table, method)
    for chosen, distribution in ((exact, "exact"), (~exact, "asymptotic")):
        counted = chosen & (table != 0).any(axis=0)  # without any difference p is 1
        if counted.any():
            p[counted] = stats.wilcoxon(
                table[:, counted],
                axis=0,
                zero_method=SCIPYS_ZEROS[zeros],
                correction=distribution == "asymptotic",
                method=distribution,
            ).pvalue
    return like(differences, np.maximum(p, SMALLEST))


def are_exact(table: Floats, method: str) -> NDArray[np.bool_]:
    """Which pairs get the exact distribution, (pairs,)."""
    if method != "auto":
        return np.full(table.shape[1], method == "exact")
    tied_or_zero = (np.diff(np.sort(np.abs(table), axis=0), axis=0) == 0).any(axis=0) | (table == 0).any(axis=0)
    return (len(table) < EXACT_BELOW) & ~tied_or_zero
