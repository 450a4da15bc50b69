"""Rank correlation: coefficients of two orderings of the same things, computed for many pairs of orderings at once.

The things may be documents of a topic, ordered by rank, or systems, ordered by score (see orderings.py). A coefficient is NaN for
fewer than two things, and where its own denominator is zero.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ireval.arrays import Floats, Ints
from ireval.measures.rankings import ByTopic

# Things handled together: their arrays stay in the processor's cache.
CHUNK = 2**15


class Paired(ByTopic):
    """Two scores of each thing, the higher the better, of many pairs of orderings.

    `topic` (ascending, from 0), `first` and `second` have one entry per thing of a pair of orderings; len() counts the pairs.
    """

    def __init__(self, first: ArrayLike, second: ArrayLike, topic: Ints | None = None, size: int = 1):
        self.first, self.second = np.asarray(first, np.float64), np.asarray(second, np.float64)
        self.topic = np.zeros(len(self.first), np.int64) if topic is None else topic
        self.size = size

    def __len__(self) -> int:
        return self.size

    @cached_property
    def n(self) -> Ints:
        return self.count()

    @cached_property
    def starts(self) -> Ints:
        return np.cumsum(self.n) - self.n

    def turned(self) -> "Paired":
        return Paired(self.second, self.first, self.topic, self.size)

    def above(self, scores: Floats) -> Ints:
        """For each thing, how many things of the same ordering have a higher score."""
        codes = np.unique(-scores, return_inverse=True)[1]
        bits = len(codes).bit_length()
        keys = self.topic << bits | codes
        return np.searchsorted(np.sort(keys), keys) - self.starts[self.topic]

    @cached_property
    def above_first(self) -> Ints:
        return self.above(self.first)

    @cached_property
    def above_second(self) -> Ints:
        return self.above(self.second)

    @cached_property
    def second_has_ties(self) -> bool:
        return bool((np.bincount(self.starts[self.topic] + self.above_second) > 1).any())

    def chunks(self) -> Iterator["Paired"]:
        """Yield portions of whole orderings."""
        ends = np.append(self.starts, len(self.topic))
        begin = 0
        while begin < len(self):
            end = max(begin + 1, int(np.searchsorted(ends, ends[begin] + CHUNK, side="right")) - 1)
            rows = slice(ends[begin], ends[end])
            yield Paired(self.first[rows], self.second[rows], self.topic[rows] - begin, end - begin)
            begin = end


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of correlation; `compute(paired)` returns one value per pair of orderings."""

    name: str
    title: str
    symmetric: bool
    compute: Callable[[Paired], Floats]

    def __call__(self, paired: Paired) -> Floats:
        return np.concatenate([self.compute(chunk) for chunk in paired.chunks()] or [np.empty(0)])


COEFFICIENTS: dict[str, Coefficient] = {}


def coefficient(
    name: str, title: str, symmetric: bool = True
) -> Callable[[Callable[[Paired], Floats]], Callable[[Paired], Floats]]:
    def register(compute: Callable[[Paired], Floats]) -> Callable[[Paired], Floats]:
        COEFFICIENTS[name] = Coefficient(name, title, symmetric, compute)
        return compute

    return register


@coefficient("pearson", "Pearson's r of the scores")
def pearson(paired: Paired) -> Floats:
    """Covariance over the product of the standard deviations. NaN if one side's scores are all equal.

    Source: Pearson, Proceedings of the Royal Society 58, 1895.

    >>> pearson(Paired([1, 2, 3], [1, 2, 6])).round(4).tolist()
    [0.9449]
    """
    first, second = deviations(paired, paired.first), deviations(paired, paired.second)
    varies = ~(all_equal(paired, paired.first) | all_equal(paired, paired.second))
    spread = np.sqrt(paired.sums(first**2)) * np.sqrt(paired.sums(second**2))
    return np.clip(ratio(paired.sums(first * second), np.where(varies, spread, 0)), -1, 1)


@coefficient("spearman", "Spearman's ρ")
def spearman(paired: Paired) -> Floats:
    """Pearson's r of the ranks; tied things share the mean of theirs. Without ties 1 − 6 Σd² / (K (K² − 1)).

    NaN where one side ties everything. Source: Spearman, American Journal of Psychology 15, 1904.

    >>> spearman(Paired(range(1, 11), [2, 3, 1, 5, 4, 7, 8, 10, 6, 9])).round(6).tolist()
    [0.854545]
    """
    return pearson(
        Paired(mid_ranks(paired, paired.above_first), mid_ranks(paired, paired.above_second), paired.topic, paired.size)
    )


