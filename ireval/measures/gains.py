"""Gains: what a document is worth to a reader by its grade, discounted by its rank."""

from dataclasses import dataclass

import numpy as np

from ireval.arrays import Floats, Ints
from ireval.measures.rankings import Qrels, Rankings, log_discount
from ireval.measures.registry import Pairs, Parameter

DCG = Parameter(
    "dcg",
    "log2: gain = grade, over log₂(i + 1); exp-log2: gain = 2^grade − 1, over log₂(i + 1); "
    "jk, the original: gain = grade, over log_base(i) from rank i = base on",
    str,
    default="log2",
    choices=("log2", "exp-log2", "jk"),
)
BASE = Parameter("base", "of jk's logarithm, and the first rank it discounts", int, 2, default=2, only_with=("dcg", "jk"))
GAINS = Parameter("gains", "what documents of a grade gain, as in {1:3.5,2:9}; other grades keep theirs", dict)
NO_GAIN = "0 for a topic without a grade above 0; grades below 0 gain nothing; ignores the lowest relevant grade"


@dataclass(frozen=True)
class GainModel:
    """A way to weigh documents. `dcg` is one of DCG's choices, or "none" for gains that are not discounted.

    >>> GainModel("exp-log2").gain(np.array([-1, 0, 1, 3])).tolist()
    [0.0, 0.0, 1.0, 7.0]
    >>> GainModel(gains=((1, 3.5),)).gain(np.array([0, 1, 2])).tolist()
    [0.0, 3.5, 2.0]
    >>> GainModel("jk").discount(np.array([1, 2, 4])).tolist(), GainModel("log2").discount(np.array([1, 3])).tolist()
    ([1.0, 1.0, 0.5], [1.0, 0.5])
    """

    dcg: str = "log2"
    base: int = 2
    gains: Pairs | None = None

    def gain(self, grade: Ints) -> Floats:
        """Grades below 0 gain nothing, unless `gains` says otherwise."""
        gain = np.maximum(grade, 0).astype(np.float64)
        if self.dcg == "exp-log2":
            gain = np.exp2(gain) - 1
        for level, value in self.gains or ():
            gain[grade == level] = value
        return gain

    def discount(self, rank: Ints) -> Floats:
        if self.dcg == "none":
            return np.ones(len(rank))
        if self.dcg == "jk":
            return np.log2(self.base) / np.log2(np.maximum(rank, self.base))
        return log_discount(rank)

    def reached(self, rankings: Rankings) -> Floats:
        """The discounted gain of each judged document retrieved, in order of `rankings`."""
        return rankings.cached(self, lambda: self.gain(rankings.grade) * self.discount(rankings.rank))

    def possible(self, qrels: Qrels) -> Floats:
        """The discounted gains of each topic's documents in the best order, at places 1, 2, … of `qrels.position`."""
        return qrels.cached(self, lambda: self.best_first(qrels) * self.discount(qrels.position))

    def best_first(self, qrels: Qrels) -> Floats:
        """Gains by topic, in each from the highest down; a grade may gain less than a lower grade."""
        gain = self.gain(qrels.grade)
        return gain[np.lexsort((-gain, qrels.topic))] if self.gains else gain
