"""Search length: how far down a reader must go to find the documents that they want."""

import numpy as np

from ireval.arrays import Floats
from ireval.measures.rankings import Rankings
from ireval.measures.registry import DEEPEST, NEEDED_CUTOFF, REL, Parameter, measure

WANTED = Parameter("n", "how many relevant documents the reader wants", int, 1, DEEPEST, 1)


@measure(
    "SL",
    title="Search length",
    formula="SL@k = rank of the n-th relevant document; k + 1 if it is not among the first k",
    citation="Cooper: Expected search length, American Documentation 19(1), 1968",
    looks_at="rank",
    gains="binary",
    degenerate="k + 1, the worst, where fewer than n relevant documents are among the first k, or exist at all",
    at=NEEDED_CUTOFF,
    parameters=(WANTED, REL),
    aliases=("SearchLength",),
    range=(1, DEEPEST + 1),
    better="lower",
)
def search_length(rankings: Rankings, *, cutoff: int, n: int, rel: int) -> Floats:
    """For a known item (n = 1, one relevant document) the rank of the answer, of which RR is the reciprocal.

    Cooper counts only the non-relevant documents read, n fewer, and takes the mean over all orders of tied documents. Here ties
    are in the evaluation's order; its `ties` gives both extremes. He does not define the length of a search that finds too few
    documents. k + 1 is the least that it cost, and a run cannot gain by retrieving less.

    >>> from ireval.measures.rankings import ranking
    >>> search_length(ranking([0, None, 1, 1]), cutoff=10, n=1, rel=1).tolist()
    [3.0]
    >>> search_length(ranking([0, None, 1, 1]), cutoff=3, n=2, rel=1).tolist()
    [4.0]
    """
    relevant = rankings.relevant(rel)
    length = np.full(len(rankings), cutoff + 1.0)
    nth = (relevant.number == n) & (relevant.rank <= cutoff)
    length[relevant.topic[nth]] = relevant.rank[nth]
    return length
