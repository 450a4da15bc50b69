"""Measures of the C/W/L framework: what a reader gains per document, who goes on from rank i with a chance C(i).

Moffat, Bailey, Scholer and Thomas: Incorporating user expectations and behavior into the measurement of search effectiveness,
ACM TOIS 35(3), 2017. As in cwl_eval (Azzopardi, Thomas and Moffat, SIGIR 2019) readers look at 1,000 documents at most.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ireval.arrays import Floats
from ireval.measures.rankings import Rankings, log_discount
from ireval.measures.registry import CUTOFF, DEEPEST, NEEDED_CUTOFF, BadMeasure, Parameter, measure

DEPTH = 1000
# Topics whose gains stand in one table of topics × ranks.
A_PORTION = 500

T = Parameter("T", "how much the reader wants to gain, where the highest grade gains 1", float, 0, DEEPEST, 1.0)
PERSISTENCE = Parameter("p", "how likely the reader goes on to the next document", float, 0, 1, 0.9, always_printed=True)
MIN_REL = Parameter("min_rel", "the grade up to which nothing is gained", int, 0, 126, 0)
MAX_REL = Parameter("max_rel", "the grade that gains 1; if not given, the highest in the qrels", int, 1, 127)
GRADED: dict[str, Any] = {
    "looks_at": "rank",
    "gains": "graded",
    "degenerate": "0 without a grade above min_rel; unjudged documents gain nothing; documents below rank 1,000 do not count",
}
NERR_CITATION = "Azzopardi, Mackenzie and Moffat: ERR is not C/W/L, ICTIR 2021, equation {}"

# From gains, (topics, ranks), and ranks, (ranks,), to C: how likely the reader goes on from each rank.
Continuation = Callable[[Floats, Floats], Floats]


def gains_of(rankings: Rankings, min_rel: int, max_rel: int | None) -> Floats:
    """The gain of each judged document retrieved, from 0 to 1. BadMeasure where the highest grade is not above min_rel."""
    highest = max_rel or max(rankings.qrels.top_grade, min_rel + 1)
    if highest <= min_rel:
        raise BadMeasure(f"max_rel is {highest} and min_rel {min_rel}; expected max_rel to be the larger one")
    return np.clip((rankings.gain - min_rel) / (highest - min_rel), 0, 1)


def gain_per_document(rankings: Rankings, gain: Floats, goes_on: Continuation) -> Floats:
    """Σ V(i) · gain(i) / Σ V(i) over ranks i, (T,); V(i) = C(1) · … · C(i − 1) is how likely the reader comes to rank i."""
    value = np.zeros(len(rankings))
    ranks = np.arange(1, DEPTH + 1, dtype=np.float64)
    shown = rankings.rank <= DEPTH
    for first in range(0, len(rankings), A_PORTION):
        own = shown & (rankings.topic >= first) & (rankings.topic < first + A_PORTION)
        table = np.zeros((min(A_PORTION, len(rankings) - first), DEPTH))
        table[rankings.topic[own] - first, rankings.rank[own] - 1] = gain[own]
        seen = np.cumprod(np.hstack([np.ones((len(table), 1)), goes_on(table, ranks)[:, :-1]]), axis=1)
        value[first : first + len(table)] = (seen * table).sum(axis=1) / seen.sum(axis=1)
    return value


def by_inverse_squares(x: Floats) -> Floats:
    """How likely a reader goes on where V falls as 1 / x² does: ((x − 1) / x)², and 0 where x is below 1."""
    return np.where(x >= 1, (x - 1) / np.maximum(x, 1), 0) ** 2


@measure(
    "BPM",
    title="Bejeweled player model",
    formula="BPM = mean gain of the documents up to the one with which the gain reaches T, or up to rank k",
    citation="Zhang, Liu, Li, Zhang, Xu and Ma: Evaluating web search with a Bejeweled player model, SIGIR 2017; static",
    at=CUTOFF,
    parameters=(T, MIN_REL, MAX_REL),
    **GRADED,
)
def bejeweled_player_model(rankings: Rankings, *, cutoff: int | None, T: float, min_rel: int, max_rel: int | None) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> bejeweled_player_model(ranking([1, None, 1, 1]), cutoff=10, T=2, min_rel=0, max_rel=1).round(4).tolist()
    [0.6667]
    """

    def goes_on(gain: Floats, rank: Floats) -> Floats:
        return ((np.cumsum(gain, axis=1) < T) & (rank < (cutoff or DEPTH))).astype(np.float64)

    return gain_per_document(rankings, gains_of(rankings, min_rel, max_rel), goes_on)


