"""The distribution of the studentised range, for many values at once.

scipy integrates each value by itself. For the 4,950 pairs of 100 systems it takes 48 s, this 0.13 s.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ireval.arrays import Floats
from ireval.io.arguments import as_numbers, require_numbers
from ireval.significance.pairs import SMALLEST

# Nodes of the two integrals and of the interpolation; a test checks their precision.
NODES_OF_RANGE = 120
NODES_OF_SPREAD = 80
NODES_OF_WIDE_SPREAD = 320
NODES_OF_CURVE = 160
# The curve is drawn in two pieces, in its own units: p is about 1e-30 where they meet and 1e-280 at the end.
PIECES = ((0.0, 12.0), (12.0, 36.0))


def upper_tail(q: ArrayLike, groups: int, freedom: float) -> Floats:
    """P(range of `groups` standard normals / independent s with `freedom` degrees of freedom ≥ q), for every q ≥ 0.

    With more values than nodes, the logarithm of p is integrated at Chebyshev's nodes and interpolated. Relative errors stay
    below 1e-8 down to p = 1e-12 for up to a thousand groups (tested). At least two groups and one degree of freedom. Source:
    Tukey, The problem of multiple comparisons, 1953; formula in Copenhaver and Holland, Journal of Statistical Computation and
    Simulation 30, 1988.

    >>> [float(p.round(4)) for p in upper_tail([0.0, 3.5064, 8.0], groups=3, freedom=20)]
    [1.0, 0.0554, 0.0]
    """
    values = as_numbers("q", q, least=0)
    require_numbers(groups=groups, freedom=freedom)
    flat = values.ravel()
    if len(flat) <= NODES_OF_CURVE:
        return integrated(flat, groups, freedom).reshape(values.shape)
    # In x the tail is nearly that of a normal, whatever the degrees of freedom: its logarithm is nearly a parabola.
    x = np.minimum(np.sqrt(freedom * np.log1p(flat**2 / (2 * freedom))), PIECES[-1][1])
    tail = np.empty(len(flat))
    for low, high in PIECES:
        inside = (low <= x) & (x <= high)
        if inside.any():
            tail[inside] = interpolated(x[inside], low, min(high, float(x[inside].max()) + 1), groups, freedom)
    return tail.reshape(values.shape)


def interpolated(x: Floats, low: float, high: float, groups: int, freedom: float) -> Floats:
    """The tail at x, by the polynomial through its logarithms at Chebyshev's nodes."""

    def logarithm(at: Floats) -> Floats:
        return np.log(integrated(np.sqrt(2 * freedom * np.expm1(at**2 / freedom)), groups, freedom))

    curve = np.polynomial.Chebyshev.interpolate(logarithm, NODES_OF_CURVE - 1, domain=[low, high])
    return np.exp(np.minimum(curve(x), 0))


@lru_cache(maxsize=256)
def upper_quantile(p: float, groups: int, freedom: float) -> float:
    """The q with that upper tail.

    >>> round(upper_quantile(0.05, groups=3, freedom=20), 4)
    3.5779
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to import

    high = 8.0
    while upper_tail(high, groups, freedom) > p:
        high *= 2
    return float(brentq(lambda q: np.log(upper_tail(q, groups, freedom) / p), 0, high, xtol=1e-10))


def integrated(q: Floats, groups: int, freedom: float) -> Floats:
    """∫ P(range ≥ q s) f(s) ds, over ln s, whose density has no singularity however few the degrees of freedom."""
    from scipy.special import chdtri, gammaln  # noqa: PLC0415 - slow to import

    # For a large q small s matter: there e^(−ν s² / 2) meets the range's own tail, e^(−q² s² / 4).
    lowest = 0.5 * np.log(chdtri(freedom, 1 - 1e-16) / freedom) if freedom > 50 else -34 / freedom - 1.5
    highest = 0.5 * np.log(chdtri(freedom, 1e-18) / freedom)
    lowest = lowest - 0.5 * np.log1p(q**2 / (2 * freedom))
    nodes, weights = np.polynomial.legendre.leggauss(NODES_OF_SPREAD if freedom > 5 else NODES_OF_WIDE_SPREAD)
    half = (highest - lowest)[:, None] / 2
    t = (highest + lowest)[:, None] / 2 + half * nodes
    log_density = np.log(2) + freedom / 2 * np.log(freedom / 2) - gammaln(freedom / 2) + freedom * t - freedom / 2 * np.exp(2 * t)
    # The range of normals never exceeds 60; without that bound the inner integral's nodes would lie too far apart.
    tails = range_tail(np.minimum(q[:, None] * np.exp(t), 60), groups)
    return np.clip((tails * np.exp(log_density) * weights * half).sum(axis=1), SMALLEST, 1)


def range_tail(w: Floats, groups: int) -> Floats:
    """P(range of `groups` standard normals ≥ w) = k ∫ φ(z) (Φ(z)^(k−1) − (Φ(z) − Φ(z − w))^(k−1)) dz, z being the largest."""
    from scipy.special import log_ndtr, ndtri  # noqa: PLC0415 - slow to import

    nodes, weights = np.polynomial.legendre.leggauss(NODES_OF_RANGE)
    integral = np.zeros(w.shape)
    # Outside these bounds the largest of k normals practically never lies, or the smallest is never w below it.
    lowest = np.maximum(ndtri(np.exp(-45 / (groups - 1))), w / 2 - 8.5)
    half = (w / 2 + 8.5 - lowest) / 2
    for node, weight in zip(nodes, weights, strict=True):
        z = lowest + half * (node + 1)
        all_below = log_ndtr(z)
        share = np.minimum(np.exp(log_ndtr(z - w) - all_below), 1 - 1e-16)
        some_far = -np.expm1((groups - 1) * np.log1p(-share))
        integral += weight * half * np.exp(-(z**2) / 2 + (groups - 1) * all_below) * some_far
    return groups / np.sqrt(2 * np.pi) * integral