@coefficient("footrule", "Spearman's footrule, as a coefficient")
def footrule(paired: Paired) -> Floats:
    """1 − 2 Σ|d| / ⌊K²/2⌋, whose denominator is the largest Σ|d|; tied things share the mean of their ranks.

    0 where one side ties everything. Sources: Spearman, British Journal of Psychology 2, 1906; Diaconis and Graham, Spearman's
    footrule as a measure of disarray, Journal of the Royal Statistical Society B 39, 1977.

    >>> footrule(Paired(range(1, 11), [2, 3, 1, 5, 4, 7, 8, 10, 6, 9])).round(2).tolist()  # Σ|d| = 14 of at most 50
    [0.44]
    """
    apart = np.abs(mid_ranks(paired, paired.above_first) - mid_ranks(paired, paired.above_second))
    return 1 - 2 * ratio(paired.sums(apart), paired.n**2 // 2)


@coefficient("kendall", "Kendall's τ (τ_a: ties count half)")
def kendall(paired: Paired) -> Floats:
    """τ = 1 − 2Δ / (K (K − 1)), where Δ counts discordant pairs in both orders: (concordant − discordant) / all pairs.

    A pair tied in either ordering is neither (τ_a); this is the mean of τ over all orders of tied things, 0 if all are tied.
    Source: Kendall, A new measure of rank correlation, Biometrika 30, 1938.

    >>> kendall(Paired(range(1, 11), [2, 3, 1, 5, 4, 7, 8, 10, 6, 9])).round(4).tolist()
    [0.6889]
    """
    return ratio(surplus(paired), paired.n * (paired.n - 1) / 2)


@coefficient("kendall_b", "Kendall's τ_b (corrected for ties)")
def kendall_b(paired: Paired) -> Floats:
    """(concordant − discordant) / √(pairs not tied in the first × pairs not tied in the second).

    NaN where one side ties everything. Source: Kendall, The treatment of ties in ranking problems, Biometrika 33, 1945.

    >>> kendall_b(Paired([1, 2, 2, 3], [1, 2, 3, 4])).round(4).tolist()
    [0.9129]
    """
    untied = np.sqrt(paired.sums(paired.above_first) * paired.sums(paired.above_second))
    return np.clip(ratio(surplus(paired), untied), -1, 1)


@coefficient("tau_ap", "τ_AP, the first being the truth (ties: mean over their orders)", symmetric=False)
def tau_ap(paired: Paired) -> Floats:
    """2 / (K − 1) · Σ C(i) / (i − 1) − 1 over ranks i ≥ 2 of the second ordering; C(i) things are above it in both.

    The first ordering is the truth. Ties count as the mean over all orders of tied things; for ties in the second alone this is
    Urbano and Marrero's τ_AP,a. 0 if all things are tied. Source: Yilmaz, Aslam and Robertson, A new rank correlation
    coefficient for information retrieval, SIGIR 2008.

    >>> tau_ap(Paired([4, 3, 2, 1], [3, 4, 2, 1])).round(4).tolist()
    [0.3333]
    """
    walked = paired.turned()
    concordant, discordant = concordant_above(walked), discordant_above(walked)
    start = walked.starts[concordant.topic]
    place = np.arange(len(start)) - start
    weight = mean_in_ties(start + concordant.above, np.divide(1.0, place, out=np.zeros(len(place)), where=place > 0))
    return ratio(walked.sums((concordant.agreeing - discordant.agreeing) * weight), walked.n - 1)


@coefficient("tau_ap_b", "τ_AP,b, neither being the truth (Urbano & Marrero's ties)")
def tau_ap_b(paired: Paired) -> Floats:
    """The mean of τ_AP in both directions, each over the things below the first tie; tied things share the best rank.

    A pair tied only in the other ordering is not concordant. 1 for equal orderings, ties included; NaN if one side ties all
    things. Source: Urbano and Marrero, The treatment of ties in AP correlation, ICTIR 2017.

    >>> first, second = [0.7, 0.4, 0.3, 0.1, 0.6, 0.2, 0.9, 0.8, 0.1, 0.5], [0.5, 0.7, 0.3, 0.1, 0.1, 0.6, 0.9, 0.2, 0.4, 0.8]
    >>> tau_ap_b(Paired(first, second)).round(6).tolist()  # ircor, the authors' package, prints the same
    [0.339418]
    """
    return (one_way(paired) + one_way(paired.turned())) / 2


def one_way(walked: Paired) -> Floats:
    """τ_AP,b in one direction: down the first ordering, compared with the second."""
    walk = concordant_above(walked)
    below_the_top = walk.above > 0
    shares = ratio(walk.agreeing, walk.above)
    return 2 * ratio(walked.sums(shares, below_the_top), walked.count(below_the_top)) - 1


def ratio(above: NDArray, below: NDArray) -> Floats:
    """above / below, elementwise; NaN where the denominator is 0."""
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=np.asarray(below) > 0)


