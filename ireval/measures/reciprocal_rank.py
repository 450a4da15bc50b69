"""Reciprocal rank: how soon the first relevant document comes."""

from ireval.arrays import Floats
from ireval.measures.rankings import Rankings
from ireval.measures.registry import CUTOFF, REL, measure


@measure(
    "RR",
    title="Reciprocal rank",
    formula="RR = 1 / rank of the first relevant document; RR@k is 0 if that rank is beyond k",
    citation="Kantor and Voorhees: The TREC-5 confusion track, Information Retrieval 2, 2000",
    looks_at="rank",
    gains="binary",
    degenerate="0 if no relevant document was retrieved",
    at=CUTOFF,
    parameters=(REL,),
    aliases=("MRR",),
    trec="recip_rank",
)
def reciprocal_rank(rankings: Rankings, *, cutoff: int | None, rel: int) -> Floats:
    """Its mean over topics is MRR.

    >>> from ireval.measures.rankings import ranking
    >>> reciprocal_rank(ranking([0, None, 1, 1]), cutoff=None, rel=1).round(4).tolist()
    [0.3333]
    >>> reciprocal_rank(ranking([0, None, 1, 1]), cutoff=2, rel=1).tolist()
    [0.0]
    """
    relevant = rankings.relevant(rel)
    first = relevant.number == 1
    return relevant.sums(1 / relevant.rank, first & (relevant.rank <= cutoff) if cutoff else first)
