"""Sums of differences under many random weights of the topics, for all pairs as products of two matrices.

A randomisation test weighs topics by random signs, a bootstrap by how often each was drawn. Both matrices are cut into blocks,
so that memory stays bounded however many topics, pairs and repetitions there are; how the weights are cut depends on the number
of topics alone, so that a pair gets the same weights whichever other pairs are tested with it.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from ..rankings import Floats, Ints

# Numbers in a block of any of the matrices: 16 MB.
BLOCK = 2**21
# Sums that differ by less than this, relative to the largest possible, are equal: they were added in another order.
TOLERANCE = 1e-12


def portions(total: int, size: int) -> Iterator[int]:
    """
    >>> list(portions(10, 4))
    [4, 4, 2]
    """
    yield from (min(size, total - start) for start in range(0, total, size))


def rows_at_a_time(topics: int) -> int:
    return max(1, min(2**12, BLOCK // max(1, topics)))


def weighted_sums(weights: Iterable[Floats], table: Floats) -> Iterator[tuple[slice, Floats]]:
    """Blocks of pairs × repetitions, with the slice of the pairs that each belongs to."""
    for block in weights:
        step = max(1, BLOCK // 8 // len(block))
        for start in range(0, table.shape[1], step):
            pairs = slice(start, start + step)
            yield pairs, table[:, pairs].T @ block.T


def count_as_extreme(
    weights: Iterable[Floats], table: Floats, observed: Floats, centre: Callable[[slice], Floats | float]
) -> Ints:
    """For each pair: how many weighted sums are at least as far from the centre as the observed sum is from zero."""
    least = np.abs(observed) - TOLERANCE * np.abs(table).sum(axis=0)
    found = np.zeros(table.shape[1], np.int64)
    for pairs, sums in weighted_sums(weights, table):
        apart = np.abs(sums - np.asarray(centre(pairs)).reshape(-1, 1))
        # Row by row, since a count along an axis first widens every truth value to an integer.
        found[pairs] += [np.count_nonzero(row) for row in apart >= least[pairs, None]]
    return found
