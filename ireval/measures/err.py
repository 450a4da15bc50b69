"""Expected reciprocal rank: of a reader who goes down the list until a document satisfies them."""

import numpy as np

from ireval.arrays import Floats, Ints
from ireval.measures.rankings import ALL, Rankings
from ireval.measures.registry import CUTOFF, Parameter, measure

MAX_REL = Parameter("max_rel", "the highest grade of the scale; if not given, the highest in the qrels", int, 1, 127)


@measure(
    "ERR",
    title="Expected reciprocal rank",
    formula="ERR = Σ 1/i · s(i) · Π over j < i of (1 − s(j)); s = (2^grade − 1) / 2^highest grade",
    citation="Chapelle, Metzler, Zhang and Grinspan: Expected reciprocal rank for graded relevance, CIKM 2009",
    looks_at="rank",
    gains="graded",
    degenerate="0 without a grade above 0; unjudged documents satisfy nobody; grades above max_rel count as max_rel",
    at=CUTOFF,
    parameters=(MAX_REL,),
)
def expected_reciprocal_rank(rankings: Rankings, *, cutoff: int | None, max_rel: int | None) -> Floats:
    """The chance that a document satisfies depends on the scale: gdeval's highest grade is 4, ERR(max_rel=4) here.

    >>> from ireval.measures.rankings import ranking
    >>> expected_reciprocal_rank(ranking([1, 0, 2]), cutoff=None, max_rel=None).tolist()
    [0.4375]
    >>> expected_reciprocal_rank(ranking([1, 0, 2]), cutoff=2, max_rel=4).tolist()
    [0.0625]
    """
    highest = max_rel or max(rankings.qrels.top_grade, 1)
    satisfied = (np.exp2(np.minimum(rankings.gain, highest)) - 1) / 2.0**highest
    stopped = satisfied * products_before(1 - satisfied, rankings.topic) / rankings.rank
    return rankings.sums(stopped, rankings.rank <= cutoff if cutoff else ALL)


def products_before(factors: Floats, topic: Ints) -> Floats:
    """For each document the product of its topic's factors above it, computed in steps of 1, 2, 4… rows.

    >>> products_before(np.array([0.5, 0.1, 0.2, 0.5]), np.array([0, 0, 0, 1])).tolist()
    [1.0, 0.5, 0.05, 1.0]
    """
    product, reach = factors.copy(), 1
    while reach < len(topic) and (joined := topic[reach:] == topic[:-reach]).any():
        product[reach:] = np.where(joined, product[reach:] * product[:-reach], product[reach:])
        reach *= 2
    before = np.ones(len(topic))
    if len(topic) > 1:
        before[1:] = np.where(topic[1:] == topic[:-1], product[:-1], 1)
    return before
