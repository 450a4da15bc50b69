"""Average precision for readers who differ in how relevant a document must be to be of use to them."""

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

    With readers alike (no `g`) the chances cancel out, so that the highest grade need not be known.

    >>> from ireval.measures.rankings import ranking
    >>> graded_average_precision(ranking([1, 2]), cutoff=None, g=None, rel=1).round(4).tolist()
    [0.8333]
    >>> graded_average_precision(ranking([1, 2]), cutoff=None, g=((1, 0.25), (2, 0.75)), rel=1).tolist()
    [0.7]
    """
    reached, possible = np.zeros(len(rankings)), np.zeros(len(rankings))
    for grade, chance in g or alike(rankings, rel):
        relevant = rankings.relevant(grade)
        shown = relevant.rank <= cutoff if cutoff else slice(None)
        reached += chance * relevant.sums(relevant.number / relevant.rank, shown)
        possible += chance * relevant.total
    return share(reached, possible)


def alike(rankings: Rankings, rel: int) -> Pairs:
    """Each grade that occurs, with the number of thresholds (whole numbers from `rel` up) that it is the first to pass.

    >>> from ireval.measures.rankings import ranking
    >>> alike(ranking([0, 1, 4]), rel=1)
    ((1, 1.0), (4, 3.0))
    """
    grades = np.unique(rankings.qrels.grade)
    passing = grades[grades >= rel]
    return tuple(zip(passing.tolist(), np.diff(passing, prepend=rel - 1).astype(np.float64).tolist(), strict=True))
