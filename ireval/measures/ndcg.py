"""Cumulated gain, discounted or not, and normalised by the best that could be reached."""

from typing import Any

from ireval.arrays import Floats, Ints, share
from ireval.measures.gains import BASE, DCG, GAINS, NO_GAIN, GainModel
from ireval.measures.rankings import ALL, ByTopic, Rankings
from ireval.measures.registry import AVERAGE, CUTOFF, DEEPEST, USUAL_CUTOFFS, Pairs, measure

GAINED: dict[str, Any] = {
    "citation": "Järvelin and Kekäläinen: Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002; "
    "exp-log2: Burges et al.: Learning to rank using gradient descent, ICML 2005",
    "looks_at": "rank",
    "gains": "graded",
    "degenerate": NO_GAIN,
    "at": CUTOFF,
}
SUM = {**GAINED, "range": (0, DEEPEST)}


@measure("CG", title="Cumulated gain", formula="CG = Σ gain(i)", parameters=(GAINS,), **SUM)
def cumulated_gain(rankings: Rankings, *, cutoff: int | None, gains: Pairs | None) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> cumulated_gain(ranking([2, 0, 1, 1]), cutoff=3, gains=None).tolist()
    [3.0]
    """
    return reached(rankings, GainModel("none", gains=gains), cutoff)


@measure(
    "ICG",
    title="Ideal cumulated gain",
    formula="ICG = CG of all judged documents, from the highest gain down",
    parameters=(GAINS,),
    better="neither",
    **SUM,
)
def ideal_cumulated_gain(rankings: Rankings, *, cutoff: int | None, gains: Pairs | None) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> ideal_cumulated_gain(ranking([2, 0, 1], missed=[3]), cutoff=2, gains=None).tolist()
    [5.0]
    """
    return ideal(rankings, GainModel("none", gains=gains), cutoff)


@measure(
    "nCG",
    title="Normalised cumulated gain",
    formula="nCG = CG / ideal CG",
    parameters=(GAINS, AVERAGE),
    divides_by="ICG",
    **GAINED,
)
def normalised_cumulated_gain(rankings: Rankings, *, cutoff: int | None, gains: Pairs | None) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> normalised_cumulated_gain(ranking([2, 0, 1], missed=[3]), cutoff=2, gains=None).tolist()
    [0.4]
    """
    return normalised(rankings, GainModel("none", gains=gains), cutoff)


@measure(
    "DCG",
    title="Discounted cumulated gain",
    formula="DCG = Σ gain(i) / log₂(i + 1), gain = grade",
    parameters=(DCG, BASE, GAINS),
    **SUM,
)
def discounted_cumulated_gain(rankings: Rankings, *, cutoff: int | None, dcg: str, base: int, gains: Pairs | None) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> discounted_cumulated_gain(ranking([2, 1, 2, 0]), cutoff=None, dcg="jk", base=2, gains=None).round(4).tolist()
    [4.2619]
    """
    return reached(rankings, GainModel(dcg, base, gains), cutoff)


@measure(
    "IDCG",
    title="Ideal discounted cumulated gain",
    formula="IDCG = DCG of all judged documents, from the highest gain down",
    parameters=(DCG, BASE, GAINS),
    better="neither",
    **SUM,
)
def ideal_discounted_cumulated_gain(
    rankings: Rankings, *, cutoff: int | None, dcg: str, base: int, gains: Pairs | None
) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> ideal_discounted_cumulated_gain(ranking([2, 1, 2, 0]), cutoff=None, dcg="jk", base=2, gains=None).round(4).tolist()
    [4.6309]
    """
    return ideal(rankings, GainModel(dcg, base, gains), cutoff)


@measure(
    "nDCG",
    title="Normalised discounted cumulative gain",
    formula="nDCG = DCG / ideal DCG; DCG = Σ gain(i) / log₂(i + 1), gain = grade",
    parameters=(DCG, BASE, GAINS, AVERAGE),
    divides_by="IDCG",
    aliases=("NDCG",),
    trec="ndcg",
    trec_at="ndcg_cut",
    trec_values=USUAL_CUTOFFS,
    **GAINED,
)
def ndcg(rankings: Rankings, *, cutoff: int | None, dcg: str, base: int, gains: Pairs | None) -> Floats:
    """With a cutoff both sums end there; without it the ideal is over all judged documents, however few were retrieved.

    The discount is trec_eval's and Burges's, log₂(i + 1). `dcg` "jk" is the original one, which does not discount rank 2.

    >>> from ireval.measures.rankings import ranking
    >>> ndcg(ranking([2, 1, 2, 0]), cutoff=None, dcg="log2", base=2, gains=None).round(4).tolist()
    [0.9652]
    >>> ndcg(ranking([2, 1, 2, 0]), cutoff=None, dcg="jk", base=2, gains=None).round(4).tolist()
    [0.9203]
    """
    return normalised(rankings, GainModel(dcg, base, gains), cutoff)


def normalised(rankings: Rankings, model: GainModel, cutoff: int | None) -> Floats:
    return share(reached(rankings, model, cutoff), ideal(rankings, model, cutoff))


def reached(rankings: Rankings, model: GainModel, cutoff: int | None) -> Floats:
    return cumulated(rankings, model.reached(rankings), rankings.rank, cutoff)


def ideal(rankings: Rankings, model: GainModel, cutoff: int | None) -> Floats:
    qrels = rankings.qrels
    return qrels.cached(("ideal", model, cutoff), lambda: cumulated(qrels, model.possible(qrels), qrels.position, cutoff))


def cumulated(documents: ByTopic, values: Floats, place: Ints, cutoff: int | None) -> Floats:
    return documents.sums(values, place <= cutoff if cutoff else ALL)
