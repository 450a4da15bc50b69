"""Moments of an arm's units: all that means, ratios and their intervals need, however many units there are."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ireval.arrays import Floats


@dataclass(frozen=True, eq=False)
class Moments:
    """The `mean` (K,) of `n` units with K numbers each, and `products` (K, K), the sums of products of deviations from it."""

    n: int
    mean: Floats
    products: Floats

    @property
    def covariance(self) -> Floats:
        """The sample covariance, (K, K); NaN for fewer than two units."""
        return self.products / (self.n - 1) if self.n > 1 else np.full_like(self.products, np.nan)

    def merged(self, other: "Moments") -> "Moments":
        """The moments of the units of both.

        Source: Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for computing sample variances, 1979.

        >>> parts = [moments_of([np.array([1.0, 2.0])]), moments_of([np.array([6.0])])]
        >>> both = parts[0].merged(parts[1])
        >>> both.n, both.mean.tolist(), both.covariance.tolist()
        (3, [3.0], [[7.0]])
        """
        n = self.n + other.n
        if not self.n or not other.n:
            return other if other.n else self
        apart = other.mean - self.mean
        products = self.products + other.products + np.outer(apart, apart) * (self.n * other.n / n)
        return Moments(n, self.mean + apart * (other.n / n), products)


def moments_of(columns: Sequence[Floats]) -> Moments:
    """The moments of N units from columns, (N,) each. Means are 0 without units.

    >>> moments_of([np.array([1.0, 3.0]), np.array([2.0, 2.0])]).covariance.tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    table = np.stack(columns)
    if not table.shape[1]:
        return Moments(0, np.zeros(len(table)), np.zeros((len(table), len(table))))
    mean = table.mean(axis=1)
    # The mean of equal numbers may differ from them by rounding.
    mean = np.where(np.ptp(table, axis=1) == 0, table[:, 0], mean)
    apart = table - mean[:, None]
    return Moments(table.shape[1], mean, apart @ apart.T)


def moments_of_counts(n: int, conversions: int) -> Moments:
    """The moments of n units, `conversions` of which are 1 and the others 0.

    >>> moments_of_counts(4, 1).mean.tolist(), moments_of_counts(4, 1).covariance.tolist()
    ([0.25], [[0.25]])
    """
    share = conversions / n if n else 0.0
    return Moments(n, np.array([share]), np.array([[n * share * (1 - share)]]))
