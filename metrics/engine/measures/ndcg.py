"""Discounted cumulative gain, normalised by the best that could be reached."""

import numpy as np

from ..rankings import Floats, Rankings
from ..registry import CUTOFF, USUAL_CUTOFFS, measure
from .shares import share


@measure(
    "nDCG",
    title="Normalised discounted cumulative gain",
    formula="nDCG = DCG / ideal DCG; DCG = Σ gain(i) / log₂(i + 1), gain = grade",
    citation="Järvelin and Kekäläinen: Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002",
    looks_at="rank",
    gains="graded",
    degenerate="0 for a topic without a grade above 0; grades below 0 gain nothing; ignores the lowest relevant grade",
    at=CUTOFF,
    aliases=("NDCG",),
    trec="ndcg",
    trec_at="ndcg_cut",
    trec_values=USUAL_CUTOFFS,
)
def ndcg(rankings: Rankings, *, cutoff: int | None) -> Floats:
    """With a cutoff both sums end there; without one the ideal is that of all judged documents, however few were retrieved.

    The discount is trec_eval's and Burges's, log₂(i + 1), not the original one, which leaves ranks 1 and 2 alike.

    >>> from metrics.engine.rankings import ranking
    >>> ndcg(ranking([2, 1, 2, 0]), cutoff=None).round(4).tolist()
    [0.9652]
    """
    ideal = rankings.qrels
    shown = rankings.rank <= cutoff if cutoff else slice(None)
    possible = ideal.position <= cutoff if cutoff else slice(None)
    reached = rankings.sums(rankings.gain * rankings.discount, shown)
    best = ideal.sums(np.maximum(ideal.grade, 0) * ideal.discount, possible)
    return share(reached, best)
