"""Compatibility: how much the top of a ranking overlaps with the top of an ideal one."""

import numpy as np

from ireval.arrays import Floats, Ints, share
from ireval.measures.rankings import Rankings, positions
from ireval.measures.registry import Parameter, measure

P = Parameter("p", "persistence: how much the next rank weighs against the one before", float, 0, 1, 0.95, always_printed=True)
NORMALIZE = Parameter("normalize", "divide by the overlap of the ideal ranking with itself", bool, default=True)


@measure(
    "Compat",
    title="Compatibility",
    formula="Compat = rank-biased overlap with the ideal ranking; overlap = Σ p^(i−1) · shared(i) / i / Σ p^(i−1)",
    citation="Clarke, Vtyurina and Smucker: Assessing top-k preferences, ACM TOIS 39(3), 2021",
    looks_at="rank",
    gains="graded",
    degenerate="0 without a grade above 0; sums end with the longer one of ranking and ideal ranking",
    parameters=(P, NORMALIZE),
)
def compatibility(rankings: Rankings, *, p: float, normalize: bool) -> Floats:
    """shared(i) counts the documents that both rankings have among their first i.

    The ideal ranking has all grades above 0 from the highest down; equal grades stand as in the ranking.

    >>> from ireval.measures.rankings import ranking
    >>> compatibility(ranking([0, 1]), p=0.5, normalize=True).round(4).tolist()
    [0.2]
    """
    rank, place = ranks_and_ideal(rankings)
    topic, good = rankings.qrels.topic, rankings.qrels.grade > 0
    depth = np.maximum(rankings.retrieved, rankings.qrels.count(good))
    steps = np.arange(1, depth.max(initial=0) + 1)
    overlap, weight = (np.concatenate(([0], np.cumsum(step))) for step in (p ** (steps - 1.0) / steps, p ** (steps - 1.0)))

    def shared(start: Ints) -> Floats:
        """Σ over documents of p^(i−1) / i from the rank where both rankings have it to the end, by topic."""
        ends = depth[topic]
        counts = good & (start <= ends)
        return rankings.qrels.sums(overlap[ends] - overlap[np.minimum(start, ends + 1) - 1], counts)

    return share(shared(np.maximum(rank, place)), shared(place) if normalize else weight[depth])


def ranks_and_ideal(rankings: Rankings) -> tuple[Ints, Ints]:
    """Each judged document's rank (beyond every depth if not retrieved) and its place in the ideal ranking."""
    qrels = rankings.qrels
    rank = np.full(len(qrels.topic), np.iinfo(np.int64).max - 1)
    rank[rankings.place] = rankings.rank
    order = np.lexsort((rank, -qrels.grade, qrels.topic))
    place = np.empty_like(rank)
    place[order] = positions(qrels.topic, len(qrels))
    return rank, place
