"""Accuracy: how often a relevant document stands above one that is not."""

import numpy as np

from ireval.arrays import Floats, share
from ireval.measures.rankings import Rankings
from ireval.measures.registry import CUTOFF, REL, measure


@measure(
    "Accuracy",
    title="Pairs in the right order",
    formula="Accuracy = pairs of a relevant and another document retrieved of which the relevant one is higher / all such pairs",
    citation="MacAvaney, Macdonald and Ounis: Streamlining evaluation with ir-measures, ECIR 2022",
    looks_at="rank",
    gains="binary",
    degenerate="0 if nothing relevant was retrieved (ir_measures leaves such topics out), else 1 if nothing else was",
    at=CUTOFF,
    parameters=(REL,),
)
def accuracy(rankings: Rankings, *, cutoff: int | None, rel: int) -> Floats:
    """Documents below the cutoff, and relevant ones that were not retrieved, do not count; AUC counts them.

    >>> from ireval.measures.rankings import ranking
    >>> accuracy(ranking([1, None, 1, 0]), cutoff=None, rel=1).tolist()
    [0.75]
    """
    relevant = rankings.relevant(rel)
    shown = np.minimum(rankings.retrieved, cutoff) if cutoff else rankings.retrieved
    chosen = relevant.rank <= shown[relevant.topic]
    good = relevant.count(chosen)
    pairs = good * (shown - good)
    wrong = relevant.sums((relevant.rank - relevant.number).astype(np.float64), chosen)
    return np.where(pairs > 0, 1 - share(wrong, np.maximum(pairs, 1)), (good > 0).astype(np.float64))
