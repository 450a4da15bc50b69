"""trec_eval's experimental measures: variants of cumulated gain with other discounts or averaged over ranks."""

from typing import Any

import numpy as np
import polars as pl

from ireval.arrays import Floats, Ints, share
from ireval.measures.gains import GAINS, NO_GAIN, GainModel
from ireval.measures.rankings import Rankings
from ireval.measures.registry import REL, Pairs, measure

GRADED: dict[str, Any] = {"looks_at": "rank", "gains": "graded", "degenerate": NO_GAIN}


@measure(
    "BinG",
    title="Binary G",
    formula="BinG = 1/R · Σ over relevant documents retrieved of 1 / log₂(2 + non-relevant above it)",
    citation="Buckley: trec_eval, binG, 2008",
    looks_at="rank",
    gains="binary",
    degenerate="0 without relevant documents; unjudged documents are non-relevant",
    parameters=(REL,),
    trec="binG",
)
def binary_g(rankings: Rankings, *, rel: int) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> binary_g(ranking([1, 0, None, 1]), rel=1).tolist()
    [0.75]
    """
    relevant = rankings.relevant(rel)
    return share(relevant.sums(1 / np.log2(2 + relevant.rank - relevant.number)), relevant.total)


@measure(
    "G",
    title="Normalised gain",
    formula="G = Σ gain / log₂(2 + cost − gain so far) / all gain; cost = Σ of the ideal gain so far, at least 1 a rank",
    citation="Buckley: trec_eval, G, 2008",
    parameters=(GAINS,),
    trec="G",
    **GRADED,
)
def normalised_gain(rankings: Rankings, *, gains: Pairs | None) -> Floats:
    """A document is discounted not by its rank, but by how much more could have been gained up to and including it.

    >>> from ireval.measures.rankings import ranking
    >>> normalised_gain(ranking([1, 0, 0, 1]), gains=None).tolist()
    [0.75]
    """
    model = GainModel("none", gains=gains)
    gain, ideal = model.reached(rankings), model.possible(rankings.qrels)
    cost = ideal_at(rankings, np.where(ideal > 0, np.maximum(ideal, 1), 0), ideal)
    cost += np.maximum(rankings.rank - useful(rankings, ideal), 0)
    so_far = running_sums(rankings.topic, gain)
    return share(rankings.sums(gain / np.log2(2 + cost - so_far)), rankings.qrels.sums(ideal, ideal > 0))


@measure(
    "nDCGrel",
    title="nDCG, averaged over the relevant documents",
    formula="nDCGrel = mean over documents that gain of nDCG at their rank, or at the end for those not retrieved",
    citation="Buckley: trec_eval, ndcg_rel, 2008",
    parameters=(GAINS,),
    trec="ndcg_rel",
    **GRADED,
)
def ndcg_at_relevant(rankings: Rankings, *, gains: Pairs | None) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> ndcg_at_relevant(ranking([0, 1], missed=[1]), gains=None).round(4).tolist()
    [0.3869]
    """
    model = GainModel(gains=gains)
    reached, ideal = model.reached(rankings), model.possible(rankings.qrels)
    at_each = share(running_sums(rankings.topic, reached), ideal_at(rankings, ideal, ideal))
    at_end = share(rankings.sums(reached), rankings.qrels.sums(ideal, ideal > 0))
    useful_documents, relevant = reached > 0, rankings.qrels.count(ideal > 0)
    return share(rankings.sums(at_each, useful_documents) + (relevant - rankings.count(useful_documents)) * at_end, relevant)


@measure(
    "Rndcg",
    title="nDCG, averaged over the ranks where the ideal gain changes",
    formula="Rndcg = mean of nDCG@n over the ranks n at which the ideal ranking comes to a lower gain, and at the end",
    citation="Buckley: trec_eval, Rndcg, 2008",
    looks_at="rank",
    gains="graded",
    degenerate="0 without relevant documents; grades below 0 gain nothing",
    parameters=(GAINS, REL),
    trec="Rndcg",
)
def ndcg_at_grades(rankings: Rankings, *, gains: Pairs | None, rel: int) -> Floats:
    """The lowest relevant grade only decides which topics have relevant documents.

    As in trec_eval, the end counts if the number of documents retrieved exceeds that of documents with gain by more than one.

    >>> from ireval.measures.rankings import ranking
    >>> ndcg_at_grades(ranking([0, 1], missed=[1]), gains=None, rel=1).round(4).tolist()
    [0.3869]
    """
    qrels, model = rankings.qrels, GainModel(gains=gains)
    reached, ideal = model.reached(rankings), model.possible(qrels)
    gain = GainModel("none", gains=gains).possible(qrels)
    total, points = np.zeros(len(rankings)), np.zeros(len(rankings))
    for level in np.unique(gain[gain > 0]):
        last, occurs = qrels.count(gain >= level), qrels.count(gain == level) > 0
        value = share(rankings.sums(reached, rankings.rank <= last[rankings.topic]), qrels.sums(ideal, gain >= level))
        total += np.where(occurs, value, 0)
        points += occurs
    goes_on = (points > 0) & (rankings.retrieved > qrels.count(gain > 0) + 1)
    total += np.where(goes_on, share(rankings.sums(reached), qrels.sums(ideal, gain > 0)), 0)
    return np.where(rankings.relevant(rel).total > 0, share(total, points + goes_on), 0)


def useful(rankings: Rankings, ideal: Floats) -> Ints:
    """For each document retrieved, how many documents of its topic have a gain."""
    return rankings.qrels.count(ideal > 0)[rankings.topic]


def ideal_at(rankings: Rankings, values: Floats, ideal: Floats) -> Floats:
    """The ideal ranking's running sum of `values`, one per document of it, at the rank of each document retrieved.

    The ideal ranking ends with the documents whose gain in `ideal` is above 0; the sum is 0 where there are none.
    """
    shown = np.minimum(rankings.rank, useful(rankings, ideal))
    sums = running_sums(rankings.qrels.topic, values)
    last = rankings.qrels.starts[rankings.topic] + np.maximum(shown, 1) - 1
    return np.where(shown > 0, sums[last], 0)


def running_sums(topic: Ints, values: Floats) -> Floats:
    """Sums down to and including each document, separately for each topic, so that rounding errors do not add up.

    >>> running_sums(np.array([0, 0, 2]), np.array([0.5, 1.0, 4.0])).tolist()
    [0.5, 1.5, 4.0]
    """
    return pl.DataFrame({"topic": topic, "value": values}).select(pl.col("value").cum_sum().over("topic"))["value"].to_numpy()
