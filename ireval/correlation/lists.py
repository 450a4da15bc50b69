"""Overlap of two ranked lists, which need not have the same things nor the same length.

Ties follow Webber, Moffat and Zobel: tied things share the best of their ranks, so that a depth d may hold more than d things.
The agreement there is twice the shared things over the things in both lists (RBO^w of Corsi and Urbano, SIGIR 2024).
"""

from functools import cached_property

import numpy as np

from ireval.arrays import Floats, Ints
from ireval.io.arguments import require_count, require_numbers
from ireval.io.files import BadInput
from ireval.measures.rankings import ByTopic

ABSENT = 0
DEFAULT_P = 0.9
DEFAULT_DEPTH = 10


class Lists(ByTopic):
    """Ranks (from 1; ABSENT if not listed) of each thing in two lists, for many pairs of lists.

    `topic` (ascending, from 0), `first` and `second` have one entry per thing of a pair of lists; len() counts the pairs.
    """

    def __init__(self, first: Ints, second: Ints, topic: Ints, size: int):
        self.first, self.second, self.topic, self.size = first, second, topic, size

    def __len__(self) -> int:
        return self.size

    @cached_property
    def lengths(self) -> tuple[Ints, Ints]:
        return self.count(self.first > ABSENT), self.count(self.second > ABSENT)

    @cached_property
    def longest(self) -> Ints:
        return np.maximum(*self.lengths)

    @cached_property
    def shortest(self) -> Ints:
        return np.minimum(*self.lengths)

    @cached_property
    def starts(self) -> Ints:
        """Where each pair's depths begin; a pair has as many depths as its longer list is long."""
        return np.cumsum(self.longest) - self.longest

    @cached_property
    def pair(self) -> Ints:
        return np.repeat(np.arange(len(self)), self.longest)

    @cached_property
    def depth(self) -> Ints:
        return np.arange(len(self.pair)) - self.starts[self.pair] + 1

    def down_to(self, ranks: Ints) -> Ints:
        """For each depth, how many listed things have at most that rank."""
        ranked = ranks > ABSENT
        places = self.starts[self.topic[ranked]] + ranks[ranked] - 1
        running = np.cumsum(np.bincount(places, minlength=len(self.pair)))
        before = np.append(0, running)[self.starts]
        return running - before[self.pair]

    @cached_property
    def shared(self) -> Ints:
        """For each depth, how many things both lists have down to it."""
        listed_twice = (self.first > ABSENT) & (self.second > ABSENT)
        return self.down_to(np.where(listed_twice, np.maximum(self.first, self.second), ABSENT))

    @cached_property
    def size_of_both(self) -> Ints:
        """For each depth, the number of things of both lists down to it; a list that has ended goes on with unknown things."""
        return np.maximum(self.down_to(self.first), self.depth) + np.maximum(self.down_to(self.second), self.depth)


def overlap(lists: Lists, depth: int = DEFAULT_DEPTH) -> Floats:
    """The share of the first k things that both lists have among theirs; if both are shorter, k is the longer length.

    For ties at the k-th place, see the module. NaN for two empty lists, 0 if one is empty.

    >>> overlap(lists_of("abcd", "bxay"), depth=3).round(4).tolist()
    [0.6667]
    """
    require_count("depth", depth)
    shares = np.full(len(lists), np.nan)
    some = lists.longest > 0
    at = lists.starts[some] + np.minimum(depth, lists.longest[some]) - 1
    shares[some] = 2 * lists.shared[at] / lists.size_of_both[at]
    return shares


def rbo(lists: Lists, p: float = DEFAULT_P) -> Floats:
    """Rank-biased overlap, extrapolated: (1 − p) / p · Σ p^d A_d + p^l A_l over the depths d = 1 … l of the longer list.

    A_d is the share of the first d things that both lists have. Below the end s of the shorter list, agreement is extrapolated
    from s, and below l from l. `p`, between 0 and 1, is the chance that a reader looks one rank deeper. 1 for equal lists, 0 for
    disjoint lists, NaN if a list is empty. Source: Webber, Moffat and Zobel, A
    similarity measure for indefinite rankings, ACM TOIS 28(4), 2010, equation 32.

    >>> rbo(lists_of("abc", "bad"), p=0.5).round(4).tolist()
    [0.4167]
    """
    require_numbers(p=p)
    if not 0 < p < 1:
        raise BadInput(f"p is {p}; expected a number between 0 and 1")
    shorter = lists.shortest[lists.pair]
    at_its_end = lists.starts[lists.pair] + np.maximum(shorter, 1) - 1
    agreement_there = 2 * lists.shared[at_its_end] / lists.size_of_both[at_its_end]
    agreement = 2 * (lists.shared + agreement_there * np.maximum(lists.depth - shorter, 0)) / lists.size_of_both
    sums = np.bincount(lists.pair, agreement * p**lists.depth, minlength=len(lists)) * (1 - p) / p
    values = np.full(len(lists), np.nan)
    some = lists.shortest > 0
    last = lists.starts[some] + lists.longest[some] - 1
    values[some] = sums[some] + agreement[last] * p ** lists.longest[some].astype(np.float64)
    return np.clip(values, 0, 1)


def lists_of(first, second) -> Lists:
    """Two lists of things, the best first, as Lists; for the examples.

    >>> lists_of("ab", "bc").second.tolist()
    [0, 1, 2]
    """
    things = list(dict.fromkeys([*first, *second]))
    places = [{thing: place for place, thing in enumerate(things_of_list, start=1)} for things_of_list in (first, second)]
    ranks, others = (np.array([place.get(thing, ABSENT) for thing in things], np.int64) for place in places)
    return Lists(ranks, others, np.zeros(len(things), np.int64), 1)
