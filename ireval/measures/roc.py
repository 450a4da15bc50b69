"""The area under the ROC curve: how often a relevant document is ranked above a non-relevant one."""

import numpy as np

from ireval.arrays import Floats, share
from ireval.measures.rankings import Rankings, positions
from ireval.measures.registry import REL, Parameter, measure

UNRETRIEVED = Parameter(
    "unretrieved",
    "judged documents that were not retrieved: lost ranks them below all others, the relevant ones last; "
    "tied in no order, so that a pair of them counts one half",
    str,
    default="lost",
    choices=("lost", "tied"),
)


@measure(
    "AUC",
    title="Area under the ROC curve of all judged documents",
    formula="AUC = pairs of a relevant and a judged non-relevant document with the relevant one ranked higher / all such pairs",
    citation="Hanley and McNeil: The meaning and use of the area under a receiver operating characteristic (ROC) curve, "
    "Radiology 143, 1982",
    looks_at="rank",
    gains="binary",
    degenerate="0 without relevant or without non-relevant documents; unjudged documents are passed over, as nobody knows how "
    "many there are; grades below 0 are non-relevant",
    parameters=(UNRETRIEVED, REL),
    aliases=("ROC", "AUROC"),
)
def area_under_roc(rankings: Rankings, *, unretrieved: str, rel: int) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> area_under_roc(ranking([1, 0, 1, None, 0]), unretrieved="lost", rel=1).tolist()
    [0.75]
    >>> [area_under_roc(ranking([1], missed=[1, 0]), unretrieved=how, rel=1).tolist() for how in ("lost", "tied")]
    [[0.5], [0.75]]
    """
    relevant, every = rankings.grade >= rel, rankings.qrels.grade >= rel
    positives, negatives = rankings.qrels.count(every), rankings.qrels.count(~every)
    topic = rankings.topic[relevant]
    above = positions(rankings.topic, len(rankings))[relevant] - positions(topic, len(rankings))
    won = np.bincount(topic, weights=negatives[topic] - above, minlength=len(rankings)).astype(np.float64)
    if unretrieved == "tied":
        won += (positives - rankings.count(relevant)) * (negatives - rankings.count(~relevant)) / 2
    return share(won, positives * negatives)
