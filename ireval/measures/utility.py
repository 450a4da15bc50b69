"""Utility: what a result is worth when each document read, and each document missed, has its price."""

import math

from ireval.arrays import Floats
from ireval.measures.rankings import Rankings
from ireval.measures.registry import DEEPEST, REL, Parameter, measure


def price(name: str, what: str, default: float) -> Parameter:
    return Parameter(name, f"what a {what} document is worth", float, -DEEPEST, DEEPEST, default)


A = price("a", "relevant retrieved", 1)
B = price("b", "non-relevant retrieved", -1)
C = price("c", "relevant missed", 0)
D = price("d", "non-relevant missed", 0)
DOCUMENTS = Parameter("documents", "size of the collection (trec_eval -N), needed for d only", int, 0, DEEPEST, 0)


@measure(
    "Utility",
    title="Linear utility",
    formula="Utility = a · relevant retrieved + b · non-relevant retrieved + c · relevant missed + d · non-relevant missed",
    citation="Lewis: The TREC-4 filtering track, 1996; the weights are trec_eval's",
    looks_at="set",
    gains="binary",
    degenerate="unjudged documents are non-relevant; 0 with trec_eval's weights if nothing was retrieved",
    parameters=(A, B, C, D, DOCUMENTS, REL),
    trec="utility",
    trec_parameters=("a", "b", "c", "d"),
    range=(-math.inf, math.inf),
)
def utility(rankings: Rankings, *, a: float, b: float, c: float, d: float, documents: int, rel: int) -> Floats:
    """Averaged over topics, as in trec_eval, although one might want the sum.

    >>> from ireval.measures.rankings import ranking
    >>> utility(ranking([1, 0, None], missed=[1]), a=2, b=-1, c=-1.0, d=0, documents=0, rel=1).tolist()
    [-1.0]
    """
    relevant = rankings.relevant(rel)
    relevant_retrieved = relevant.count()
    missed = relevant.total - relevant_retrieved
    wrong = rankings.retrieved - relevant_retrieved
    return a * relevant_retrieved + b * wrong + c * missed + d * (documents - relevant_retrieved - wrong - missed)