def deviations(paired: Paired, scores: Floats) -> Floats:
    """Scores minus the mean of their ordering."""
    return scores - ratio(paired.sums(scores), paired.n)[paired.topic]


def all_equal(paired: Paired, scores: Floats) -> NDArray[np.bool_]:
    lowest, highest = np.full(len(paired), np.inf), np.full(len(paired), -np.inf)
    np.minimum.at(lowest, paired.topic, scores)
    np.maximum.at(highest, paired.topic, scores)
    return lowest >= highest


def mid_ranks(paired: Paired, above: Ints) -> Floats:
    """Ranks from 1; tied things share the mean of their ranks."""
    return (
        above
        + (np.bincount(paired.starts[paired.topic] + above, minlength=len(above))[paired.starts[paired.topic] + above] + 1) / 2
    )


def mean_in_ties(tie: Ints, values: Floats) -> Floats:
    return np.bincount(tie, values)[tie] / np.bincount(tie)[tie] if len(tie) else values


class Walk(NamedTuple):
    """Things in the order of the first ordering, by topic: how many are above each there, and how many of these agree."""

    topic: Ints
    above: Ints
    agreeing: Ints


def surplus(paired: Paired) -> Floats:
    """The number of concordant pairs minus that of discordant pairs."""
    concordant, discordant = concordant_above(paired), discordant_above(paired)
    return paired.sums(concordant.agreeing - discordant.agreeing)


def concordant_above(paired: Paired) -> Walk:
    """For each thing, the things above it in the first ordering, and how many of them are above it in the second, too."""
    # Things tied in the first are sorted from the worst in the second to the best, so that none counts as above.
    topic, above, below_second = sorted_by(paired, -paired.above_second)
    return Walk(topic, above, smaller_before(topic, -below_second))


def discordant_above(paired: Paired) -> Walk:
    """For each thing, the things above it in the first ordering, and how many of them are below it in the second."""
    if not paired.second_has_ties:
        walk = concordant_above(paired)
        return Walk(walk.topic, walk.above, walk.above - walk.agreeing)
    topic, above, above_second = sorted_by(paired, paired.above_second)
    return Walk(topic, above, smaller_before(topic, -above_second))


def sorted_by(paired: Paired, then_by: Ints) -> tuple[Ints, Ints, Ints]:
    """Topics, things above in the first ordering and `then_by`, sorted by these three as a single number, which is fast."""
    bits = len(then_by).bit_length()
    size = 1 << bits
    keys = np.sort(((paired.topic << bits | paired.above_first) << bits + 1) | then_by + size)
    return keys >> 2 * bits + 1, keys >> bits + 1 & size - 1, (keys & 2 * size - 1) - size


def smaller_before(topic: Ints, values: Ints) -> Ints:
    """For each value, how many values before it in its topic (ascending) are smaller.

    Values are compared bit by bit from the highest. Values that agree in all higher bits stand together, in their order. Among
    them, a 0 before a 1 is smaller. Takes n log n sums.

    >>> smaller_before(np.array([0, 0, 0, 1, 1]), np.array([1, 3, 2, 5, 9])).tolist()
    [0, 1, 1, 0, 1]
    """
    values = values - values.min(initial=0)
    counts, order, places = np.zeros(len(values), np.int64), np.arange(len(values)), np.arange(len(values))
    bits = int(values.max(initial=0)).bit_length()
    key = topic << bits | values
    for bit in reversed(range(bits)):
        is_one = key >> bit & 1
        block = key >> bit + 1
        start = np.maximum.accumulate(places * np.append(True, block[1:] != block[:-1]))
        zeros = np.cumsum(1 - is_one) - (1 - is_one)
        zeros -= zeros[start]
        counts[order] += zeros * is_one
        in_block = np.bincount(start, 1 - is_one, minlength=len(start)).astype(np.int64)[start]
        place = np.where(is_one, in_block + places - zeros, start + zeros)
        order[place], key[place] = order.copy(), key.copy()
    return counts
