"""Confidence sequences: intervals that hold at every look, whenever one stops."""

import math
from typing import NamedTuple

from ireval.significance.pairs import SMALLEST

# The default number of units at which an interval is narrowest.
DEFAULT_PLANNED = 5_000


class AlwaysValid(NamedTuple):
    """The ends of an interval that holds at all looks together, and a p that holds at every look."""

    low: float
    high: float
    p: float


def sequence_rho(planned: int, alpha: float = 0.05) -> float:
    """ρ that makes intervals narrowest around `planned` units: √((−2 ln α + ln(−2 ln α + 1)) / planned).

    ValueError for fewer than one unit and an alpha that is not between 0 and 1. Choose it before the data come in. Source:
    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and asymptotic confidence sequences,
    Annals of Statistics 52, 2024 (arXiv 2103.06476), the approximation of its appendix on tuning.

    >>> round(sequence_rho(5_000), 7)
    0.0398401
    """
    if planned < 1:
        raise ValueError(f"planned is {planned}; expected at least 1")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha}; expected a number between 0 and 1")
    doubled = -2 * math.log(alpha)
    return math.sqrt((doubled + math.log(doubled + 1)) / planned)


def sequence_half_width(variance: float, n: int, rho: float, alpha: float = 0.05) -> float:
    """Half the width after n units with values of that variance s²: s √(2 (nρ² + 1) / (n²ρ²) · ln(√(nρ² + 1) / α)).

    Asymptotic: it holds once there are enough units for the mean to be nearly normal. NaN without units or with an unknown
    variance. Source: Waudby-Smith et al. 2024, equation 9.

    >>> round(sequence_half_width(1, 10_000, sequence_rho(5_000)), 7)
    0.0306148
    """
    if n < 1 or math.isnan(variance):
        return math.nan
    grown = n * rho**2
    return math.sqrt(variance / n * 2 * (grown + 1) / grown * math.log(math.sqrt(grown + 1) / alpha))


def always_valid(
    value: float,
    error: float,
    n: int,
    *,
    planned: int = DEFAULT_PLANNED,
    confidence: float = 0.95,
    freedom: float = math.inf,
    rho: float | None = None,
) -> AlwaysValid:
    """The interval around an estimate from n units, and p: the least alpha whose interval leaves out 0.

    For a difference between arms, n are the units of both, and the variance of their values is n · error². p is √(nρ² + 1) ·
    exp(−z² nρ² / (2 (nρ² + 1))), at most 1, with z = value / error and the ρ of 1 − confidence. NaN if the error is unknown or
    0. `rho` takes the place of that of `planned`, so that intervals with several confidences belong to the same p. With few
    degrees of freedom the error itself is uncertain. z and the interval's ends are then those with the same tails of Student's t,
    so that no interval is narrower than t's. Source: as `sequence_half_width`, solved for alpha.

    >>> interval = always_valid(0.05, 0.01, 10_000)
    >>> [round(number, 4) for number in interval]
    [0.0194, 0.0806, 0.0]
    >>> [round(number, 4) for number in always_valid(0.05, 0.01, 10_000, freedom=4)]
    [-0.0199, 0.1199, 0.1421]
    """
    if not error > 0 or n < 1:
        return AlwaysValid(math.nan, math.nan, math.nan)
    alpha = 1 - confidence
    rho = rho or sequence_rho(planned, alpha)
    half, z = sequence_half_width(n * error**2, n, rho, alpha), abs(value / error)
    if math.isfinite(freedom):
        half, z = error * as_t(half / error, freedom), as_normal(z, freedom)
    grown = n * rho**2
    exponent = math.log(grown + 1) / 2 - z**2 * grown / (2 * (grown + 1))
    return AlwaysValid(value - half, value + half, max(math.exp(min(exponent, 0)), SMALLEST))


def as_t(z: float, freedom: float) -> float:
    from scipy.special import ndtr, stdtrit  # noqa: PLC0415 - slow to import

    return abs(float(stdtrit(freedom, ndtr(-z))))


def as_normal(t: float, freedom: float) -> float:
    from scipy.special import ndtri, stdtr  # noqa: PLC0415 - slow to import

    return -float(ndtri(stdtr(freedom, -t)))
