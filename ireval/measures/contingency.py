"""The contingency table of a topic, retrieved or not by relevant or not, and what needs its last cell: fallout and generality.

Unjudged documents are non-relevant here, so that the table holds the whole collection.
"""

from typing import Any

import numpy as np
import polars as pl

from ireval.arrays import Floats, Ints, share
from ireval.io.arguments import require_count, require_numbers
from ireval.io.frames import Source
from ireval.measures.arrangement import as_rankings
from ireval.measures.rankings import Blocks, Qrels, Rankings
from ireval.measures.registry import CUTOFF, DEEPEST, REL, BadMeasure, Parameter, measure

DOCUMENTS = Parameter("documents", "size of the collection", int, 1, DEEPEST, required=True, example=1000)
SIZED: dict[str, Any] = {"looks_at": "set", "gains": "binary"}


@measure(
    "Fallout",
    title="Fallout",
    formula="Fallout@k = non-relevant documents among the first k / non-relevant documents of the collection",
    citation="van Rijsbergen: Information retrieval, 1979, chapter 7",
    degenerate="0, the best, where nothing was retrieved, and in a collection without non-relevant documents; unjudged documents "
    "are non-relevant",
    at=CUTOFF,
    parameters=(DOCUMENTS, REL),
    better="lower",
    **SIZED,
)
def fallout(rankings: Rankings, *, cutoff: int | None, documents: int, rel: int) -> Floats:
    """BadMeasure if a topic alone has more documents than `documents`. Of judged documents only it is the x of the ROC curve.

    >>> from ireval.measures.rankings import ranking
    >>> fallout(ranking([1, 0, None], missed=[1, 0]), cutoff=None, documents=10, rel=1).tolist()
    [0.25]
    """
    table = cells(rankings, documents=documents, cutoff=cutoff, rel=rel)
    return share(table["other_retrieved"], table["other_retrieved"] + table["other_missed"])


@measure(
    "Generality",
    title="Generality",
    formula="Generality = R / documents of the collection",
    citation="van Rijsbergen: Information retrieval, 1979, chapter 7",
    degenerate="0 for a topic without relevant documents",
    parameters=(DOCUMENTS, REL),
    better="neither",
    **SIZED,
)
def generality(rankings: Rankings, *, documents: int, rel: int) -> Floats:
    """How easy a topic is by chance: the precision of documents drawn at random. BadMeasure as in `fallout`.

    >>> from ireval.measures.rankings import ranking
    >>> generality(ranking([1, 0, None], missed=[1, 0]), documents=10, rel=1).tolist()
    [0.2]
    """
    table = cells(rankings, documents=documents, cutoff=None, rel=rel)
    return (table["relevant_retrieved"] + table["relevant_missed"]) / documents


def contingency(
    run: Source | Blocks | Rankings,
    qrels: Source | Qrels | None = None,
    *,
    documents: int | None = None,
    cutoff: int | None = None,
    rel: int = 1,
) -> pl.DataFrame:
    """Each topic's contingency table, one row per topic of the qrels; of a run and its qrels, or of Rankings.

    Columns: topic, relevant_retrieved (true positives), other_retrieved (false positives), relevant_missed (false negatives) and
    other_missed (true negatives). `documents` is the size of the collection; without it other_missed is null. Only the first
    `cutoff` documents count as retrieved; grades from `rel` up are relevant, all other documents are not. A topic that the run
    lacks has nothing retrieved. BadMeasure if a topic alone has more documents than `documents`.

    >>> contingency({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 1, "c": 1}}, documents=10).row(0)
    ('1', 1, 1, 1, 7)
    """
    rankings = as_rankings(run, qrels)
    require_numbers(rel=rel)
    for name, number in (("documents", documents), ("cutoff", cutoff)):
        if number is not None:
            require_count(name, number)
    table = cells(rankings, documents=documents, cutoff=cutoff, rel=rel)
    return pl.DataFrame({"topic": rankings.qrels.topics, **table}, schema_overrides={"topic": pl.String}).with_columns(
        *([] if documents else [pl.lit(None, pl.Int64).alias("other_missed")])
    )


def cells(rankings: Rankings, *, documents: int | None, cutoff: int | None, rel: int) -> dict[str, Ints]:
    """The four cells, (T,) each; without `documents` only three."""
    relevant = rankings.relevant(rel)
    hits = relevant.count(relevant.rank <= (cutoff or DEEPEST))
    others = np.minimum(rankings.retrieved, cutoff or DEEPEST) - hits
    table = {"relevant_retrieved": hits, "other_retrieved": others, "relevant_missed": relevant.total - hits}
    if documents is None:
        return table
    check_size(rankings, documents, rankings.retrieved + relevant.total - relevant.count())
    return {**table, "other_missed": documents - relevant.total - others}


def check_size(rankings: Rankings, documents: int, known: Ints) -> None:
    """BadMeasure if a topic has more `known` documents, retrieved or relevant, than the collection."""
    if (known > documents).any():
        topic = int(known.argmax())
        raise BadMeasure(
            f"documents is {documents:,}, but {known[topic]:,} were retrieved or are relevant for topic "
            f"{rankings.qrels.topics[topic]}; expected the size of the whole collection"
        )
