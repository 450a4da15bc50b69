"""Binary preference: how often judged relevant documents come before judged non-relevant ones; and its geometric mean."""

import numpy as np

from ireval.arrays import Floats, share
from ireval.measures.average_precision import FLOOR
from ireval.measures.rankings import Rankings
from ireval.measures.registry import REL, measure


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

    >>> from ireval.measures.rankings import ranking
    >>> bpref(ranking([1, 0, None, 1, 0], missed=[1]), rel=1).tolist()
    [0.5]
    """
    relevant = rankings.relevant(rel)
    total = relevant.total[relevant.topic]
    compared = np.minimum(relevant.nonrelevant_total[relevant.topic], total)
    lost = np.minimum(relevant.nonrelevant_above, total)
    return share(relevant.sums(1 - share(lost, compared)), relevant.total)


@measure(
    "GBpref",
    title="Binary preference, geometric mean",
    formula="GBpref = (Π over topics of max(bpref, 10⁻⁵))^(1/n)",
    citation="Robertson: On GMAP, and other transformations, CIKM 2006",
    looks_at="rank",
    gains="binary",
    degenerate="a topic on which bpref is 0 counts as 10⁻⁵",
    parameters=(REL,),
    trec="gm_bpref",
    aggregate="geometric mean",
    only_over_all=True,
)
def floored_bpref(rankings: Rankings, *, rel: int) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> floored_bpref(ranking([0], missed=[1]), rel=1).tolist()
    [1e-05]
    """
    return np.maximum(bpref(rankings, rel=rel), FLOOR)
