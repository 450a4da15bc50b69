"""Measures that add up over documents: Σ weight(rank) · gain(grade), as it is or divided by the best such sum."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ireval.arrays import Floats, Ints
from ireval.io.arguments import require_numbers
from ireval.measures.cwl import DEPTH
from ireval.measures.gains import GainModel
from ireval.measures.rankings import log_discount
from ireval.measures.registry import BadMeasure, Measure

Values = dict[str, Any]


@dataclass(frozen=True)
class Additive:
    """One such measure on a scale of grades from 0 to G.

    `weigh` turns ranks from 1 on into weights; ranks below `depth` count nothing. `gain` (G + 1,) is what each grade gains: grade
    0 nothing, a higher grade no less than a lower one. `ideal` turns numbers n of documents into the largest sum of weights that
    n documents can have; None for a measure without denominator.
    """

    depth: int | None
    weigh: Callable[[Ints], Floats]
    gain: Floats
    ideal: Callable[[Ints], Floats] | None = None

    def weights(self, rank: NDArray) -> Floats:
        """Weights of the ranks, in their shape; 0 for rank 0, which stands for no rank."""
        shown = (rank > 0) & (rank <= self.depth) if self.depth else rank > 0
        table = np.zeros(rank.shape)
        table[shown] = self.weigh(rank[shown].astype(np.int64))
        return table

    def gains(self, grade: Ints) -> Floats:
        """Gains of grades; those below 0 gain nothing."""
        return self.gain[np.maximum(grade, 0)]

    @property
    def levels(self) -> Ints:
        """The grades that gain more than the grade below: by each such step, gains are a sum of relevant-or-not."""
        return np.flatnonzero(np.diff(self.gain) > 0) + 1

    @property
    def steps(self) -> Floats:
        """How much more these grades gain than the grade below."""
        return np.diff(self.gain)[self.levels - 1]


def additive(measure: Measure, top_grade: int, relevant_from: int = 1) -> Additive:
    """The measure as a sum over documents, on grades from 0 to `top_grade`; `relevant_from` as in evaluate.

    RBP and SDCG without max_rel take `top_grade` for the highest grade. Raises BadMeasure for a measure that is no such sum. Also
    for gains that fall as grades rise or that are not 0 for grade 0 and below.

    >>> from ireval.measures.registry import MEASURES
    >>> dcg = additive(MEASURES["DCG"](cutoff=2), top_grade=2)
    >>> dcg.weights(np.array([1, 3, 0])).tolist(), dcg.gains(np.array([-1, 0, 2])).tolist(), dcg.ideal is None
    ([1.0, 0.0, 0.0], [0.0, 0.0, 2.0], True)
    """
    require_numbers(relevant_from=relevant_from)
    values = measure.values
    if measure.kind.name not in FAMILIES or values["judged_only"] or values.get("average") == "micro":
        raise BadMeasure(f"{measure} does not add up over documents; expected a mean over topics of {', '.join(FAMILIES)}")
    if measure.kind.name in BINARY and values["rel"] is None:
        values = {**values, "rel": relevant_from}
    result = FAMILIES[measure.kind.name](values, np.arange(top_grade + 1))
    below = [worth for grade, worth in values.get("gains") or () if grade < 0]
    if result.gain[0] != 0 or any(below) or (np.diff(result.gain) < 0).any():
        raise BadMeasure(f"{measure} has gains of grade 0 or below, or that fall as grades rise; what is open has no bounds then")
    return result


def precision(values: Values, grade: Ints) -> Additive:
    cutoff = values["cutoff"]
    return Additive(cutoff, lambda rank: np.full(len(rank), 1 / cutoff), (grade >= values["rel"]).astype(float))


def recall(values: Values, grade: Ints) -> Additive:
    return Additive(values["cutoff"], ones, (grade >= values["rel"]).astype(float), lambda n: n.astype(float))


def relative_precision(values: Values, grade: Ints) -> Additive:
    cutoff = values["cutoff"]
    return Additive(cutoff, ones, (grade >= values["rel"]).astype(float), lambda n: np.minimum(n, cutoff).astype(float))


def cumulated(values: Values, grade: Ints) -> Additive:
    model = model_of(values)
    return Additive(values["cutoff"], model.discount, model.gain(grade))


def normalised(values: Values, grade: Ints) -> Additive:
    model, cutoff = model_of(values), values["cutoff"]

    def ideal(n: Ints) -> Floats:
        longest = int(n.max(initial=0)) if cutoff is None else cutoff
        best = np.concatenate(([0.0], np.cumsum(model.discount(np.arange(1, longest + 1)))))
        return best[np.minimum(n, longest)]

    return Additive(cutoff, model.discount, model.gain(grade), ideal)


def rank_biased_precision(values: Values, grade: Ints) -> Additive:
    p, rel = values["p"], values["rel"]
    gain = (grade >= rel).astype(float) if rel is not None else np.minimum(grade / (values["max_rel"] or grade.max(initial=1)), 1)
    return Additive(values["cutoff"], lambda rank: (1 - p) * p ** (rank - 1.0), gain)


def scaled(values: Values, grade: Ints) -> Additive:
    low, deepest = values["min_rel"], min(values["cutoff"], DEPTH)
    gain = np.clip((grade - low) / max((values["max_rel"] or grade.max(initial=1)) - low, 1), 0, 1)
    best = log_discount(np.arange(1, deepest + 1)).sum()
    return Additive(deepest, lambda rank: log_discount(rank) / best, gain)


def ones(rank: Ints) -> Floats:
    return np.ones(len(rank))


def model_of(values: Values) -> GainModel:
    return GainModel(values.get("dcg", "none"), values.get("base", 2), values["gains"])


FAMILIES: dict[str, Callable[[Values, Ints], Additive]] = {
    "P": precision,
    "CG": cumulated,
    "DCG": cumulated,
    "RBP": rank_biased_precision,
    "SDCG": scaled,
    "R": recall,
    "RelP": relative_precision,
    "nCG": normalised,
    "nDCG": normalised,
}
# Those whose lowest relevant grade is the evaluation's if they name none.
BINARY = ("P", "R", "RelP")