@measure(
    "INSQ",
    title="Inverse squares",
    formula="INSQ = gain per document if C(i) = ((i + 2T − 1) / (i + 2T))²",
    citation="Moffat, Scholer and Thomas: Models and metrics: IR evaluation as a user process, ADCS 2012",
    parameters=(T, MIN_REL, MAX_REL),
    **GRADED,
)
def inverse_squares(rankings: Rankings, *, T: float, min_rel: int, max_rel: int | None) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> inverse_squares(ranking([1, 0, 1]), T=1, min_rel=0, max_rel=1).round(4).tolist()
    [0.4853]
    """
    return gain_per_document(
        rankings,
        gains_of(rankings, min_rel, max_rel),
        lambda gain, rank: np.broadcast_to(by_inverse_squares(rank + 2 * T), gain.shape),
    )


@measure(
    "INST",
    title="Inverse squares, adaptive",
    formula="INST = gain per document if C(i) = ((i + T + T(i) − 1) / (i + T + T(i)))², T(i) = T − gain so far",
    citation="Moffat, Bailey, Scholer and Thomas: INST: An adaptive metric for information retrieval evaluation, ADCS 2015",
    parameters=(T, MIN_REL, MAX_REL),
    **GRADED,
)
def inst(rankings: Rankings, *, T: float, min_rel: int, max_rel: int | None) -> Floats:
    """A reader who has gained more is sooner content. With T below ½, C is 0 where i + T + T(i) is below 1.

    >>> from ireval.measures.rankings import ranking
    >>> inst(ranking([1, 0, 1]), T=1, min_rel=0, max_rel=1).round(4).tolist()
    [0.7233]
    """

    return gain_per_document(
        rankings,
        gains_of(rankings, min_rel, max_rel),
        lambda gain, rank: by_inverse_squares(rank + 2 * T - np.cumsum(gain, axis=1)),
    )


@measure(
    "NERR8",
    title="Nearly expected reciprocal rank, equation 8",
    formula="NERR8@k = gain per document if C(i) = 1 − gain(i) for i < k",
    citation=NERR_CITATION.format(8),
    at=NEEDED_CUTOFF,
    parameters=(MIN_REL, MAX_REL),
    **GRADED,
)
def nerr_8(rankings: Rankings, *, cutoff: int, min_rel: int, max_rel: int | None) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> nerr_8(ranking([0, 1, 1]), cutoff=3, min_rel=0, max_rel=2).round(4).tolist()
    [0.3]
    """
    return gain_per_document(rankings, gains_of(rankings, min_rel, max_rel), lambda gain, rank: (1 - gain) * (rank < cutoff))


@measure(
    "NERR9",
    title="Nearly expected reciprocal rank, equation 9",
    formula="NERR9@k = gain per document if C(i) = i / (i + 1) · (1 − gain(i)) for i < k",
    citation=NERR_CITATION.format(9),
    at=NEEDED_CUTOFF,
    parameters=(MIN_REL, MAX_REL),
    **GRADED,
)
def nerr_9(rankings: Rankings, *, cutoff: int, min_rel: int, max_rel: int | None) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> nerr_9(ranking([0, 1, 1]), cutoff=3, min_rel=0, max_rel=2).round(4).tolist()
    [0.2]
    """
    return gain_per_document(
        rankings,
        gains_of(rankings, min_rel, max_rel),
        lambda gain, rank: rank / (rank + 1) * (1 - gain) * (rank < cutoff),
    )


@measure(
    "NERR10",
    title="Nearly expected reciprocal rank, equation 10",
    formula="NERR10 = gain per document if C(i) = p · (1 − gain(i))",
    citation=NERR_CITATION.format(10),
    parameters=(PERSISTENCE, MIN_REL, MAX_REL),
    **GRADED,
)
def nerr_10(rankings: Rankings, *, p: float, min_rel: int, max_rel: int | None) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> nerr_10(ranking([0, 1]), p=0.5, min_rel=0, max_rel=1).round(4).tolist()
    [0.3333]
    """
    return gain_per_document(rankings, gains_of(rankings, min_rel, max_rel), lambda gain, rank: p * (1 - gain))


@measure(
    "NERR11",
    title="Nearly expected reciprocal rank, equation 11",
    formula="NERR11 = gain per document if C(i) = ((i + 2T − 1) / (i + 2T))² · (1 − gain(i))",
    citation=NERR_CITATION.format(11),
    parameters=(T, MIN_REL, MAX_REL),
    **GRADED,
)
def nerr_11(rankings: Rankings, *, T: float, min_rel: int, max_rel: int | None) -> Floats:
    """
    >>> from ireval.measures.rankings import ranking
    >>> nerr_11(ranking([0, 1]), T=1, min_rel=0, max_rel=1).round(4).tolist()
    [0.3077]
    """
    return gain_per_document(
        rankings,
        gains_of(rankings, min_rel, max_rel),
        lambda gain, rank: by_inverse_squares(rank + 2 * T) * (1 - gain),
    )


@measure(
    "SDCG",
    title="Scaled discounted cumulated gain",
    formula="SDCG@k = Σ gain(i) / log₂(i + 1) over what k documents of the highest grade would reach",
    citation="Moffat et al., ACM TOIS 35(3), 2017, scaled DCG; Järvelin and Kekäläinen, ACM TOIS 20(4), 2002",
    at=NEEDED_CUTOFF,
    parameters=(MIN_REL, MAX_REL),
    **GRADED,
)
def scaled_dcg(rankings: Rankings, *, cutoff: int, min_rel: int, max_rel: int | None) -> Floats:
    """Unlike nDCG it takes for granted that there are k documents of the highest grade, judged or not.

    >>> from ireval.measures.rankings import ranking
    >>> scaled_dcg(ranking([1, 0, 1]), cutoff=3, min_rel=0, max_rel=1).round(4).tolist()
    [0.7039]
    """
    deepest = min(cutoff, DEPTH)
    gain = gains_of(rankings, min_rel, max_rel) * log_discount(rankings.rank)
    return rankings.sums(gain, rankings.rank <= deepest) / log_discount(np.arange(1, deepest + 1)).sum()
