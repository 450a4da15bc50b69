"""How much of what was shown has been judged: the first thing to look at when a number surprises."""

import numpy as np

from ..rankings import Floats, Rankings
from ..registry import CUTOFF, measure
from .shares import share


@measure(
    "Judged",
    title="Share judged of the first k",
    formula="Judged@k = judged documents among the first k / documents shown by rank k",
    citation="MacAvaney, Macdonald and Ounis: Streamlining evaluation with ir-measures, ECIR 2022",
    looks_at="set",
    gains="binary",
    degenerate="divides by what was retrieved when that is less than k; 0 if nothing was; grades below 0 are judged",
    at=CUTOFF,
)
def judged(rankings: Rankings, *, cutoff: int | None) -> Floats:
    """
    >>> from metrics.engine.rankings import ranking
    >>> judged(ranking([1, None, 0, 0]), cutoff=2).tolist()
    [0.5]
    """
    if not cutoff:
        return share(rankings.count(rankings.rank > 0), rankings.retrieved)
    return share(rankings.count(rankings.rank <= cutoff), np.minimum(rankings.retrieved, cutoff))
