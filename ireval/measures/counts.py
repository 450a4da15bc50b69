"""Counts of documents retrieved, relevant, and both. They are summed over topics, not averaged."""

from typing import Any

import numpy as np

from ireval.arrays import Ints
from ireval.measures.rankings import Rankings
from ireval.measures.registry import DEEPEST, REL, measure

COUNT: dict[str, Any] = {
    "citation": "Text REtrieval Conference, trec_eval",
    "looks_at": "set",
    "gains": "binary",
    "aggregate": "sum",
    "whole": True,
    "better": "neither",
    "range": (0, DEEPEST),
}


@measure(
    "NumQ",
    title="Topics counted",
    formula="n",
    degenerate="every topic counts 1, also one without relevant documents",
    trec="num_q",
    only_over_all=True,
    **COUNT,
)
def num_q(rankings: Rankings) -> Ints:
    """
    >>> from ireval.measures.rankings import ranking
    >>> num_q(ranking([1, None, 0])).tolist()
    [1]
    """
    return np.ones(len(rankings), np.int64)


@measure(
    "NumRet",
    title="Documents retrieved",
    formula="|retrieved|",
    degenerate="0 for a topic that the run lacks",
    aliases=("retrieved",),
    trec="num_ret",
    **COUNT,
)
def num_ret(rankings: Rankings) -> Ints:
    """
    >>> from ireval.measures.rankings import ranking
    >>> num_ret(ranking([1, None, 0], missed=[1])).tolist()
    [3]
    """
    return rankings.retrieved


@measure(
    "NumRel",
    title="Relevant documents",
    formula="R = |relevant|",
    degenerate="0 for a topic without relevant documents",
    parameters=(REL,),
    trec="num_rel",
    **COUNT,
)
def num_rel(rankings: Rankings, *, rel: int) -> Ints:
    """
    >>> from ireval.measures.rankings import ranking
    >>> num_rel(ranking([1, None, 0], missed=[1]), rel=1).tolist()
    [2]
    """
    return rankings.relevant(rel).total


@measure(
    "NumRelRet",
    title="Relevant documents retrieved",
    formula="|relevant ∩ retrieved|",
    degenerate="0 for a topic that the run lacks",
    parameters=(REL,),
    trec="num_rel_ret",
    **COUNT | {"better": "higher"},
)
def num_rel_ret(rankings: Rankings, *, rel: int) -> Ints:
    """
    >>> from ireval.measures.rankings import ranking
    >>> num_rel_ret(ranking([1, None, 0], missed=[1]), rel=1).tolist()
    [1]
    """
    return rankings.relevant(rel).count()


@measure(
    "NumNonrelJudgedRet",
    title="Documents retrieved that were judged not relevant",
    formula="|judged and not relevant ∩ retrieved|",
    degenerate="0 for a topic that the run lacks; grades below 0 do not count as judged, as in trec_eval",
    parameters=(REL,),
    trec="num_nonrel_judged_ret",
    **COUNT,
)
def num_nonrel_judged_ret(rankings: Rankings, *, rel: int) -> Ints:
    """
    >>> from ireval.measures.rankings import ranking
    >>> num_nonrel_judged_ret(ranking([1, None, 0, -1]), rel=1).tolist()
    [1]
    """
    return rankings.count((rankings.grade >= 0) & (rankings.grade < rel))
