"""Q-measure: average precision for graded relevance."""

import numpy as np

from ireval.arrays import Floats, share
from ireval.measures.gains import GAINS, GainModel
from ireval.measures.rankings import Rankings, positions
from ireval.measures.registry import DEEPEST, Pairs, Parameter, measure

BETA = Parameter("beta", "how much gain counts beside the number of documents found; 0 makes it AP", float, 0, DEEPEST, 1)


@measure(
    "Q",
    title="Q-measure",
    formula="Q = 1/R · Σ over documents with gain of (found so far + β · CG(i)) / (i + β · ideal CG(i)); R = number with gain",
    citation="Sakai: New performance metrics based on multigrade relevance, NTCIR-4, 2004",
    looks_at="rank",
    gains="graded",
    degenerate="0 without a grade above 0; ignores the lowest relevant grade",
    parameters=(BETA, GAINS),
    aliases=("Q-measure",),
)
def q_measure(rankings: Rankings, *, beta: float, gains: Pairs | None) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> q_measure(ranking([0, 1, 2]), beta=1.0, gains=None).round(4).tolist()
    [0.6167]
    """
    model, qrels = GainModel("none", gains=gains), rankings.qrels
    gain = model.reached(rankings)
    useful = gain > 0
    topic, rank = rankings.topic[useful], rankings.rank[useful]
    ends = np.concatenate(([0], np.cumsum(model.possible(qrels))))
    last = np.minimum(qrels.starts[topic] + rank, qrels.starts[topic + 1])
    ideal = ends[last] - ends[qrels.starts[topic]]
    before = np.concatenate(([0], np.cumsum(rankings.sums(gain))))
    reached = np.cumsum(gain[useful]) - before[topic]
    parts = (positions(topic, len(rankings)) + beta * reached) / (rank + beta * ideal)
    return share(np.bincount(topic, weights=parts, minlength=len(rankings)), qrels.count(model.gain(qrels.grade) > 0))
