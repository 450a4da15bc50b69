"""Average precision, its geometric mean over topics, and Robertson's transformation of it."""

import math

import numpy as np

from ireval.arrays import Floats, share
from ireval.measures.rankings import Rankings
from ireval.measures.registry import CUTOFF, REL, USUAL_CUTOFFS, measure

# trec_eval's floor, so that a topic without a relevant document retrieved does not make the geometric mean zero.
FLOOR = 1e-5


@measure(
    "AP",
    title="Average precision",
    formula="AP = 1/R · Σ over relevant documents retrieved of P@(their rank)",
    citation="Harman: Evaluation issues in information retrieval, Information Processing & Management 28(4), 1992",
    looks_at="rank",
    gains="binary",
    degenerate="0 without relevant documents",
    at=CUTOFF,
    parameters=(REL,),
    aliases=("MAP",),
    trec="map",
    trec_at="map_cut",
    trec_values=USUAL_CUTOFFS,
)
def average_precision(rankings: Rankings, *, cutoff: int | None, rel: int) -> Floats:
    """Divides by all relevant documents, found or not. Its mean over topics is MAP.

    >>> from ireval.measures.rankings import ranking
    >>> average_precision(ranking([1, 0, 1], missed=[1]), cutoff=None, rel=1).round(4).tolist()
    [0.5556]
    """
    relevant = rankings.relevant(rel)
    shown = relevant.rank <= cutoff if cutoff else slice(None)
    return share(relevant.sums(relevant.number / relevant.rank, shown), relevant.total)


@measure(
    "GMAP",
    title="Average precision, geometric mean",
    formula="GMAP = (Π over topics of max(AP, 10⁻⁵))^(1/n)",
    citation="Robertson: On GMAP, and other transformations, CIKM 2006",
    looks_at="rank",
    gains="binary",
    degenerate="a topic on which AP is 0 counts as 10⁻⁵",
    parameters=(REL,),
    trec="gm_map",
    aggregate="geometric mean",
    only_over_all=True,
)
def floored_average_precision(rankings: Rankings, *, rel: int) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> floored_average_precision(ranking([0], missed=[1]), rel=1).tolist()
    [1e-05]
    """
    return np.maximum(average_precision(rankings, cutoff=None, rel=rel), FLOOR)


@measure(
    "YAAP",
    title="Yet another average precision",
    formula="YAAP = ln((1 + R·AP) / (1 + R − R·AP))",
    citation="Robertson: On smoothing average precision, ECIR 2012",
    looks_at="rank",
    gains="binary",
    degenerate="0 without relevant documents, and −ln(1 + R) if none of them was retrieved",
    parameters=(REL,),
    trec="yaap",
    range=(-math.inf, math.inf),
)
def log_odds_average_precision(rankings: Rankings, *, rel: int) -> Floats:
    """Ranks the systems of one topic as AP does, and is smoother to average over topics.

    >>> from ireval.measures.rankings import ranking
    >>> log_odds_average_precision(ranking([1, 0]), rel=1).round(4).tolist()
    [0.6931]
    """
    relevant = rankings.relevant(rel)
    summed = relevant.sums(relevant.number / relevant.rank)
    return np.log((1 + summed) / (1 + relevant.total - summed))
