"""Resampled counts of votes: votes, topics or workers are drawn again, with replacement.

Votes are drawn as counts, by a multinomial for every two systems, which keep their number of votes. Topics and workers are drawn
as weights: a vote counts as often as its topic was drawn, times as often as its worker was.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ireval.arrays import Floats, Ints
from ireval.preferences.strengths import Counts, counts_of
from ireval.preferences.votes import Votes
from ireval.significance.weights import portions

# Numbers in a block of count matrices: 2 MB, which stay in the processor's cache.
BLOCK = 2**18
# What is drawn again, and the columns of the clusters that are drawn.
RESAMPLED: dict[str, tuple[str, ...]] = {
    "votes": (),
    "topics": ("topic",),
    "workers": ("worker",),
    "topics and workers": ("topic", "worker"),
}


class ResampledCounts(NamedTuple):
    """Counts of B resamples, (B, S, S) each, as in `Counts`."""

    wins: Floats
    ties: Floats


def resampled_counts(votes: Votes, drawn: str, resamples: int, seed: int) -> Iterator[ResampledCounts]:
    """Yield counts of `resamples` resamples, block by block.

    Sources: Efron and Tibshirani, An introduction to the bootstrap, 1993, for votes, topics or workers. Owen, The pigeonhole
    bootstrap, Annals of Applied Statistics 1, 2007, for both: its variance is too large if votes differ mostly for other reasons.
    """
    rng, rows = np.random.default_rng(seed), max(1, BLOCK // len(votes.systems) ** 2)
    if drawn == "votes":
        counts = counts_of(votes)
        yield from (multinomial(rng, counts, some) for some in portions(resamples, rows))
    else:
        yield from (weighted(rng, votes, RESAMPLED[drawn], some) for some in portions(resamples, rows))


def multinomial(rng: np.random.Generator, counts: Counts, rows: int) -> ResampledCounts:
    first, second = np.nonzero(np.triu(counts.compared, 1))
    n = counts.compared[first, second].astype(np.int64)
    shares = np.stack([counts.wins[first, second], counts.wins[second, first], counts.ties[first, second]], axis=1) / n[:, None]
    outcomes = rng.multinomial(n, shares, (rows, len(n)))
    s = len(counts.systems)
    wins, ties = np.zeros((rows, s, s)), np.zeros((rows, s, s))
    wins[:, first, second], wins[:, second, first] = outcomes[:, :, 0], outcomes[:, :, 1]
    ties[:, first, second] = ties[:, second, first] = outcomes[:, :, 2]
    return ResampledCounts(wins, ties)


def weighted(rng: np.random.Generator, votes: Votes, clusters: tuple[str, ...], rows: int) -> ResampledCounts:
    s = len(votes.systems)
    # The outcome for the pair's first system, by pair.
    cell = (2 * votes.points).astype(np.int64) * s * s + votes.pair
    codes = [np.unique(getattr(votes, name), return_inverse=True)[1] for name in clusters]
    outcomes = np.empty((rows, 3, s, s))
    for row in range(rows):
        weight = np.ones(len(votes))
        for code in codes:
            weight *= drawn_again(rng, code)[code]
        outcomes[row] = np.bincount(cell, weight, 3 * s * s).reshape(3, s, s)
    lost, tied, won = np.moveaxis(outcomes, 1, 0)
    return ResampledCounts(won + lost.transpose(0, 2, 1), tied + tied.transpose(0, 2, 1))


def drawn_again(rng: np.random.Generator, code: Ints) -> Floats:
    """How often each of the codes 0, 1 … was drawn, when as many are drawn with replacement."""
    n = int(code.max()) + 1
    return np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)
