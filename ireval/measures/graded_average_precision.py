"""Graded average precision: for readers who differ in the lowest grade that is relevant to them."""

import numpy as np

from ireval.arrays import Floats, share
from ireval.measures.rankings import Rankings
from ireval.measures.registry import CUTOFF, REL, Pairs, Parameter, measure

G = Parameter(
    "g",
    "how likely a reader is to ask for at least each of these grades; if not given, all from the lowest relevant one up alike",
    dict,
    0,
    1,
)


@measure(
    "GAP",
    title="Graded average precision",
    formula="GAP = Σⱼ gⱼ · Rⱼ · APⱼ / Σⱼ gⱼ · Rⱼ, where documents of grade j and up are relevant to Rⱼ and APⱼ",
    citation="Robertson, Kanoulas and Yilmaz: Extending average precision to graded relevance judgments, SIGIR 2010",
    looks_at="rank",
    gains="graded",
    degenerate="0 without relevant documents; AP where there is one relevant grade",
    at=CUTOFF,
    parameters=(G, REL),
)
def graded_average_precision(rankings: Rankings, *, cutoff: int | None, g: Pairs | None, rel: int) -> Floats:
    """The paper sums over pairs of documents; summing over the grade that a reader asks for first gives the same.

    Without `g` all readers are equally likely and the chances cancel out, so the highest grade need not be known.

    >>> from ireval.measures.rankings import ranking
    >>> graded_average_precision(ranking([1, 2]), cutoff=None, g=None, rel=1).round(4).tolist()
    [0.8333]
    >>> graded_average_precision(ranking([1, 2]), cutoff=None, g=((1, 0.25), (2, 0.75)), rel=1).tolist()
    [0.7]
    """
    reached, possible = np.zeros(len(rankings)), np.zeros(len(rankings))
    for grade, chance in g or equal_chances(rankings, rel):
        relevant = rankings.relevant(grade)
        shown = relevant.rank <= cutoff if cutoff else slice(None)
        reached += chance * relevant.sums(relevant.number / relevant.rank, shown)
        possible += chance * relevant.total
    return share(reached, possible)


def equal_chances(rankings: Rankings, rel: int) -> Pairs:
    """Each relevant grade, with the number of whole-number thresholds from `rel` that it is the first to reach.

    >>> from ireval.measures.rankings import ranking
    >>> equal_chances(ranking([0, 1, 4]), rel=1)
    ((1, 1.0), (4, 3.0))
    """
    grades = np.unique(rankings.qrels.grade)
    passing = grades[grades >= rel]
    return tuple(zip(passing.tolist(), np.diff(passing, prepend=rel - 1).astype(np.float64).tolist(), strict=True))
