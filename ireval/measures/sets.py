"""Measures of the retrieved documents as a set: for searches whose result is not ranked, or is read completely."""

from typing import Any

import numpy as np

from ireval.arrays import Floats, share
from ireval.measures.rankings import Rankings
from ireval.measures.registry import DEEPEST, REL, Parameter, measure

BETA = Parameter("beta", "how many times as important recall is as precision", float, 0, DEEPEST, 1)
X = Parameter("x", "trec_eval's parameter, β²; in place of beta", float, 0, DEEPEST)
SET: dict[str, Any] = {"looks_at": "set", "gains": "binary"}


@measure(
    "SetP",
    title="Precision of all that was retrieved",
    formula="SetP = relevant documents retrieved / retrieved documents",
    citation="van Rijsbergen: Information retrieval, 1979, chapter 7",
    degenerate="0 if nothing was retrieved, and without relevant documents",
    parameters=(REL,),
    trec="set_P",
    **SET,
)
def set_precision(rankings: Rankings, *, rel: int) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> set_precision(ranking([1, 0, None, 1], missed=[1]), rel=1).tolist()
    [0.5]
    """
    return share(rankings.relevant(rel).count(), rankings.retrieved)


@measure(
    "SetR",
    title="Recall of all that was retrieved",
    formula="SetR = relevant documents retrieved / R",
    citation="van Rijsbergen: Information retrieval, 1979, chapter 7",
    degenerate="0 without relevant documents",
    parameters=(REL,),
    trec="set_recall",
    **SET,
)
def set_recall(rankings: Rankings, *, rel: int) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> set_recall(ranking([1, 0, None, 1], missed=[1, 1]), rel=1).tolist()
    [0.5]
    """
    relevant = rankings.relevant(rel)
    return share(relevant.count(), relevant.total)


@measure(
    "SetF",
    title="F of all that was retrieved",
    formula="SetF = (1 + β²) · SetP · SetR / (β² · SetP + SetR)",
    citation="van Rijsbergen: Information retrieval, 1979, chapter 7",
    degenerate="0 if nothing relevant was retrieved",
    parameters=(BETA, X, REL),
    trec="set_F",
    trec_parameters=("x",),
    **SET,
)
def set_f(rankings: Rankings, *, beta: float, x: float | None, rel: int) -> Floats:
    """Here SetF(beta=2) is F₂ and SetF(x=4) the same by trec_eval's parameter.

    trec_eval calls its parameter the importance of recall, but uses it as β². So does ir_measures, which passes its beta to
    trec_eval.

    >>> from ireval.measures.rankings import ranking
    >>> set_f(ranking([1, 0, None, 1], missed=[1, 1]), beta=1, x=None, rel=1).tolist()
    [0.5]
    """
    return f_of(set_precision(rankings, rel=rel), set_recall(rankings, rel=rel), beta**2 if x is None else x)


@measure(
    "SetAP",
    title="Average precision of all that was retrieved",
    formula="SetAP = SetP · SetR",
    citation="Buckley: trec_eval, set_map (exact_unranked_avg_prec before release 9)",
    degenerate="0 if nothing relevant was retrieved",
    parameters=(REL,),
    trec="set_map",
    **SET,
)
def set_average_precision(rankings: Rankings, *, rel: int) -> Floats:
    """Every relevant document retrieved has the precision of the whole set, every other relevant document 0.

    >>> from ireval.measures.rankings import ranking
    >>> set_average_precision(ranking([1, 0, None, 1], missed=[1, 1]), rel=1).tolist()
    [0.25]
    """
    return set_precision(rankings, rel=rel) * set_recall(rankings, rel=rel)


@measure(
    "SetRelP",
    title="Relative precision of all that was retrieved",
    formula="SetRelP = relevant documents retrieved / min(R, retrieved documents)",
    citation="Buckley: trec_eval, set_relative_P (exact_relative_prec before release 9)",
    degenerate="0 if nothing was retrieved, and without relevant documents",
    parameters=(REL,),
    trec="set_relative_P",
    **SET,
)
def set_relative_precision(rankings: Rankings, *, rel: int) -> Floats:
    """Precision as a share of the highest that a set of this size can have.

    >>> from ireval.measures.rankings import ranking
    >>> set_relative_precision(ranking([1, 0, None, 1], missed=[1, 1]), rel=1).tolist()
    [0.5]
    """
    relevant = rankings.relevant(rel)
    return share(relevant.count(), np.minimum(rankings.retrieved, relevant.total))


def f_of(precision: Floats, recall: Floats, weight: float) -> Floats:
    """The harmonic mean of precision and recall, with the weight `weight` (β²) on recall; 0 where both are.

    >>> f_of(np.array([0.5, 0.0]), np.array([1.0, 0.0]), 1).round(4).tolist()
    [0.6667, 0.0]
    """
    return share((1 + weight) * precision * recall, weight * precision + recall)
