"""Student's t distribution."""

import numpy as np

from ireval.arrays import Floats
from ireval.significance.corrections import shares_of_alpha
from ireval.significance.pairs import SMALLEST


def quantile(freedom: float, confidence: float) -> float:
    """Student's t that the confidence leaves (1 − confidence) / 2 above."""
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to import

    return float(stdtrit(freedom, (1 + confidence) / 2))


def two_sided(t: float, freedom: float) -> float:
    """The chance of a Student's t at least as far from 0."""
    from scipy.special import stdtr  # noqa: PLC0415 - slow to import

    return max(float(2 * stdtr(freedom, -abs(t))), SMALLEST)


def expanded_tail(n: float, confidence: float) -> float:
    """The share of the resamples below an interval, and above it, when n are drawn: Φ(−√(n / (n − 1)) · t); NaN for n = 1.

    Resamples of n have a variance too small by (n − 1) / n, and plain percentiles ignore the t distribution.
    Source: Hesterberg, What teachers should know about the bootstrap, American Statistician 69, 2015, section 5.1.1 ("expanded").

    >>> round(expanded_tail(10, 0.95), 4), round(expanded_tail(10_000, 0.95), 4)
    (0.0086, 0.025)
    """
    from scipy.special import ndtr, stdtrit  # noqa: PLC0415 - slow to import

    return max(float(ndtr(np.sqrt(n / (n - 1)) * stdtrit(n - 1, (1 - confidence) / 2))), SMALLEST) if n > 1 else np.nan


def corrected_ends(
    p: Floats, low: Floats, high: Floats, freedom: Floats | int, *, correction: str, confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """The ends of intervals that leave out 0 exactly where the corrected p is below alpha = 1 − confidence, (n,) each.

    `low` and `high` end Student's intervals with the confidence, each for itself. The new ones have the confidence 1 − the test's
    share of alpha (`shares_of_alpha`). Where another test than Student's has p on the other side of its share, the half width is
    |difference| · t(1 − share) / t(1 − p). NaN where p is NaN. Source: Miettinen, Estimability and estimation in case-referent
    studies, American Journal of Epidemiology 103, 1976 (test-based intervals).

    >>> low, high = corrected_ends(np.array([0.03, 0.5]), np.array([0.01, -0.2]), np.array([0.2, 0.3]), 20, correction="holm")
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([-0.0054, -0.2], [0.2154, 0.3])
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to import

    alpha = 1 - confidence
    shares = shares_of_alpha(p, correction, alpha)
    difference, error = (low + high) / 2, (high - low) / 2 / stdtrit(freedom, 1 - alpha / 2)
    wanted, own = stdtrit(freedom, 1 - shares / 2), stdtrit(freedom, 1 - p / 2)
    students, apart = wanted * error, np.abs(difference)
    inverted = np.divide(apart * wanted, own, out=students.copy(), where=own > 0)
    half = np.where(np.isnan(p), np.nan, np.where((apart > students) == (p < shares), students, inverted))
    return difference - half, difference + half
