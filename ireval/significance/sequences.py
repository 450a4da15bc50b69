"""Confidence sequences: intervals that hold at every look, whenever one stops."""

import math
import sys
from typing import NamedTuple

import numpy as np

from ireval.io.arguments import require_confidence, require_numbers
from ireval.io.files import BadInput
from ireval.significance.pairs import SMALLEST

# A normal deviate whose tail is so thin that its logarithm is more exact.
FAR = 20.0
# With ends further from the value, in errors, nothing is excluded.
FARTHEST = 1e6
LARGEST = sys.float_info.max
# The default number of units at which an interval is narrowest.
DEFAULT_PLANNED = 5_000


class AlwaysValid(NamedTuple):
    """The ends of an interval that holds at all looks together, and a p that holds at every look."""

    low: float
    high: float
    p: float


def sequence_rho(planned: int, alpha: float = 0.05) -> float:
    """ρ that makes intervals narrowest around `planned` units: √((−2 ln α + ln(−2 ln α + 1)) / planned).

    BadInput for fewer than one unit and an alpha that is not between 0 and 1. Choose it before the data come in. Source:
    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and asymptotic confidence sequences,
    Annals of Statistics 52, 2024 (arXiv 2103.06476), the approximation of its appendix on tuning.

    >>> round(sequence_rho(5_000), 7)
    0.0398401
    """
    require_numbers(planned=planned, alpha=alpha)
    if not planned >= 1:
        raise BadInput(f"planned is {planned}; expected at least 1")
    if not 0 < alpha < 1:
        raise BadInput(f"alpha is {alpha}; expected a number between 0 and 1")
    doubled = -2 * math.log(alpha)
    return math.sqrt((doubled + math.log(doubled + 1)) / planned)


def sequence_half_width(variance: float, n: int, rho: float, alpha: float = 0.05) -> float:
    """Half the width after n units with values of that variance s²: s √(2 (nρ² + 1) / (n²ρ²) · ln(√(nρ² + 1) / α)).

    Asymptotic: it holds once there are enough units for the mean to be nearly normal. NaN without units or with an unknown
    variance. Source: Waudby-Smith et al. 2024, equation 9.

    >>> round(sequence_half_width(1, 10_000, sequence_rho(5_000)), 7)
    0.0306148
    """
    require_numbers(variance=variance, n=n, rho=rho, alpha=alpha)
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

    For a difference between arms, n are the units of both, and the variance of their values is n · error². With z = value / error
    and the ρ of 1 − confidence, p is √(nρ² + 1) · exp(−z² nρ² / (2 (nρ² + 1))), at most 1. NaN if the error is unknown or 0.
    `rho` takes the place of that of `planned`, so that intervals with several confidences belong to the same p. With few degrees
    of freedom the error itself is uncertain. z and the interval's ends are then those with the same tails of Student's t, so that
    no interval is narrower than t's. Ends over a million errors away are infinite, unless the interval leaves out 0: of too few
    units there is no interval. Source: as `sequence_half_width`, solved for alpha.

    >>> interval = always_valid(0.05, 0.01, 10_000)
    >>> [round(number, 4) for number in interval]
    [0.0194, 0.0806, 0.0]
    >>> [round(number, 4) for number in always_valid(0.05, 0.01, 10_000, freedom=4)]
    [-0.0199, 0.1199, 0.1421]
    """
    require_numbers(value=value, error=error, n=n, planned=planned)
    require_confidence(confidence)
    if not error > 0 or n < 1:
        return AlwaysValid(math.nan, math.nan, math.nan)
    alpha = 1 - confidence
    rho = rho or sequence_rho(planned, alpha)
    half, z = sequence_half_width(n * error**2, n, rho, alpha), abs(value / error)
    if math.isfinite(freedom):
        half, z = error * as_t(half / error, freedom), as_normal(z, freedom)
    if half > max(FARTHEST * error, abs(value)):
        half = math.inf
    grown = n * rho**2
    exponent = math.log(grown + 1) / 2 - z**2 * grown / (2 * (grown + 1))
    return AlwaysValid(value - half, value + half, max(math.exp(min(exponent, 0)), SMALLEST))


def as_t(z: float, freedom: float) -> float:
    """Student's t with the tail of a normal z; infinite where it is too large for a double."""
    from scipy.special import log_ndtr, ndtr, stdtrit  # noqa: PLC0415 - slow to import

    return abs(float(stdtrit(freedom, ndtr(-z)))) if z < FAR else far_t(float(log_ndtr(-z)), freedom)


def as_normal(t: float, freedom: float) -> float:
    """The normal z with the tail of Student's t."""
    from scipy.special import ndtri, ndtri_exp, stdtr  # noqa: PLC0415 - slow to import

    tail = float(stdtr(freedom, -t))
    return -float(ndtri(tail)) if tail > 1e-290 else -float(ndtri_exp(far_tail(t, freedom)))


def far_tail(t: float, freedom: float) -> float:
    """The logarithm of the chance of more than a t beyond `FAR`, where the chance itself may be too small for a double."""
    return tail_at(float(np.logaddexp(0, 2 * math.log(t) - math.log(freedom))), freedom)


def far_t(log_tail: float, freedom: float) -> float:
    """The t beyond `FAR` with that logarithm of its tail."""
    grown = -2 * log_tail / freedom
    for _ in range(8):  # each step makes the error hundreds of times smaller
        grown += 2 * (tail_at(grown, freedom) - log_tail) / freedom
    half = (math.log(freedom) + grown + math.log(-math.expm1(-grown))) / 2
    return math.exp(half) if half < math.log(LARGEST) else math.inf


def tail_at(grown: float, freedom: float) -> float:
    """ln P(T > t) where ln(1 + t² / freedom) = grown and t is beyond `FAR`.

    P(T > t) is half the incomplete beta function I_x(freedom / 2, 1 / 2) at x = e^−grown. Its hypergeometric series 2F1(1/2, 1;
    freedom / 2 + 1; −freedom / t²) is taken by its first Padé approximant, whose error is below 1 / t⁴. Source: DLMF 8.17.7 and
    15.8.1.
    """
    from scipy.special import betaln  # noqa: PLC0415 - slow to import

    inverse = math.exp(-grown) / -math.expm1(-grown)  # freedom / t²
    whole = math.log(freedom) + float(betaln(freedom / 2, 0.5))
    return -(freedom * grown + math.log(-math.expm1(-grown))) / 2 - whole - math.log1p(inverse / (freedom + 2))
