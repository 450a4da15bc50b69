"""Measures of novelty: a document gains less for an intent that documents above it have served already.

All are ndeval's (TREC Web and Dynamic Domain tracks). Unlike ndeval, we normalise also at a cutoff of 1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ireval.arrays import Floats, Ints, share
from ireval.diversity.ideal import Ideal
from ireval.diversity.intents import by_intent, intents_of
from ireval.measures.rankings import Qrels, Rankings
from ireval.measures.registry import NEEDED_CUTOFF, REL, Parameter, measure

ALPHA = Parameter("alpha", "how much less a document gains for each above it with the same intent, as a share", float, 0, 1, 0.5)
BETA = Parameter("beta", "patience: how likely the reader goes on to the next document", float, 0, 1, 0.5)
# The probability that Chapelle's readers stop at a relevant document, if there is a single relevant grade.
STOPS = 0.5
# Ranks with gains this small are left out: they do not change the sum in double precision.
NOTHING = 1e-20

COMMON: dict[str, Any] = {"looks_at": "rank", "gains": "binary", "by_intent": True}
UNANSWERED = "0 for a topic without relevant documents; intents without any count nowhere; one intent where qrels name none"
GREEDY = f"{UNANSWERED}; above 1 where a ranking beats the greedy ideal, since finding the best is NP-hard"
DCG = COMMON | {
    "citation": "Clarke et al.: Novelty and diversity in information retrieval evaluation, SIGIR 2008; ndeval",
    "at": NEEDED_CUTOFF,
    "parameters": (ALPHA, REL),
}
ERR = COMMON | {
    "citation": "Chapelle et al.: Intent-based diversification of Web search results, Information Retrieval 14, 2011; ndeval",
    "at": NEEDED_CUTOFF,
    "parameters": (REL,),
}
RBP = COMMON | {
    "citation": "Clarke, Kolla and Vechtomova: An effectiveness measure for ambiguous and underspecified queries, ICTIR 2009; "
    "ndeval",
    "parameters": (ALPHA, BETA, REL),
}


@dataclass(frozen=True)
class Novelty:
    """Σ over ranks and the intents of the document there of weight(rank) · (1 − alpha)^(documents above with that intent).

    `weight` is the discount of a gain at a rank. Ranks below `depth` are ignored.
    """

    alpha: float
    rel: int
    weight: Callable[[Ints], Floats]
    depth: int | None

    def reached(self, rankings: Rankings) -> Floats:
        relevant = by_intent(rankings).relevant(self.rel)
        worth = (1 - self.alpha) ** (relevant.number - 1.0) * self.weight(relevant.rank)
        return intents_of(rankings.qrels).sums(relevant.sums(worth, relevant.rank <= self.depth if self.depth else slice(None)))

    def possible(self, qrels: Qrels) -> Floats:
        """The sum for the greedy ideal, (topics,)."""
        key = (Ideal, self.alpha, self.rel)
        ideal = qrels.cached(key, lambda: Ideal(intents_of(qrels), self.alpha, self.rel))
        gains = ideal.gains(self.depth or len(qrels.grade))
        return self.weight(np.arange(1, len(gains) + 1)) @ gains

    def unsurpassed(self, qrels: Qrels) -> Floats:
        """The sum for documents that serve all intents each, (topics,): a bound that does not depend on the collection."""
        assert self.depth
        ranks = np.arange(1, self.depth + 1)
        return intents_of(qrels).answerable(self.rel) * ((1 - self.alpha) ** (ranks - 1.0) @ self.weight(ranks))

    def of_possible(self, rankings: Rankings) -> Floats:
        return share(self.reached(rankings), self.possible(rankings.qrels))

    def of_unsurpassed(self, rankings: Rankings) -> Floats:
        return share(self.reached(rankings), self.unsurpassed(rankings.qrels))


def log_discount(rank: Ints) -> Floats:
    return 1 / np.log2(rank + 1)


def cascade(rank: Ints) -> Floats:
    return 1 / rank


@measure(
    "alpha_nDCG",
    title="Discounted gain of novelty, normalised",
    formula="α-nDCG@k = α-DCG / α-DCG of the greedy ideal; α-DCG = Σ over i ≤ k and intents of document i of "
    "(1 − α)^(documents above with that intent) / log₂(i + 1)",
    degenerate=GREEDY,
    aliases=("alpha-nDCG", "α-nDCG", "α_nDCG"),
    **DCG,
)
def alpha_ndcg(rankings: Rankings, *, cutoff: int, alpha: float, rel: int) -> Floats:
    """
    >>> from ireval.diversity.intents import covering
    >>> alpha_ndcg(covering(["12", "1", "", "3", "23"]), cutoff=5, alpha=0.5, rel=1).round(6).tolist()
    [0.9183]
    """
    return Novelty(alpha, rel, log_discount, cutoff).of_possible(rankings)


@measure(
    "alpha_DCG",
    title="Discounted gain of novelty",
    formula="α-DCG@k / what documents would reach that serve all intents each",
    degenerate=UNANSWERED,
    aliases=("alpha-DCG", "α-DCG", "α_DCG"),
    **DCG,
)
def alpha_dcg(rankings: Rankings, *, cutoff: int, alpha: float, rel: int) -> Floats:
    """
    >>> from ireval.diversity.intents import covering
    >>> alpha_dcg(covering(["12", "3"]), cutoff=1, alpha=0.5, rel=1).round(4).tolist()
    [0.6667]
    """
    return Novelty(alpha, rel, log_discount, cutoff).of_unsurpassed(rankings)


@measure(
    "ERR_IA",
    title="Expected reciprocal rank, intent-aware",
    formula="ERR-IA@k = Σ over i ≤ k and intents of document i of ½^(documents above with that intent) / i, "
    "/ what documents would reach that serve all intents each",
    degenerate=UNANSWERED,
    aliases=("ERR-IA",),
    **ERR,
)
def err_ia(rankings: Rankings, *, cutoff: int, rel: int) -> Floats:
    """
    >>> from ireval.diversity.intents import covering
    >>> err_ia(covering(["12", "1"]), cutoff=2, rel=1).tolist()
    [0.9]
    """
    return Novelty(STOPS, rel, cascade, cutoff).of_unsurpassed(rankings)


@measure(
    "nERR_IA",
    title="Expected reciprocal rank, intent-aware, normalised",
    formula="nERR-IA@k = ERR-IA@k / that of the greedy ideal",
    degenerate=GREEDY,
    aliases=("nERR-IA",),
    **ERR,
)
def nerr_ia(rankings: Rankings, *, cutoff: int, rel: int) -> Floats:
    """
    >>> from ireval.diversity.intents import covering
    >>> nerr_ia(covering(["1", "12"]), cutoff=2, rel=1).round(4).tolist()
    [0.7778]
    """
    return Novelty(STOPS, rel, cascade, cutoff).of_possible(rankings)


@measure(
    "NRBP",
    title="Novelty- and rank-biased precision",
    formula="NRBP = (1 − (1 − α)β) / N · Σ over i and intents of document i of "
    "(1 − α)^(documents above with that intent) · β^(i−1)",
    degenerate=f"{UNANSWERED}; N = intents with relevant documents",
    **RBP,
)
def nrbp(rankings: Rankings, *, alpha: float, beta: float, rel: int) -> Floats:
    """
    >>> from ireval.diversity.intents import covering
    >>> nrbp(covering(["12", "1"]), alpha=0.5, beta=0.5, rel=1).tolist()
    [0.84375]
    """
    reached = biased(alpha, beta, rel).reached(rankings)
    return share((1 - (1 - alpha) * beta) * reached, intents_of(rankings.qrels).answerable(rel))


@measure(
    "nNRBP",
    title="Novelty- and rank-biased precision, normalised",
    formula="nNRBP = NRBP / that of the greedy ideal",
    degenerate=GREEDY,
    **RBP,
)
def nnrbp(rankings: Rankings, *, alpha: float, beta: float, rel: int) -> Floats:
    """
    >>> from ireval.diversity.intents import covering
    >>> nnrbp(covering(["1", "12"]), alpha=0.5, beta=0.5, rel=1).round(4).tolist()
    [0.7778]
    """
    return biased(alpha, beta, rel).of_possible(rankings)


def biased(alpha: float, beta: float, rel: int) -> Novelty:
    deep = math.ceil(math.log(NOTHING) / math.log(beta)) if 0 < beta < 1 else None
    return Novelty(alpha, rel, partial(patience, beta), deep)


def patience(beta: float, rank: Ints) -> Floats:
    return np.power(beta, rank - 1.0)
