"""Figures of one topic: each run's precision and recall as its relevant documents come, and the ranks that two runs give."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ireval import correlate, rank_table
from ireval.correlation.orderings import Correlation
from ireval.curves.curves import precision_recall
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
class RankScatter:
    """Where two runs, by their ids, put the documents that both have.

    `rows` are docno, both ranks, their difference and the grade, None for an unjudged document; not more than MOST_ROWS.
    """

    first: Outcome
    second: Outcome
    n: int
    tau: Correlation
    rho: Correlation
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
    groups: dict[str, list[tuple[str, float, float]]] = {name: [] for name in GROUPS.values()}
    for docno, rank, other, _, grade in rows:
        groups[GROUPS[None if grade is None else grade >= relevant_from]].append((docno, rank, other))
    return RankScatter(
        first=first,
        second=second,
        n=len(rows),
        tau=correlate(*orders, "kendall"),
        rho=correlate(*orders, "spearman"),
        rows=rows[:MOST_ROWS],
        drawn=charts.rank_scatter(first.name, second.name, groups),
    )
