"""Precision and recall at a rank in one number: van Rijsbergen's E, and F, which is 1 − E."""

from ireval.arrays import Floats
from ireval.measures.precision import precision
from ireval.measures.rankings import Rankings
from ireval.measures.recall import recall
from ireval.measures.registry import DEEPEST, NEEDED_CUTOFF, REL, Parameter, measure
from ireval.measures.sets import BETA, f_of

B = Parameter("b", "how many times as important recall is as precision: 0 leaves precision alone", float, 0, DEEPEST, 1)
CITATION = "van Rijsbergen: Information retrieval, 1979, chapter 7"


@measure(
    "F",
    title="F at k",
    formula="F@k = (1 + β²) · P@k · R@k / (β² · P@k + R@k)",
    citation=CITATION,
    looks_at="set",
    gains="binary",
    degenerate="0 if nothing relevant is among the first k",
    at=NEEDED_CUTOFF,
    parameters=(BETA, REL),
    aliases=("F1",),
)
def f_at(rankings: Rankings, *, cutoff: int, beta: float, rel: int) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> f_at(ranking([1, 0, 1], missed=[1, 1]), cutoff=4, beta=1, rel=1).tolist()
    [0.5]
    """
    return f_of(precision(rankings, cutoff=cutoff, rel=rel), recall(rankings, cutoff=cutoff, rel=rel), beta**2)


@measure(
    "E",
    title="E at k",
    formula="E@k = 1 − (1 + b²) / (b² / R@k + 1 / P@k)",
    citation=CITATION,
    looks_at="set",
    gains="binary",
    degenerate="1, the worst, if nothing relevant is among the first k",
    at=NEEDED_CUTOFF,
    parameters=(B, REL),
    better="lower",
)
def e_at(rankings: Rankings, *, cutoff: int, b: float, rel: int) -> Floats:
    """1 − F with b as β: 1 − P@k for b = 0, and nearly 1 − R@k for a large b.

    >>> from ireval.measures.rankings import ranking
    >>> e_at(ranking([1, 0, 1], missed=[1, 1]), cutoff=3, b=0, rel=1).round(4).tolist()
    [0.3333]
    """
    return 1 - f_at(rankings, cutoff=cutoff, beta=b, rel=rel)
