"""User-oriented measures: what a search gives to a reader who knows some documents already, or expects to find so many.

Source: Baeza-Yates and Ribeiro-Neto, Modern information retrieval, 1999, chapter 3 (user-oriented measures); Korfhage,
Information storage and retrieval, 1997.
"""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.arrays import Floats
from ireval.io.arguments import require_count, require_numbers
from ireval.io.frames import Source, as_qrels
from ireval.io.qrels import highest_grades
from ireval.measures.arrangement import as_rankings
from ireval.measures.rankings import Blocks, Qrels, Rankings
from ireval.measures.registry import CUTOFF, DEEPEST, REL, Parameter, measure

EXPECTED = Parameter("n", "how many relevant documents the reader expects to find", int, 1, DEEPEST, 1)
EXPECTING: dict[str, Any] = {
    "citation": "Baeza-Yates and Ribeiro-Neto: Modern information retrieval, 1999, chapter 3 (user-oriented measures)",
    "gains": "binary",
    "at": CUTOFF,
    "parameters": (EXPECTED, REL),
}


@measure(
    "RelativeRecall",
    title="Relative recall",
    formula="RelativeRecall@k = relevant documents among the first k / n, at most 1",
    looks_at="set",
    degenerate="0 without relevant documents; 1 as soon as n are found, as the reader stops there",
    **EXPECTING,
)
def relative_recall(rankings: Rankings, *, cutoff: int | None, n: int, rel: int) -> Floats:
    """The share of the relevant documents that the reader expected. Success@k is that of one.

    Not the share of what several systems have found together, which is R@k by qrels of their pool.

    >>> from ireval.measures.rankings import ranking
    >>> relative_recall(ranking([1, 0, 1], missed=[1] * 8), cutoff=None, n=5, rel=1).tolist()
    [0.4]
    """
    relevant = rankings.relevant(rel)
    return np.minimum(relevant.count(relevant.rank <= (cutoff or DEEPEST)), n) / n


@measure(
    "RecallEffort",
    title="Recall effort",
    formula="RecallEffort@k = n / rank of the n-th relevant document; 0 if it is not among the first k",
    looks_at="rank",
    degenerate="0 where fewer than n relevant documents are among the first k, or exist at all: the effort has no end",
    **EXPECTING,
)
def recall_effort(rankings: Rankings, *, cutoff: int | None, n: int, rel: int) -> Floats:
    """How many documents a reader wants for each that they must examine: n / SL(n=n). That of one document is RR.

    >>> from ireval.measures.rankings import ranking
    >>> recall_effort(ranking([1, 0, None, 1]), cutoff=None, n=2, rel=1).tolist()
    [0.5]
    """
    relevant = rankings.relevant(rel)
    nth = (relevant.number == n) & (relevant.rank <= (cutoff or DEEPEST))
    effort = np.zeros(len(rankings))
    effort[relevant.topic[nth]] = n / relevant.rank[nth]
    return effort


def coverage_and_novelty(
    run: Source | Blocks | Rankings,
    qrels: Source | Qrels | None = None,
    *,
    known: Source,
    cutoff: int | None = None,
    rel: int = 1,
) -> pl.DataFrame:
    """Coverage ratio and novelty ratio of each topic, one row per topic of the qrels; of a run and its qrels, or of Rankings.

    `known` says which documents the reader knew before, as as_qrels takes qrels: grades from 1 up are known. Only relevant ones
    matter (grades from `rel` up), and of the ranking only its first `cutoff` documents. Columns: topic, known (relevant documents
    known), known_retrieved, new_retrieved, coverage (known_retrieved / known) and novelty (the share of new among the relevant
    retrieved). Coverage is null where the reader knew none, novelty where nothing relevant was retrieved. Raises BadFile
    for `known` that is no such table.

    >>> run, qrels = {"1": {"a": 4, "b": 3, "c": 2}}, {"1": {"a": 1, "b": 1, "d": 1}}
    >>> coverage_and_novelty(run, qrels, known={"1": {"a": 1, "d": 1}}).row(0)
    ('1', 2, 1, 1, 0.5, 0.5)
    """
    rankings = as_rankings(run, qrels)
    require_numbers(rel=rel)
    if cutoff is not None:
        require_count("cutoff", cutoff)
    judged, is_known = rankings.qrels, known_documents(rankings, known)
    among_first = (rankings.grade >= rel) & (rankings.rank <= (cutoff or DEEPEST))
    counts = {
        "known": judged.count(is_known & (judged.grade >= rel)),
        "known_retrieved": rankings.count(among_first & is_known[rankings.place]),
        "new_retrieved": rankings.count(among_first & ~is_known[rankings.place]),
    }
    old, new = pl.col("known_retrieved"), pl.col("new_retrieved")
    return pl.DataFrame({"topic": judged.topics, **counts}, schema_overrides={"topic": pl.String}).with_columns(
        coverage=pl.when(pl.col("known") > 0).then(old / pl.col("known")),
        novelty=pl.when(old + new > 0).then(new / (old + new)),
    )


def known_documents(rankings: Rankings, known: Source) -> NDArray[np.bool_]:
    """Whether each of the qrels' documents is known, (n,); who knows one near-duplicate knows all, where they count once."""
    listed = highest_grades(as_qrels(known, name="known documents")).filter(pl.col("grade") > 0).select("topic", "docno")
    documents = rankings.qrels.documents.select("topic", "docno")
    marked = documents.join(listed.with_columns(known=True), on=["topic", "docno"], how="left", maintain_order="left")
    is_known = marked["known"].is_not_null().to_numpy()
    holder = rankings.qrels.grade_holder
    return is_known if holder is None else np.isin(holder, holder[is_known])
