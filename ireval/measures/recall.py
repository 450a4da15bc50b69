"""Recall: the share of relevant documents that was shown; and success, whether any was."""

import numpy as np

from ireval.arrays import Floats, share
from ireval.measures.rankings import Rankings
from ireval.measures.registry import NEEDED_CUTOFF, REL, USUAL_CUTOFFS, measure


@measure(
    "R",
    title="Recall at k",
    formula="R@k = relevant documents among the first k / R",
    citation="Cleverdon, Mills and Keen: Factors determining the performance of indexing systems, 1966",
    looks_at="set",
    gains="binary",
    degenerate="0 without relevant documents",
    at=NEEDED_CUTOFF,
    parameters=(REL,),
    aliases=("Recall",),
    trec_at="recall",
    trec_values=USUAL_CUTOFFS,
)
def recall(rankings: Rankings, *, cutoff: int, rel: int) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> recall(ranking([1, 0, 1], missed=[1, 1]), cutoff=2, rel=1).tolist()
    [0.25]
    """
    relevant = rankings.relevant(rel)
    return share(relevant.count(relevant.rank <= cutoff), relevant.total)


@measure(
    "Success",
    title="Success at k",
    formula="Success@k = 1 if a relevant document is among the first k, else 0",
    citation="Text REtrieval Conference, trec_eval",
    looks_at="set",
    gains="binary",
    degenerate="0 without relevant documents",
    at=NEEDED_CUTOFF,
    parameters=(REL,),
    aliases=("Hit", "Hits", "HitRate"),
    trec_at="success",
    trec_values=(1, 5, 10),
)
def success(rankings: Rankings, *, cutoff: int, rel: int) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> success(ranking([0, 1]), cutoff=1, rel=1).tolist()
    [0.0]
    """
    relevant = rankings.relevant(rel)
    return (relevant.count(relevant.rank <= cutoff) > 0).astype(np.float64)
