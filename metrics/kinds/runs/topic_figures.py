"""Figures of one topic: what each run retrieved, precision and recall as relevant documents come, and the ranks of two runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ireval import BadMeasure, contingency, correlate, coverage_and_novelty, rank_table
from ireval.correlation.orderings import Correlation
from ireval.curves.curves import precision_recall
from ireval.measures.rankings import Rankings
from metrics.figures import charts
from metrics.figures.charts import Curve
from metrics.kinds.runs import evidence
from metrics.kinds.runs.curves import rankings_by
from metrics.kinds.runs.figures import Figure
from metrics.kinds.runs.results import Outcome
from metrics.kinds.runs.rules import rules_of

# Nobody looks through more rows; all are drawn.
MOST_ROWS = 200
GROUPS = {True: "Relevant", False: "Not relevant", None: "Unjudged"}


def query_curve(spec: Mapping[str, Any], runs: Mapping[str, pl.DataFrame], qrels: pl.DataFrame) -> Figure | None:
    """Precision by recall at each relevant document, for runs by name; None where none of them has found any.

    `runs` and `qrels` hold one topic. All rules of the report count, as for its measures.
    """
    points = {name: points_of(spec, run, qrels) for name, run in runs.items() if len(run)}
    curves = [Curve(name, precisions, recalls) for name, (_, recalls, precisions) in points.items() if recalls]
    if not curves:
        return None
    rows = [
        (f"{name}, rank {rank}", [recall, precision])
        for name, columns in points.items()
        for rank, recall, precision in zip(*columns, strict=True)
    ]
    return Figure(
        "query-curve",
        "Precision and recall",
        "Each mark is a relevant document: precision down to it, and the share of all relevant ones that were found by then.",
        charts.query_curve(curves),
        ["Run and rank", "Recall", "Precision"],
        rows,
    )


def points_of(spec: Mapping[str, Any], run: pl.DataFrame, qrels: pl.DataFrame) -> tuple[list[int], list[float], list[float]]:
    """The ranks of the relevant documents that one run has found, and recall and precision there."""
    rel = spec["relevant_from"]
    rankings = rankings_by(rules_of(dict(spec)), run, qrels, evidence.duplicates(spec))
    ranks = rankings.relevant(rel).rank
    curve = precision_recall(rankings, int(ranks.max(initial=1)), rel=rel, topics="qrels")
    at: np.ndarray = ranks - 1
    return ranks.tolist(), curve.recall[0, at].tolist(), curve.precision[0, at].tolist()


@dataclass(frozen=True)
class RetrievedSet:
    """A run's contingency table on the topic, and what it gives to a reader of the first run, who knows what that one found.

    `other_missed` is None if the collection has fewer documents than are known of. `coverage` is the share of the first run's
    relevant documents that this one retrieved too, `novelty` the share of its own relevant ones that the first lacks; None for
    the first run itself and where there are none to share.
    """

    name: str
    relevant_retrieved: int
    other_retrieved: int
    relevant_missed: int
    other_missed: int | None
    coverage: float | None
    novelty: float | None


def retrieved_sets(
    spec: Mapping[str, Any], runs: Mapping[str, pl.DataFrame], qrels: pl.DataFrame, documents: int
) -> list[RetrievedSet]:
    """One row per run by name, of one topic, in a collection of so many documents. All rules of the report count."""
    if qrels.is_empty():
        return []
    rel, rules, copies = spec["relevant_from"], rules_of(dict(spec)), evidence.duplicates(spec)
    by_name = {name: rankings_by(rules, run, qrels, copies) for name, run in runs.items()}
    first = next(iter(runs))
    known = runs[first].select("topic", "docno", grade=pl.lit(1, pl.Int64))
    return [
        RetrievedSet(name, *cells(rankings, documents, rel), *(shares(rankings, known, rel) if name != first else (None, None)))
        for name, rankings in by_name.items()
    ]


def cells(rankings: Rankings, documents: int, rel: int) -> tuple[int, int, int, int | None]:
    try:
        table = contingency(rankings, documents=documents or None, rel=rel)
    except BadMeasure:  # documents were not imported, or not all
        table = contingency(rankings, rel=rel)
    return table.drop("topic").row(0)


def shares(rankings: Rankings, known: pl.DataFrame, rel: int) -> tuple[float | None, float | None]:
    return coverage_and_novelty(rankings, known, rel=rel).select("coverage", "novelty").row(0)


@dataclass(frozen=True)
class RankScatter:
    """Where two runs, by their ids, put the documents that both have.

    `pairs` counts pairs of documents that both order alike, and that they order differently. `rows` are docno, both ranks, their
    difference and the grade, None for an unjudged document; not more than MOST_ROWS.
    """

    first: Outcome
    second: Outcome
    n: int
    tau: Correlation
    rho: Correlation
    footrule: Correlation
    pairs: tuple[int, int]
    rows: Sequence[tuple[str, float, float, float, int | None]]
    drawn: dict


def rank_scatter(
    pair: tuple[Outcome, Outcome], docnos: Mapping[int, Sequence[str]], grades: Mapping[str, int], relevant_from: int
) -> RankScatter | None:
    """The scatter of two runs' ranks, from each run's documents in order; None where they share no document."""
    first, second = pair
    orders = docnos[first.run], docnos[second.run]
    rows = [(*row, grades.get(row[0])) for row in rank_table(*orders).iter_rows()]
    if not rows:
        return None
    tau = correlate(*orders, "kendall")
    groups: dict[str, list[tuple[str, float, float]]] = {name: [] for name in GROUPS.values()}
    for docno, rank, other, _, grade in rows:
        groups[GROUPS[None if grade is None else grade >= relevant_from]].append((docno, rank, other))
    return RankScatter(
        first=first,
        second=second,
        n=len(rows),
        tau=tau,
        rho=correlate(*orders, "spearman"),
        footrule=correlate(*orders, "footrule"),
        pairs=pairs_of(tau, len(rows)),
        rows=rows[:MOST_ROWS],
        drawn=charts.rank_scatter(first.name, second.name, groups),
    )


def pairs_of(tau: Correlation, n: int) -> tuple[int, int]:
    """The concordant and the discordant pairs of n things without ties: τ is their difference over their sum."""
    every = n * (n - 1) // 2
    discordant = round(every * (1 - tau.value) / 2) if every else 0
    return every - discordant, discordant
