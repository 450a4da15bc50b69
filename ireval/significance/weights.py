"""Sums of scores under many random weights of the topics, for all systems as a product of two matrices.

A randomisation test weighs topics by random signs, a bootstrap by how often each was drawn. The difference of a pair is the
difference of its two systems' weighted sums, so one product of weights and scores serves all pairs. The product is cut into
blocks, so that memory stays bounded.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from ireval.arrays import Floats, Ints
from ireval.significance.pairs import TOLERANCE, Pairs, columns

# Numbers in a block of any of the matrices: 16 MB.
BLOCK = 2**21
# Pairs handled together: their sums stay in the processor's cache.
PAIRS = 16


def portions(total: int, size: int) -> Iterator[int]:
    """Yield sizes of at most `size` that add up to `total`.

    >>> list(portions(10, 4))
    [4, 4, 2]
    """
    yield from (min(size, total - start) for start in range(0, total, size))


def rows_at_a_time(scores: Floats) -> int:
    """Rows in a block, a multiple of four: numpy makes four small random numbers from one and drops what a block leaves."""
    return max(4, min(2**12, BLOCK // max(1, *scores.shape)) // 4 * 4)


def against_zero(differences: ArrayLike) -> tuple[Floats, Pairs]:
    """Differences as the scores of systems, each paired with a system whose scores are all zero."""
    table = columns(differences)
    pairs = table.shape[1]
    return np.column_stack([table, np.zeros(len(table))]), Pairs(np.arange(pairs), np.full(pairs, pairs))


def count_as_extreme(weights: Iterable[Floats], scores: Floats, pairs: Pairs, *, around_observed: bool = False) -> Ints:
    """How many weighted sums of each pair's differences are at least as far from zero as the plain sum, (pairs,).

    With `around_observed` the distance is that from the plain sum. `weights` are blocks of repetitions × topics.
    """
    sums, sizes = scores.sum(axis=0), np.abs(scores).sum(axis=0)
    observed = sums[pairs.first] - sums[pairs.second]
    least = np.abs(observed) - TOLERANCE * (sizes[pairs.first] + sizes[pairs.second])
    centre = observed if around_observed else np.zeros(len(pairs))
    counts = np.zeros(len(pairs), np.int64)
    for block in weights:
        weighted = scores.T @ block.T
        for start in range(0, len(pairs), PAIRS):
            some = slice(start, start + PAIRS)
            apart = weighted[pairs.first[some]]
            apart -= weighted[pairs.second[some]]
            apart -= centre[some, None]
            np.abs(apart, out=apart)
            # Row by row, since a count along an axis first widens every truth value to an integer.
            counts[some] += [np.count_nonzero(row) for row in apart >= least[some, None]]
    return counts
