"""Student's t distribution."""

import numpy as np

from ireval.arrays import Floats
from ireval.significance.pairs import SMALLEST


def quantile(freedom: float, confidence: float) -> float:
    """Student's t that the confidence leaves (1 − confidence) / 2 above."""
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to import

    return float(stdtrit(freedom, (1 + confidence) / 2))


def two_sided(t: float, freedom: float) -> float:
    """The chance of a Student's t at least as far from 0."""
    from scipy.special import stdtr  # noqa: PLC0415 - slow to import

    return max(float(2 * stdtr(freedom, -abs(t))), SMALLEST)


def half_widths(difference: Floats, p: Floats, freedom: Floats | int, shares: Floats, error: Floats) -> Floats:
    """Half the width of intervals that leave out 0 exactly where p is below its share of alpha, one per difference.

    It is Student's, t(1 − share) times the standard `error`. Where another test than Student's has p on the other side of its
    share, it is |difference| · t(1 − share) / t(1 − p). NaN where p is NaN. Source: Miettinen, Estimability and estimation in
    case-referent studies, American Journal of Epidemiology 103, 1976 (test-based intervals).

    >>> p, shares = np.array([0.5, 0.06]), np.array([0.05, 0.05])
    >>> half_widths(np.array([0.2, 0.2]), p, 3, shares, np.array([0.1, 0.06])).round(4).tolist()
    [0.3182, 0.2157]
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to import

    wanted, own = stdtrit(freedom, 1 - shares / 2), stdtrit(freedom, 1 - p / 2)
    students, apart = wanted * error, np.abs(difference)
    inverted = np.divide(apart * wanted, own, out=students.copy(), where=own > 0)
    return np.where(np.isnan(p), np.nan, np.where((apart > students) == (p < shares), students, inverted))
