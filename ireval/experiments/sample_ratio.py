"""Did the arms get as many units as they should? Where they did not, nothing else that was found can be believed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ireval.significance.pairs import SMALLEST

# So small that it warns of a sound experiment once in a thousand. Fabijan et al. 2019 use .0005, Kohavi et al. 2020 .001.
MISMATCH = 0.001


class ChiSquare(NamedTuple):
    chi2: float
    freedom: int
    p: float


class SampleRatio(NamedTuple):
    """How many units each arm has and how many were expected; `mismatch` if p is less than MISMATCH."""

    counts: tuple[int, ...]
    expected: tuple[float, ...]
    chi2: float
    freedom: int
    p: float
    mismatch: bool


def sample_ratio(counts: ArrayLike, weights: ArrayLike | None = None) -> SampleRatio:
    """Pearson's χ² of the number of units in each arm, (A,), against `weights` (A,), equal ones if none are given; A − 1 degrees
    of freedom. Weights are what the assignment was told, in any unit.

    NaN and no mismatch without units. ValueError for fewer than two arms, counts that are none, weights that are not above 0.
    Sources: Pearson 1900; Fabijan et al., Diagnosing sample ratio mismatch in online controlled experiments, KDD 2019.

    >>> found = sample_ratio([5000, 5200])
    >>> round(found.p, 5), found.mismatch, sample_ratio([1000, 1100, 900]).mismatch
    (0.04767, False, True)
    """
    seen = np.asarray(counts, np.float64)
    wanted = np.ones(len(seen)) if weights is None else np.asarray(weights, np.float64)
    if len(seen) < 2:
        raise ValueError(f"expected two arms or more, found {len(seen)}")
    if (seen < 0).any() or not np.isfinite(seen).all() or (seen % 1).any():
        raise ValueError("counts are whole numbers from 0")
    if wanted.shape != seen.shape:
        raise ValueError(f"expected {len(seen)} weights, one an arm, found {wanted.size}")
    if not ((wanted > 0) & np.isfinite(wanted)).all():
        raise ValueError("weights are numbers above 0")
    expected = seen.sum() * wanted / wanted.sum()
    found = chi_square(seen, expected, len(seen) - 1)
    whole = tuple(int(one) for one in seen)
    return SampleRatio(whole, tuple(expected.tolist()), *found, mismatch=found.p < MISMATCH)


def chi_square(seen: ArrayLike, expected: ArrayLike, freedom: int) -> ChiSquare:
    """Σ (seen − expected)² / expected; NaN where nothing is expected."""
    from scipy.special import chdtrc  # noqa: PLC0415 - slow to import

    observed, wanted = np.asarray(seen, np.float64), np.asarray(expected, np.float64)
    if not wanted.size or (wanted <= 0).any():
        return ChiSquare(np.nan, freedom, np.nan)
    value = float(((observed - wanted) ** 2 / wanted).sum())
    return ChiSquare(value, freedom, max(float(chdtrc(freedom, value)), SMALLEST))
