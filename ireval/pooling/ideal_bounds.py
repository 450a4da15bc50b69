"""Ideals that move with every grade: what a difference over the ideals to expect lacks of the difference itself.

A topic's difference D / I is D / E + D / I · (1 − I / E), whatever E stands for the ideal I. The first term is a sum over
documents. Of the second both factors have ends. Those of D / I are of `difference_bounds`. Those of I are the ideal if nothing
unjudged is relevant, and if all of it has the top grade. These meet once the best documents are known.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ireval.arrays import Floats, share
from ireval.pooling.additive_measures import Additive
from ireval.pooling.bounds import DifferenceBounds
from ireval.pooling.documents import PooledDocuments


class Remainders(NamedTuple):
    """What is lacking of the pairs' mean differences: the least, what to expect and the most, (pairs,) or (draws, pairs) each."""

    least: Floats
    expected: Floats
    most: Floats


@dataclass(frozen=True, eq=False)
class Outlook:
    """What is known of the topics at a look: the ideals (topics,), at least, at most and to expect, and the differences' bounds.

    `values` (topics, systems) are what the systems are expected to add to their means.
    """

    least: Floats
    most: Floats
    expected: Floats
    values: Floats
    bounds: DifferenceBounds

    def remainders(self, used: Floats) -> Remainders:
        """What differences over the ideals `used` (topics,) lack of the differences, (pairs,) each."""
        inverse = share(np.ones_like(used), used)
        factors = [(1 - ideals * inverse)[:, None] for ideals in (self.least, self.most)]
        corners = [factor * ends for factor in factors for ends in (self.bounds.low_by_topic, self.bounds.high_by_topic)]
        least, most = (extreme.reduce(corners).mean(axis=0) for extreme in (np.minimum, np.maximum))
        expected = (1 - self.expected * inverse) @ self.values
        return Remainders(least, self.bounds.pairs.differences(expected[None])[0], most)


def ideal_ends(documents: PooledDocuments, sums: Additive) -> tuple[Floats, Floats]:
    """The least and the largest ideal of each topic, (topics,) each, over all ways to grade what is unjudged.

    The least is that of one relevant document, since without any the difference is 0, whatever it would be divided by.

    >>> from ireval.measures.names import parse_measure
    >>> from ireval.pooling.additive_measures import additive
    >>> from ireval.pooling.documents import pooled_documents
    >>> documents = pooled_documents({"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"c": 1.0}}}, {"1": {"a": 1}}, depth=2)
    >>> [ideals.tolist() for ideals in ideal_ends(documents, additive(parse_measure("R@2"), top_grade=1))]
    [[1.0], [3.0]]
    """
    assert sums.ideal is not None
    topics = len(documents.topics)
    least, most = np.zeros((2, topics))
    unjudged = np.bincount(documents.topic, ~documents.judged, topics).astype(np.int64)
    for level, step in zip(sums.levels, sums.steps, strict=True):
        held = np.bincount(documents.topic, documents.judged & (documents.grade >= level), topics).astype(np.int64)
        least += step * sums.ideal(held)
        most += step * sums.ideal(held + unjudged)
    floor = ideal_of_one(sums)
    return np.maximum(least, floor), np.maximum(most, floor)


def ideal_of_one(sums: Additive) -> float:
    """The ideal of a single document with the lowest grade that gains anything; 0 if none does."""
    assert sums.ideal is not None
    return float(sums.steps[0] * sums.ideal(np.ones(1, np.int64))[0]) if len(sums.steps) else 0.0
