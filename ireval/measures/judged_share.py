"""The share of documents shown that has been judged: the first thing to look at when a number surprises."""

import numpy as np

from ireval.arrays import Floats, share
from ireval.measures.rankings import Rankings
from ireval.measures.registry import CUTOFF, NEEDED_CUTOFF, measure


@measure(
    "Judged",
    title="Share judged of the first k",
    formula="Judged@k = judged documents among the first k / documents shown by rank k",
    citation="MacAvaney, Macdonald and Ounis: Streamlining evaluation with ir-measures, ECIR 2022",
    looks_at="set",
    gains="binary",
    degenerate="divides by what was retrieved when that is less than k; 0 if nothing was; grades below 0 are judged",
    at=CUTOFF,
    better="neither",
)
def judged(rankings: Rankings, *, cutoff: int | None) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> judged(ranking([1, None, 0, 0]), cutoff=2).tolist()
    [0.5]
    """
    if not cutoff:
        return share(rankings.count(rankings.rank > 0), rankings.retrieved)
    return share(rankings.count(rankings.rank <= cutoff), np.minimum(rankings.retrieved, cutoff))


@measure(
    "Unj",
    title="Unjudged documents at k",
    formula="Unj@k = unjudged documents among the first k / k",
    citation="Soboroff: trec_eval 10, unj",
    looks_at="set",
    gains="binary",
    degenerate="divides by k even when fewer documents were retrieved; grades below 0 are not judged, as in trec_eval",
    at=NEEDED_CUTOFF,
    trec_at="unj",
    trec_values=(5, 10, 20),
    better="neither",
)
def unjudged(rankings: Rankings, *, cutoff: int) -> Floats:
    """Not 1 − Judged@k where fewer than k documents were retrieved or grades are below 0.

    >>> from ireval.measures.rankings import ranking
    >>> unjudged(ranking([1, None, -1]), cutoff=4).tolist()
    [0.5]
    """
    judged = rankings.count((rankings.rank <= cutoff) & (rankings.grade >= 0))
    return (np.minimum(rankings.retrieved, cutoff) - judged) / cutoff
