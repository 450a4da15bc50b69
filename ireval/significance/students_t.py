"""Student's t distribution."""

from ireval.significance.pairs import SMALLEST


def quantile(freedom: float, confidence: float) -> float:
    """Student's t that the confidence leaves (1 − confidence) / 2 above."""
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to import

    return float(stdtrit(freedom, (1 + confidence) / 2))


def two_sided(t: float, freedom: float) -> float:
    """The chance of a Student's t at least as far from 0."""
    from scipy.special import stdtr  # noqa: PLC0415 - slow to import

    return max(float(2 * stdtr(freedom, -abs(t))), SMALLEST)
