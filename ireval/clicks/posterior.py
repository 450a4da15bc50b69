"""The posterior of attractiveness, where a view without a click may be one that nobody examined."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ireval.arrays import Floats, Ints

# Bins of each pass: first over all shares from 0 to 1, then over the part that holds nearly all of the posterior.
PASSES = (32, 32, 64)
# The probability left outside that part at either end.
OUTSIDE = 1e-6
# Pairs handled at once: their bins take some tens of megabytes.
AT_ONCE = 16_384


class Posterior(NamedTuple):
    """The mean of each pair's share and the ends of its interval, (P,) each."""

    mean: Floats
    low: Floats
    high: Floats


class Views(NamedTuple):
    """Views of P pairs in C cells, sorted by `pair`; (C,) each.

    `n` is how often the pair was shown, `examined` the chance that a view was examined (above 0 and at most 1).
    """

    pair: Ints
    n: NDArray
    clicks: NDArray
    examined: Floats


def posterior(views: Views, size: int, *, prior: float, mean: float, confidence: float) -> Posterior:
    """The posterior of attractiveness a of each of `size` pairs, where a view is clicked with the chance g · a.

    g is the known chance to be examined. The density is that of Beta(prior · mean, prior · (1 − mean)) times
    Π (g a)^clicks (1 − g a)^(n − clicks). For g = 1 it is a Beta distribution. Otherwise it is summed over bins in three passes,
    each over the range that the pass before left. The ends of the interval are its quantiles. A pair that was never shown has
    the prior. Source: Bayes's rule with the likelihood of Craswell, Zoeter, Taylor and Ramsey, WSDM 2008.

    >>> views = Views(np.array([0]), np.array([10.0]), np.array([10.0]), np.array([0.3]))
    >>> posterior(views, 1, prior=1, mean=0.2, confidence=0.95).mean.round(2).tolist()
    [0.93]
    """
    blocks = []
    for start in range(0, size, AT_ONCE):
        stop = min(start + AT_ONCE, size)
        here = slice(*np.searchsorted(views.pair, [start, stop]))
        some = Views(views.pair[here] - start, views.n[here], views.clicks[here], views.examined[here])
        blocks.append(of_block(some, stop - start, prior * mean, prior * (1 - mean), confidence))
    return Posterior(*map(np.concatenate, zip(*blocks, strict=True))) if blocks else Posterior(*np.zeros((3, 0)))


def of_block(views: Views, size: int, alpha: float, beta: float, confidence: float) -> Posterior:
    powers: Floats = (np.bincount(views.pair, views.clicks, minlength=size) + alpha).astype(np.float64)
    low, high = np.zeros(size), np.ones(size)
    for bins in PASSES:
        edges = low + (high - low) * np.linspace(0, 1, bins + 1)[:, None]
        weights, middle = bin_shares(views, edges, powers, beta)
        cumulated = np.vstack([np.zeros(size), np.cumsum(weights, axis=0)])
        # One more bin at either end: a steep likelihood may have its maximum beside the bin whose middle is the highest.
        low = within(edges, cumulated, OUTSIDE, -1)[0]
        high = within(edges, cumulated, 1 - OUTSIDE, 1)[1]
    ends = [quantile(edges, cumulated, (1 + side * confidence) / 2) for side in (-1, 1)]
    return Posterior((weights * middle).sum(axis=0), *ends)


def bin_shares(views: Views, edges: Floats, alpha: Floats, beta: float) -> tuple[Floats, Floats]:
    """The share of a^(alpha − 1) (1 − a)^(beta − 1) Π (1 − g a)^(n − clicks) in each bin between `edges`, and the bin's middle.

    `edges` are (B + 1, P), both results (B, P). Powers that are infinite at 0 or 1 are integrated over the bin.
    """
    middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges, axis=0)
    rising, falling = (alpha - 1) * np.log(middle), (beta - 1) * np.log1p(-middle)
    first, last = (edges[0] == 0) & (alpha < 1), edges[-1] == 1
    rising[0] = np.where(first, (alpha - 1) * np.log(width[0]) - np.log(alpha), rising[0])
    falling[-1] = np.where(last, (beta - 1) * np.log(width[-1]) - np.log(beta), falling[-1])
    density = rising + falling + np.log(width)
    middle[0] = np.where(first, width[0] * alpha / (alpha + 1), middle[0])
    middle[-1] = np.where(last, 1 - width[-1] * beta / (beta + 1), middle[-1])
    unclicked = views.n - views.clicks
    for place, share in enumerate(middle):
        missed = unclicked * np.log1p(-views.examined * share[views.pair])
        density[place] += np.bincount(views.pair, missed, minlength=len(alpha))
    weights = np.exp(density - density.max(axis=0))
    return weights / weights.sum(axis=0), middle


def within(edges: Floats, cumulated: Floats, share: float, beside: int = 0) -> tuple[Floats, Floats]:
    """The ends of the bin in which the cumulated share is reached, or of one so many bins `beside` it; (P,) each."""
    bins = np.clip((cumulated < share).sum(axis=0) + beside, 1, len(edges) - 1)
    pairs = np.arange(edges.shape[1])
    return edges[bins - 1, pairs], edges[bins, pairs]


def quantile(edges: Floats, cumulated: Floats, share: float) -> Floats:
    """The quantile at the cumulated `share`, (P,), interpolated within its bin."""
    low, high = within(edges, cumulated, share)
    before, after = within(cumulated, cumulated, share)
    return low + (high - low) * np.clip((share - before) / np.where(after > before, after - before, 1), 0, 1)
