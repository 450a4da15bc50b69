"""The ideal order for all intents, by which novelty measures are normalised."""

import numpy as np

from ireval.arrays import Floats
from ireval.diversity.intents import Intents, stretches

# The same sum in another order differs by about 10⁻¹⁶ of it; that must not decide between documents of equal gain.
SAME_GAIN = 1 - 1e-12


class Ideal:
    """The greedy order of the relevant documents of each topic, computed as far down as needed.

    Every rank has the document that gains most after those above it; of several, the one with the highest id, as in ndeval. A
    document gains 1 for each of its intents, 1 − alpha times as much for every document above with the same intent. To find the
    best order is NP-hard, so a ranking can be better than this one.

    Source: Clarke et al.: Novelty and diversity in information retrieval evaluation, SIGIR 2008.

    >>> from ireval.diversity.intents import covering, intents_of
    >>> Ideal(intents_of(covering(["1", "12", "3"]).qrels), alpha=0.5, rel=1).gains(4).tolist()
    [[2.0], [1.0], [0.5]]
    """

    def __init__(self, intents: Intents, alpha: float, rel: int):
        relevant = intents.judged.grade >= rel
        order = np.argsort(intents.document[relevant], kind="stable")
        document = intents.document[relevant][order]
        self.kept_worth = 1 - alpha
        self.intent = intents.judged.topic[relevant][order]
        self.worth = np.ones(len(intents.topic))
        # One entry per document: where its intents begin, and how many it has.
        self.starts = np.flatnonzero(np.diff(document, prepend=-1))
        self.sizes = np.diff(self.starts, append=len(document))
        self.free = np.ones(len(self.starts), bool)
        # One entry per topic with relevant documents: where these begin.
        topic = intents.topic[self.intent[self.starts]]
        self.firsts = np.flatnonzero(np.diff(topic, prepend=-1))
        self.topics = topic[self.firsts]
        self.group = np.repeat(np.arange(len(self.firsts)), np.diff(self.firsts, append=len(topic)))
        self.rows = np.zeros((0, len(intents)))

    def gains(self, depth: int) -> Floats:
        """The gains at each rank, (depth, topics); fewer rows if no topic has so many documents."""
        rows = [self.rows]
        while sum(map(len, rows)) < depth and self.free.any():
            rows.append(self.next_rank()[np.newaxis])
        self.rows = np.concatenate(rows)
        return self.rows[:depth]

    def next_rank(self) -> Floats:
        """The gain of the best free document of each topic, (topics,), which is then no longer free."""
        gain = np.where(self.free, np.add.reduceat(self.worth[self.intent], self.starts), -1)
        best = np.maximum.reduceat(gain, self.firsts)
        tied = np.flatnonzero(self.free & (gain >= best[self.group] * SAME_GAIN))
        chosen = tied[np.flatnonzero(np.diff(self.group[tied], prepend=-1))]
        self.free[chosen] = False
        rows, _ = stretches(self.starts, self.sizes, chosen)
        self.worth[self.intent[rows]] *= self.kept_worth
        row = np.zeros(self.rows.shape[1])
        row[self.topics] = np.maximum(best, 0)
        return row
