"""How attractive documents are, as far as clicks tell that may also have failed because nobody looked."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ireval.arrays import Floats, Ints

# Bins of each look: from everything that a share may be to where nearly all of it lies, and into that.
LOOKS = (32, 32, 64)
# What lies outside of where nearly all lies, at either end.
OUTSIDE = 1e-6
# Pairs, so that all their bins are some tens of megabytes.
AT_ONCE = 16_384


class Posterior(NamedTuple):
    """The mean of each pair's share and the ends of its interval, (P,) each."""

    mean: Floats
    low: Floats
    high: Floats


class Views(NamedTuple):
    """What was seen of P pairs, in C cells, sorted by `pair`: how often it was shown there (`n`), its `clicks`, and the chance
    that it was looked at (`examined`, above 0 and at most 1); (C,) each."""

    pair: Ints
    n: NDArray
    clicks: NDArray
    examined: Floats


def posterior(views: Views, size: int, *, prior: float, mean: float, confidence: float) -> Posterior:
    """Of each of `size` pairs the chance a to be clicked if looked at, where a view is clicked with the chance g · a and g, the
    chance to be looked at, is known: Beta(prior · mean, prior · (1 − mean)) times Π (g a)^clicks (1 − g a)^(n − clicks).

    Where g is 1 that is the Beta distribution with the clicks and the other views added; else it has no name, and is summed up
    over bins, three times, each time over those that the time before left. Ends are its quantiles. A pair that was never shown
    has what the prior says. Source: Bayes's rule with the likelihood of Craswell, Zoeter, Taylor and Ramsey, WSDM 2008.

    >>> one = Views(np.array([0]), np.array([10.0]), np.array([10.0]), np.array([0.3]))
    >>> posterior(one, 1, prior=1, mean=0.2, confidence=0.95).mean.round(2).tolist()
    [0.93]
    """
    found = []
    for start in range(0, size, AT_ONCE):
        stop = min(start + AT_ONCE, size)
        here = slice(*np.searchsorted(views.pair, [start, stop]))
        some = Views(views.pair[here] - start, views.n[here], views.clicks[here], views.examined[here])
        found.append(of_some(some, stop - start, prior * mean, prior * (1 - mean), confidence))
    return Posterior(*map(np.concatenate, zip(*found, strict=True))) if found else Posterior(*np.zeros((3, 0)))


def of_some(views: Views, size: int, one: float, other: float, confidence: float) -> Posterior:
    powers: Floats = (np.bincount(views.pair, views.clicks, minlength=size) + one).astype(np.float64)
    low, high = np.zeros(size), np.ones(size)
    for bins in LOOKS:
        edges = low + (high - low) * np.linspace(0, 1, bins + 1)[:, None]
        weights, middle = weighed(views, edges, powers, other)
        cumulated = np.vstack([np.zeros(size), np.cumsum(weights, axis=0)])
        # One bin more at either end: a steep likelihood may have its top beside the bin whose middle is the highest.
        low = within(edges, cumulated, OUTSIDE, -1)[0]
        high = within(edges, cumulated, 1 - OUTSIDE, 1)[1]
    ends = [between(edges, cumulated, (1 + side * confidence) / 2) for side in (-1, 1)]
    return Posterior((weights * middle).sum(axis=0), *ends)


def weighed(views: Views, edges: Floats, one: Floats, other: float) -> tuple[Floats, Floats]:
    """How much of a^(one − 1) (1 − a)^(other − 1) Π (1 − g a)^(n − clicks) lies in each bin between `edges` (B + 1, P), all of it
    being 1, and where its middle is; (B, P) each. Where powers have no finite height they are integrated over the bin."""
    middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges, axis=0)
    rising, falling = (one - 1) * np.log(middle), (other - 1) * np.log1p(-middle)
    first, last = (edges[0] == 0) & (one < 1), edges[-1] == 1
    rising[0] = np.where(first, (one - 1) * np.log(width[0]) - np.log(one), rising[0])
    falling[-1] = np.where(last, (other - 1) * np.log(width[-1]) - np.log(other), falling[-1])
    found = rising + falling + np.log(width)
    middle[0] = np.where(first, width[0] * one / (one + 1), middle[0])
    middle[-1] = np.where(last, 1 - width[-1] * other / (other + 1), middle[-1])
    unclicked = views.n - views.clicks
    for place, share in enumerate(middle):
        missed = unclicked * np.log1p(-views.examined * share[views.pair])
        found[place] += np.bincount(views.pair, missed, minlength=len(one))
    weights = np.exp(found - found.max(axis=0))
    return weights / weights.sum(axis=0), middle


def within(edges: Floats, cumulated: Floats, share: float, beside: int = 0) -> tuple[Floats, Floats]:
    """The ends of the bin in which so much is reached, or of one `beside` it; (P,) each."""
    bins = np.clip((cumulated < share).sum(axis=0) + beside, 1, len(edges) - 1)
    pairs = np.arange(edges.shape[1])
    return edges[bins - 1, pairs], edges[bins, pairs]


def between(edges: Floats, cumulated: Floats, share: float) -> Floats:
    """Where so much is reached, (P,)."""
    low, high = within(edges, cumulated, share)
    before, after = within(cumulated, cumulated, share)
    return low + (high - low) * np.clip((share - before) / np.where(after > before, after - before, 1), 0, 1)
