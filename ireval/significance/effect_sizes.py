"""Effect sizes: how large a difference is."""

import numpy as np
from numpy.typing import ArrayLike

from ireval.arrays import Floats
from ireval.significance.pairs import are_constant, are_zero, columns, in_steps, like


def cohens_d(differences: ArrayLike) -> Floats:
    """Mean over standard deviation of the paired differences (d_z). Differences are (topics,) or (topics, pairs).

    NaN for fewer than two topics and for differences that are all equal, but 0 where all are zero. Source: Cohen, Statistical
    power analysis for the behavioral sciences, 1988, section 2.3.5.

    >>> float(cohens_d([0.1, 0.2, 0.3, -0.1]).round(4))
    0.7319
    """
    table = columns(differences)
    d = np.full(table.shape[1], np.nan)
    if len(table) > 1:
        d[are_zero(table)] = 0
        varies = ~are_constant(table)
        d[varies] = table[:, varies].mean(axis=0) / table[:, varies].std(axis=0, ddof=1)
    return like(differences, d)


def hedges_g(differences: ArrayLike) -> Floats:
    """Cohen's d times Γ(ν/2) / (√(ν/2) Γ((ν − 1)/2)), ν = n − 1, which removes its bias with few topics.

    Differences are (topics,) or (topics, pairs). NaN as d, and for two topics, whose factor is zero. Source: Hedges,
    Distribution theory for Glass's estimator of effect size, Journal of Educational Statistics 6, 1981.

    >>> float(hedges_g([0.1, 0.2, 0.3, -0.1]).round(4))
    0.5296
    """
    from scipy.special import gammaln  # noqa: PLC0415 - slow to import

    d = cohens_d(differences)
    freedom = len(columns(differences)) - 1
    if freedom < 2:
        return d * np.nan
    return d * np.exp(gammaln(freedom / 2) - gammaln((freedom - 1) / 2)) / np.sqrt(freedom / 2)


def superiority(differences: ArrayLike) -> Floats:
    """The share of topics that the first system wins, a draw counting half: its probability of superiority.

    Differences are (topics,) or (topics, pairs). NaN without topics. Source: Grissom and Kim, Effect sizes for research, 2005,
    on dependent groups.

    >>> float(superiority([0.1, 0.2, 0.0, -0.1]))
    0.625
    """
    table = in_steps(columns(differences))
    shares = np.sign(table).mean(axis=0) / 2 + 0.5 if len(table) else np.full(table.shape[1], np.nan)
    return like(differences, shares)
