"""Intent-aware measures: the mean of an ordinary measure over the intents of a topic, each as likely as the others."""

from typing import Any

from ireval.arrays import Floats
from ireval.diversity.intents import by_intent, intents_of
from ireval.measures.rankings import Rankings
from ireval.measures.registry import CUTOFF, MEASURES, NEEDED_CUTOFF, REL, measure

COMMON: dict[str, Any] = {
    "citation": "Agrawal et al.: Diversifying search results, WSDM 2009; ndeval",
    "by_intent": True,
}
UNANSWERED = "0 for a topic without relevant documents; intents without any count nowhere; one intent where qrels name none"


def mean_of(name: str, rankings: Rankings, rel: int, **parameters: Any) -> Floats:
    """The mean over intents of the measure called `name`, (topics,)."""
    values = MEASURES[name](**parameters)(by_intent(rankings), rel)
    return intents_of(rankings.qrels).mean(values, rel)


@measure(
    "P_IA",
    title="Precision at k, intent-aware",
    formula="P-IA@k = 1/N · Σ over the N intents of P@k",
    looks_at="set",
    gains="binary",
    degenerate=f"{UNANSWERED}; divides by k even when fewer documents were retrieved",
    at=NEEDED_CUTOFF,
    parameters=(REL,),
    aliases=("P-IA", "IA_P", "IA-P"),
    **COMMON,
)
def p_ia(rankings: Rankings, *, cutoff: int, rel: int) -> Floats:
    """
    >>> from ireval.diversity.intents import covering
    >>> p_ia(covering(["12", "1", "", "3", "23"]), cutoff=5, rel=1).round(4).tolist()
    [0.4]
    """
    return mean_of("P", rankings, rel, cutoff=cutoff)


@measure(
    "AP_IA",
    title="Average precision, intent-aware",
    formula="AP-IA = 1/N · Σ over the N intents of AP",
    looks_at="rank",
    gains="binary",
    degenerate=UNANSWERED,
    parameters=(REL,),
    aliases=("MAP_IA", "MAP-IA"),
    **COMMON,
)
def ap_ia(rankings: Rankings, *, rel: int) -> Floats:
    """Its mean over topics is ndeval's MAP-IA.

    >>> from ireval.diversity.intents import covering
    >>> ap_ia(covering(["1", "2"]), rel=1).tolist()
    [0.75]
    """
    return mean_of("AP", rankings, rel)


@measure(
    "nDCG_IA",
    title="Normalised discounted cumulative gain, intent-aware",
    formula="nDCG-IA = 1/N · Σ over the N intents of nDCG, gain = grade for that intent",
    looks_at="rank",
    gains="graded",
    degenerate="0 for a topic without a grade above 0; intents without one count nowhere; ignores the lowest relevant grade",
    at=CUTOFF,
    aliases=("nDCG-IA",),
    **COMMON,
)
def ndcg_ia(rankings: Rankings, *, cutoff: int | None) -> Floats:
    """
    >>> from ireval.diversity.intents import covering
    >>> ndcg_ia(covering(["1", "", "2"]), cutoff=None).tolist()
    [0.75]
    """
    return mean_of("nDCG", rankings, 1, **({"cutoff": cutoff} if cutoff else {}))


@measure(
    "StRecall",
    title="Subtopic recall at k",
    formula="StRecall@k = intents with a relevant document among the first k / intents with a relevant document at all",
    looks_at="set",
    gains="binary",
    degenerate=UNANSWERED,
    at=NEEDED_CUTOFF,
    parameters=(REL,),
    aliases=("strec", "S-recall"),
    **COMMON | {"citation": "Zhai, Cohen and Lafferty: Beyond independent relevance, SIGIR 2003; ndeval"},
)
def subtopic_recall(rankings: Rankings, *, cutoff: int, rel: int) -> Floats:
    """
    >>> from ireval.diversity.intents import covering
    >>> subtopic_recall(covering(["1", "12"], missed=["34"]), cutoff=2, rel=1).tolist()
    [0.5]
    """
    return mean_of("Success", rankings, rel, cutoff=cutoff)
