"""How sure a mean over votes is when votes on a topic are alike, and votes of a worker, too."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ireval.arrays import Floats, Ints
from ireval.io.arguments import require_confidence
from ireval.significance.decision import Estimate
from ireval.significance.students_t import quantile, two_sided


class Clustered(NamedTuple):
    """A mean or a difference with its standard error, its interval and p; NaN where `undefined` says why.

    `freedom` are the t distribution's degrees of freedom.
    """

    value: float
    low: float
    high: float
    error: float
    p: float
    freedom: int
    undefined: str = ""

    @property
    def estimate(self) -> Estimate:
        """The value as `decide` takes it."""
        return Estimate(self.value, self.error, self.freedom, undefined=self.undefined)


def clustered(
    value: float, influence: Floats, clusters: dict[str, Ints], *, against: float, confidence: float = 0.95
) -> Clustered:
    """value ± t(G − 1) · √V, where G is the smaller number of clusters and V the variance that is robust to all of them.

    `influence` (N,) is what each vote adds to the estimate's error; it sums to 0. `clusters` name one or two things that votes
    share, each with codes from 0, (N,). p is two-sided, of the null hypothesis that the true value is `against`.
    Undefined (NaN) with fewer than two clusters of a kind, and where all votes are the same.
    """
    require_confidence(confidence)
    sizes = {name: distinct(codes) for name, codes in clusters.items()}
    if few := [name for name, size in sizes.items() if size < 2]:
        return Clustered(value, np.nan, np.nan, np.nan, np.nan, 0, f"there is a single {few[0]}")
    freedom = min(sizes.values()) - 1
    if not influence.any():
        return Clustered(value, np.nan, np.nan, np.nan, np.nan, freedom, "all votes say the same")
    if not (error := float(np.sqrt(variance(influence, *clusters.values())))):
        return Clustered(value, np.nan, np.nan, np.nan, np.nan, freedom, "what votes share has no part in how they differ")
    return within(value, error, freedom, against=against, confidence=confidence)


def within(value: float, error: float, freedom: int, *, against: float, confidence: float) -> Clustered:
    """The estimate with Student's interval and p."""
    half = quantile(freedom, confidence) * error
    return Clustered(value, value - half, value + half, error, two_sided((value - against) / error, freedom), freedom)


def clustered_share(share: float, influence: Floats, clusters: dict[str, Ints], *, confidence: float = 0.95) -> Clustered:
    """`clustered` for a share of votes, each from 0 to 1, against a half; the interval is cut off at 0 and 1.

    Where all N votes are 1, or all are 0, they have no variance. The error is then that of N independent votes without any
    preference, ½ / √N. Undefined where all votes are ties.

    >>> groups = {"topic": np.arange(6), "worker": np.array([0, 1, 2, 0, 1, 2])}
    >>> estimate = clustered_share(1.0, np.zeros(6), groups)
    >>> round(estimate.error, 4), round(estimate.p, 4)
    (0.2041, 0.134)
    """
    estimate = clustered(share, influence, clusters, against=0.5, confidence=confidence)
    if estimate.freedom and share in (0.0, 1.0):
        error = 0.5 / np.sqrt(len(influence)).item()
        estimate = within(share, error, estimate.freedom, against=0.5, confidence=confidence)
    low, high = np.clip([estimate.low, estimate.high], 0, 1).tolist()
    return estimate._replace(low=low, high=high)


def variance(influence: ArrayLike, first: Ints, second: Ints | None = None) -> float:
    """V_first + V_second − V_both, but no less than that of independent votes; V_first for one kind of clusters.

    Each is the sum of the squared sums of its clusters, times G / (G − 1). With few clusters V_first or V_second is near 0 by
    chance, and the difference with it. Votes are then taken to be at least as uncertain as if nothing were shared.

    Source: Cameron, Gelbach and Miller, Robust inference with multiway clustering, Journal of Business and Economic Statistics
    29, 2011, equations 2.8 and 2.10 and section 2.3. The floor is ours; see docs/explanation/statistics.md.

    >>> variance([0.25, -0.25, 0.25, -0.25], np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])).__round__(4)
    0.6667
    """
    parts = np.asarray(influence, np.float64)
    if second is None:
        return one_way(parts, first)
    by_first, by_second = one_way(parts, first), one_way(parts, second)
    both = one_way(parts, np.unique(first * (int(second.max()) + 1) + second, return_inverse=True)[1])
    return max(by_first + by_second - both, both, one_way(parts, np.arange(len(parts))))


def one_way(influence: Floats, cluster: Ints) -> float:
    sums, groups = np.bincount(cluster, influence), distinct(cluster)
    return float((sums**2).sum() * groups / (groups - 1))


def distinct(codes: Ints) -> int:
    """The number of different codes, which are from 0 and not much larger than their number."""
    return int(np.count_nonzero(np.bincount(codes)))
