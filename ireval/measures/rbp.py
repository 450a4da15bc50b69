"""Rank-biased precision: the gain of a reader who goes on from each document to the next with probability p."""

import numpy as np

from ireval.arrays import Floats
from ireval.measures.rankings import ALL, Rankings
from ireval.measures.registry import CUTOFF, Parameter, measure

P = Parameter("p", "persistence: how likely the reader goes on to the next document", float, 0, 1, 0.8, always_printed=True)
BINARY = Parameter("rel", "lowest relevant grade, which then counts 1; if not given, gain is graded", int, -127, 127)
MAX_REL = Parameter("max_rel", "the grade that gains 1; if not given, the highest in the qrels", int, 1, 127)


@measure(
    "RBP",
    title="Rank-biased precision",
    formula="RBP = (1 − p) · Σ gain(i) · p^(i−1), gain = grade / highest grade, or 0 and 1 when rel is given",
    citation="Moffat and Zobel: Rank-biased precision, ACM TOIS 27(1), 2008",
    looks_at="rank",
    gains="graded",
    degenerate="0 without relevant documents; unjudged documents gain nothing, so it is a lower bound (see RBPResidual)",
    at=CUTOFF,
    parameters=(P, BINARY, MAX_REL),
)
def rank_biased_precision(rankings: Rankings, *, cutoff: int | None, p: float, rel: int | None, max_rel: int | None) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> rank_biased_precision(ranking([2, 0, 1]), cutoff=None, p=0.5, rel=None, max_rel=None).tolist()
    [0.5625]
    >>> rank_biased_precision(ranking([2, 0, 1]), cutoff=None, p=0.5, rel=1, max_rel=None).tolist()
    [0.625]
    """
    if rel is None:
        highest = max_rel or max(rankings.qrels.top_grade, 1)
        gain = np.minimum(rankings.gain / highest, 1)
    else:
        gain = (rankings.grade >= rel).astype(np.float64)
    shown = rankings.rank <= cutoff if cutoff else ALL
    return (1 - p) * rankings.sums(gain * p ** (rankings.rank - 1.0), shown)


@measure(
    "RBPResidual",
    title="Rank-biased precision, residual",
    formula="residual = 1 − (1 − p) · Σ over judged documents of p^(i−1)",
    citation="Moffat and Zobel: Rank-biased precision, ACM TOIS 27(1), 2008",
    looks_at="rank",
    gains="graded",
    degenerate="1 if nothing was retrieved; documents below the end of the ranking, or the cutoff, count as unjudged",
    at=CUTOFF,
    parameters=(P,),
    aliases=("RBP-residual",),
    better="neither",
)
def residual(rankings: Rankings, *, cutoff: int | None, p: float) -> Floats:
    """How much higher RBP could be if every unjudged document had a gain of 1.

    trec_eval's rbp_resid is this with p = 0.9, but 0 where all retrieved documents are judged; grades below 0 are unjudged there.

    >>> from ireval.measures.rankings import ranking
    >>> residual(ranking([1, None, 0]), cutoff=None, p=0.5).tolist()
    [0.375]
    """
    shown = rankings.rank <= cutoff if cutoff else ALL
    return 1 - (1 - p) * rankings.sums(p ** (rankings.rank - 1.0), shown)
