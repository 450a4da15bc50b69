"""Binary preference: how often judged relevant documents come before judged non-relevant ones."""

import numpy as np

from ..rankings import Floats, Rankings
from ..registry import REL, measure
from .shares import share


@measure(
    "Bpref",
    title="Binary preference",
    formula="bpref = 1/R · Σ over relevant documents retrieved of 1 − min(non-relevant above it, R) / min(N, R)",
    citation="Buckley and Voorhees: Retrieval evaluation with incomplete information, SIGIR 2004, as corrected in trec_eval 8",
    looks_at="rank",
    gains="binary",
    degenerate="0 without relevant documents; unjudged documents and grades below 0 are passed over, as in trec_eval",
    parameters=(REL,),
    trec="bpref",
)
def bpref(rankings: Rankings, *, rel: int) -> Floats:
    """N is the number of documents judged non-relevant.

    >>> from metrics.engine.rankings import ranking
    >>> bpref(ranking([1, 0, None, 1, 0], missed=[1]), rel=1).tolist()
    [0.5]
    """
    relevant = rankings.relevant(rel)
    total = relevant.total[relevant.topic]
    compared = np.minimum(relevant.nonrelevant_total[relevant.topic], total)
    lost = np.minimum(relevant.nonrelevant_above, total)
    return share(relevant.sums(1 - share(lost, compared)), relevant.total)
