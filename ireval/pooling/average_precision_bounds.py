"""Average precision with unjudged documents: the ends of a difference, and what to expect. It adds up over pairs of documents."""

import numpy as np

from ireval.arrays import Floats, Ints, share
from ireval.io.arguments import require_numbers
from ireval.measures.registry import BadMeasure, Measure
from ireval.pooling.documents import Flags, PooledDocuments
from ireval.significance.pairs import Pairs


def lowest_relevant(measure: Measure, relevant_from: int) -> int:
    """The lowest relevant grade of AP. BadMeasure if that is 0 or less: it leaves nothing open."""
    require_numbers(relevant_from=relevant_from)
    rel = relevant_from if measure.values["rel"] is None else measure.values["rel"]
    if rel < 1:
        raise BadMeasure(f"{measure} counts grade {rel} as relevant; expected at least 1")
    return rel


def average_precision_ends(
    documents: PooledDocuments, pairs: Pairs, cutoff: int | None, rel: int, top_grade: int
) -> tuple[Floats, Floats]:
    """Ends (topics, pairs) that hold the difference for every way to grade.

    For each number r of further relevant documents, every system has its smallest and its largest sum of precisions. The
    difference lies between one's smallest and the other's largest, over R + r. The sums of one system are exact; the two systems
    may take different documents for the r. If the top grade is below `rel`, nothing more can be relevant.
    """
    low, high = np.empty((2, len(documents.topics), len(pairs)))
    for number, rows in enumerate(documents.by_topic()):
        relevant = documents.judged[rows] & (documents.grade[rows] >= rel)
        unjudged = ~documents.judged[rows] if top_grade >= rel else np.zeros_like(relevant)
        sums = [sums_of_precision(rank, relevant, unjudged, cutoff) for rank in documents.rank[rows].T]
        least, most = (np.array(ends) for ends in zip(*sums, strict=True))
        total = np.maximum(relevant.sum() + np.arange(least.shape[1]), 1)
        low[number] = ((least[pairs.first] - most[pairs.second]) / total).min(axis=1)
        high[number] = ((most[pairs.first] - least[pairs.second]) / total).max(axis=1)
    return low, high


def sums_of_precision(rank: Ints, relevant: Flags, unjudged: Flags, cutoff: int | None) -> tuple[Floats, Floats]:
    """The smallest and the largest sum of precisions at relevant documents if 0, 1, … m of the unjudged are relevant, (m + 1,).

    The sum is largest with those ranked highest, smallest with those that are not shown and then those ranked lowest.

    >>> least, most = sums_of_precision(np.array([1, 2, 0]), np.array([0, 1, 0]) > 0, np.array([1, 0, 1]) > 0, None)
    >>> least.tolist(), most.tolist()
    ([0.5, 0.5, 2.0], [0.5, 2.0, 2.0])
    """
    shown = (rank > 0) & (rank <= cutoff) if cutoff else rank > 0
    held, open_ranks = np.sort(rank[shown & relevant]), np.sort(rank[shown & unjudged])
    inverse = np.concatenate(([0.0], np.cumsum(1 / held)))
    above = np.searchsorted(held, open_ranks)
    pushed = inverse[-1] - inverse[above]
    known = (np.arange(1, len(held) + 1) / held).sum()
    from_top = (above + np.arange(1, len(open_ranks) + 1)) / open_ranks + pushed
    further = np.cumsum(1 / open_ranks[::-1]) - 1 / open_ranks[::-1]
    from_below = ((above + 1) / open_ranks + pushed)[::-1] + further
    hidden = int(unjudged.sum()) - len(open_ranks)
    most = np.concatenate(([known], known + np.cumsum(from_top), np.full(hidden, known + from_top.sum())))
    least = np.concatenate((np.full(hidden + 1, known), known + np.cumsum(from_below)))
    return least, most


def expected_average_precision(documents: PooledDocuments, chance: Floats, cutoff: int | None) -> tuple[Floats, Floats]:
    """The values to expect (T, systems), and how far a relevant document moves each system's mean (N, systems).

    `chance` (N,) says how likely documents are relevant, each apart from the others; R is the number to expect. A document adds
    the precision at its rank, and 1 / rank for every relevant document below it.
    """
    topics = len(documents.topics)
    sums, slopes = np.zeros((topics, len(documents.systems))), np.zeros(documents.rank.shape)
    for system, rank in enumerate(documents.rank.T):
        shown = np.flatnonzero((rank > 0) & (rank <= cutoff) if cutoff else rank > 0)
        order = shown[np.lexsort((rank[shown], documents.topic[shown]))]
        topic, likely, inverse = documents.topic[order], chance[order], 1 / rank[order]
        precision = (1 + sum_above(likely, topic, topics)) * inverse
        sums[:, system] = np.bincount(topic, likely * precision, topics)
        all_of_topic = np.bincount(topic, likely * inverse, topics)[topic]
        slopes[order, system] = precision + all_of_topic - sum_above(likely * inverse, topic, topics) - likely * inverse
    total = np.bincount(documents.topic, chance, topics)
    values = np.array([share(column, total) for column in sums.T]).T
    return values, slopes * share(np.ones(topics), total)[documents.topic][:, None] / topics


def sum_above(values: Floats, topic: Ints, topics: int) -> Floats:
    """The sum of the values before each one of the same topic; `topic` ascends."""
    totals = np.bincount(topic, values, topics)
    return np.cumsum(values) - values - (np.cumsum(totals) - totals)[topic]
