"""Whether kinds of evidence agree on how often B beats A."""

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ireval.arrays import Floats
from ireval.io.arguments import require_confidence, require_each, require_type
from ireval.significance.decision import Estimate
from ireval.significance.students_t import quantile

MANY = 1e9  # degrees of freedom: as good as known errors


class Contrast(NamedTuple):
    """The second kind's share less the first's, with the ends of its interval."""

    first: str
    second: str
    difference: float
    low: float
    high: float


class Heterogeneity(NamedTuple):
    """How far the shares of `kinds` differ by more than chance.

    - q: Cochran's Q, Σ w (x − x̄)² with w = 1 / error², of which chance alone makes `freedom` on average
    - p: Welch's, of the hypothesis that all shares are one; it allows for errors that are themselves estimated from few units
    - i2: the part of the spread that is no chance, 1 − freedom / Q, from 0; i2_low and i2_high by the Q-profile
    - contrasts: of every two kinds
    """

    kinds: int
    q: float
    freedom: int
    p: float
    i2: float
    i2_low: float
    i2_high: float
    contrasts: list[Contrast]


def heterogeneity(shares: dict[str, Estimate], *, confidence: float = 0.95) -> Heterogeneity | None:
    """Compare the shares of several kinds of evidence. None where fewer than two have an error.

    With two to five kinds Q has little power: the contrasts say how far apart two kinds may be.
    Sources: Cochran, The combination of estimates from different experiments, Biometrics 10, 1954; Welch, On the comparison of
    several mean values, Biometrika 38, 1951; Higgins and Thompson, Quantifying heterogeneity in a meta-analysis, Statistics in
    Medicine 21, 2002; Viechtbauer, Confidence intervals for the amount of heterogeneity, Statistics in Medicine 26, 2007.

    >>> same, other = Estimate(0.6, 0.05, math.inf), Estimate(0.4, 0.05, math.inf)
    >>> spread = heterogeneity({"grades": same, "votes": same, "clicks": other})
    >>> round(spread.q, 3), spread.freedom, round(spread.p, 4), round(spread.i2, 2)
    (10.667, 2, 0.0048, 0.81)
    """
    require_type("shares", shares, dict, "{kind: Estimate}")
    require_each("shares", list(shares.values()), Estimate, "Estimates")
    require_confidence(confidence)
    known = {kind: share for kind, share in shares.items() if share.error > 0}
    if len(known) < 2:
        return None
    values = np.array([share.value for share in known.values()])
    variances = np.array([share.error**2 for share in known.values()])
    freedom = np.array([share.freedom for share in known.values()])
    q, k = spread(values, variances), len(known)
    low, high = (tau_squared(values, variances, tail) for tail in ((1 + confidence) / 2, (1 - confidence) / 2))
    typical = typical_variance(variances)
    return Heterogeneity(
        kinds=k,
        q=q,
        freedom=k - 1,
        p=welch(q, variances, freedom),
        i2=max(0.0, 1 - (k - 1) / q) if q else 0.0,
        i2_low=low / (low + typical),
        i2_high=high / (high + typical),
        contrasts=[contrast(first, second, known, confidence) for first, second in combinations(known, 2)],
    )


def spread(values: Floats, variances: Floats) -> float:
    """Cochran's Q."""
    weights = 1 / variances
    return float((weights * (values - (weights @ values) / weights.sum()) ** 2).sum())


def welch(q: float, variances: Floats, freedom: Floats) -> float:
    """The chance of a Q as large, by F with degrees of freedom that allow for the errors' own."""
    from scipy.special import fdtrc  # noqa: PLC0415 - slow to import

    k, weights = len(variances), 1 / variances
    lack = float(((1 - weights / weights.sum()) ** 2 / freedom).sum())
    f = q / (k - 1) / (1 + 2 * (k - 2) / (k**2 - 1) * lack)
    return float(fdtrc(k - 1, (k**2 - 1) / (3 * lack) if lack else MANY, f))


def tau_squared(values: Floats, variances: Floats, level: float) -> float:
    """The variance between kinds at which Q would be the level's quantile of χ²; 0 where it is less without any."""
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to import
    from scipy.special import chdtri  # noqa: PLC0415

    wanted = float(chdtri(len(values) - 1, 1 - level))

    def lacking(tau: float) -> float:
        return spread(values, variances + tau) - wanted

    if lacking(0.0) <= 0:
        return 0.0
    high = float(variances.max())
    while lacking(high) > 0:
        high *= 2
    return float(brentq(lacking, 0.0, high, xtol=1e-15))


def typical_variance(variances: Floats) -> float:
    """The variance within kinds that I² sets the one between them against."""
    weights = 1 / variances
    return float((len(weights) - 1) * weights.sum() / (weights.sum() ** 2 - (weights**2).sum()))


def contrast(first: str, second: str, shares: dict[str, Estimate], confidence: float) -> Contrast:
    """The difference of two independent shares, with Welch's interval."""
    share, other = shares[first], shares[second]
    parts = share.error**2, other.error**2
    lack = sum(part**2 / kind.freedom for part, kind in zip(parts, (share, other), strict=True))
    freedom = sum(parts) ** 2 / lack if lack else MANY
    difference, half = other.value - share.value, quantile(freedom, confidence) * math.sqrt(sum(parts))
    return Contrast(first, second, difference, difference - half, difference + half)
