"""Inferred average precision: estimated from a random sample of the pool."""

from ireval.arrays import Floats, share
from ireval.measures.rankings import Rankings, positions
from ireval.measures.registry import REL, measure

# As in trec_eval: it keeps the share of relevant documents defined where no judged document stands above.
EPSILON = 1e-5


@measure(
    "infAP",
    title="Inferred average precision",
    formula="infAP = 1/R · Σ over relevant documents retrieved of (1 + pooled above · (rel + ε) / (rel + nonrel + 2ε)) / rank",
    citation="Yilmaz and Aslam: Estimating average precision with incomplete and imperfect judgments, CIKM 2006",
    looks_at="rank",
    gains="binary",
    degenerate="0 without relevant documents; equals AP, but for ε, where the whole pool was judged",
    parameters=(REL,),
    trec="infAP",
)
def inferred_average_precision(rankings: Rankings, *, rel: int) -> Floats:
    """`rel` and `nonrel` count the judged documents above; ε is 10⁻⁵.

    As in trec_eval, a grade below 0 marks a document of the pool that is not in the judged sample. Documents without a grade
    were not in the pool and count as not relevant.

    >>> from ireval.measures.rankings import ranking
    >>> inferred_average_precision(ranking([1, 0, -1, None, 1]), rel=1).round(4).tolist()
    [0.75]
    """
    relevant = rankings.relevant(rel)
    pooled_above = positions(rankings.topic, len(rankings))[rankings.grade >= rel] - 1
    relevant_above = relevant.number - 1
    judged_above = relevant_above + relevant.nonrelevant_above
    likely = (relevant_above + EPSILON) / (judged_above + 2 * EPSILON)
    return share(relevant.sums((1 + pooled_above * likely) / relevant.rank), relevant.total)
