"""Precision: the share of documents shown that is relevant."""

import numpy as np

from ireval.arrays import Floats, share
from ireval.measures.rankings import Rankings
from ireval.measures.registry import DEEPEST, NEEDED_CUTOFF, REL, USUAL_CUTOFFS, Parameter, measure

ELEVEN_POINTS = tuple(tenth / 10 for tenth in range(11))
MULTIPLES = tuple(fifth / 5 for fifth in range(1, 11))
MULTIPLE = Parameter("multiple", "of the number of relevant documents, to look at that many", float, 0, DEEPEST, required=True)
RECALL = Parameter("recall", "the recall at which precision is read off", float, 0, 1, required=True)


@measure(
    "P",
    title="Precision at k",
    formula="P@k = relevant documents among the first k / k",
    citation="Cleverdon, Mills and Keen: Factors determining the performance of indexing systems, 1966",
    looks_at="set",
    gains="binary",
    degenerate="divides by k even when fewer documents were retrieved; 0 without relevant documents",
    at=NEEDED_CUTOFF,
    parameters=(REL,),
    aliases=("Precision", "Prec"),
    trec_at="P",
    trec_values=USUAL_CUTOFFS,
)
def precision(rankings: Rankings, *, cutoff: int, rel: int) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> precision(ranking([1, 0, 1, None]), cutoff=5, rel=1).tolist()
    [0.4]
    """
    relevant = rankings.relevant(rel)
    return relevant.count(relevant.rank <= cutoff) / cutoff


@measure(
    "RelP",
    title="Relative precision at k",
    formula="RelP@k = relevant documents among the first k / min(k, R)",
    citation="Buckley: trec_eval, relative_P",
    looks_at="set",
    gains="binary",
    degenerate="0 without relevant documents",
    at=NEEDED_CUTOFF,
    parameters=(REL,),
    trec_at="relative_P",
    trec_values=USUAL_CUTOFFS,
)
def relative_precision(rankings: Rankings, *, cutoff: int, rel: int) -> Floats:
    """Precision as a share of the highest possible: P@k for k up to R, and R@k beyond.

    >>> from ireval.measures.rankings import ranking
    >>> relative_precision(ranking([1, 0, 1, None]), cutoff=5, rel=1).tolist()
    [1.0]
    """
    relevant = rankings.relevant(rel)
    return share(relevant.count(relevant.rank <= cutoff), np.minimum(relevant.total, cutoff))


@measure(
    "Rprec",
    title="R-precision",
    formula="Rprec = P@R = R@R, R = number of relevant documents",
    citation="Buckley and Voorhees: Retrieval system evaluation, in TREC: Experiment and evaluation, 2005",
    looks_at="set",
    gains="binary",
    degenerate="0 without relevant documents",
    parameters=(REL,),
    aliases=("R-precision", "R-prec", "BreakEven", "break-even"),
    trec="Rprec",
)
def r_precision(rankings: Rankings, *, rel: int) -> Floats:
    """The break-even point, too: after R documents, and only there unless both are 0, precision and recall are equal.

    >>> from ireval.measures.rankings import ranking
    >>> r_precision(ranking([1, 0, 1], missed=[1]), rel=1).round(4).tolist()
    [0.6667]
    """
    relevant = rankings.relevant(rel)
    return share(relevant.count(relevant.rank <= relevant.total[relevant.topic]), relevant.total)


@measure(
    "RprecMult",
    title="Precision at a multiple of R",
    formula="RprecMult@m = P@⌊m·R + .9⌋, R = number of relevant documents",
    citation="Buckley: trec_eval, Rprec_mult",
    looks_at="set",
    gains="binary",
    degenerate="0 without relevant documents, and where m·R is less than .1",
    at=MULTIPLE,
    parameters=(REL,),
    trec_at="Rprec_mult",
    trec_values=MULTIPLES,
)
def r_precision_at_multiple(rankings: Rankings, *, multiple: float, rel: int) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> r_precision_at_multiple(ranking([1, 0, 1], missed=[1]), multiple=0.5, rel=1).tolist()
    [0.5]
    """
    relevant = rankings.relevant(rel)
    shown = np.floor(multiple * relevant.total + 0.9)
    return share(relevant.count(relevant.rank <= shown[relevant.topic]), shown)


@measure(
    "IPrec",
    title="Interpolated precision at recall r",
    formula="IPrec@r = the highest precision at any rank where recall is at least r",
    citation="Manning, Raghavan and Schütze: Introduction to information retrieval, 2008, section 8.4",
    looks_at="rank",
    gains="binary",
    degenerate="0 if that recall is never reached, and without relevant documents",
    at=RECALL,
    parameters=(REL,),
    aliases=("iprec_at_recall",),
    trec_at="iprec_at_recall",
    trec_values=ELEVEN_POINTS,
)
def interpolated_precision(rankings: Rankings, *, recall: float, rel: int) -> Floats:
    """The profile decides how many documents make up a recall of r.

    >>> from ireval.measures.rankings import ranking
    >>> interpolated_precision(ranking([1, 0, 1], missed=[1]), recall=0.5, rel=1).round(4).tolist()
    [0.6667]
    """
    relevant = rankings.relevant(rel)
    needed = rankings.profile.documents_at_recall(recall, relevant.total)
    reached = relevant.number >= needed[relevant.topic]
    topic = relevant.topic[reached]
    highest = np.zeros(len(rankings))
    np.maximum.at(highest, topic, (relevant.number / relevant.rank)[reached])
    return highest


@measure(
    "AP11",
    title="Average precision at eleven points",
    formula="AP11 = mean of IPrec@0, IPrec@0.1, …, IPrec@1",
    citation="Salton and McGill: Introduction to modern information retrieval, 1983, chapter 5",
    looks_at="rank",
    gains="binary",
    degenerate="0 without relevant documents",
    parameters=(REL,),
    aliases=("11-pt",),
    trec="11pt_avg",
)
def eleven_point_average(rankings: Rankings, *, rel: int) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> eleven_point_average(ranking([1, 0, 1]), rel=1).round(4).tolist()
    [0.8485]
    """
    precisions = [interpolated_precision(rankings, recall=recall, rel=rel) for recall in ELEVEN_POINTS]
    return np.mean(precisions, axis=0)
