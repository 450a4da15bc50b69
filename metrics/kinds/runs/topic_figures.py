"""Figures of one topic: what each run retrieved, precision and recall as relevant documents come, and the ranks of two runs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import polars as pl
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ireval import correlate, rank_table
from ireval.correlation.orderings import Correlation
from judging.models import Document
from metrics.figures import charts, scatters
from metrics.figures.charts import Curve
from metrics.figures.scatters import RankMark
from metrics.kinds.runs.figures import Figure
from metrics.kinds.runs.results import Outcome
from metrics.kinds.runs.topic_sets import points_of
from metrics.models import Report

# Nobody looks through more rows; all are drawn.
MOST_ROWS = 200
GROUPS = {True: gettext_lazy("Relevant"), False: gettext_lazy("Not relevant"), None: gettext_lazy("Unjudged")}


def query_curve(report: Report, runs: Mapping[str, pl.DataFrame], qrels: pl.DataFrame) -> Figure | None:
    """Precision by recall at each relevant document, for runs by name; None where none of them has found any.

    `runs` and `qrels` hold one topic. All rules of the report count, as for its measures. Each mark leads to its document.
    """
    points = {name: points_of(report.spec, run, qrels) for name, run in runs.items() if len(run)}
    known = document_addresses(report, {docno for column in points.values() for docno in column.docnos})
    curves = [
        Curve(name, column.precisions, column.recalls, addresses=[known.get(docno, "") for docno in column.docnos])
        for name, column in points.items()
        if column.docnos
    ]
    if not curves:
        return None
    rows = [(name, *row) for name, columns in points.items() for row in zip(*columns, strict=True)]
    return Figure(
        "query-curve",
        _("Precision and recall"),
        _("Each mark is a relevant document: precision down to it, and the share of all relevant ones that were found by then."),
        charts.query_curve(curves),
        [_("Run and rank"), _("Recall"), _("Precision")],
        [
            (_("%(run)s, rank %(rank)s") % {"run": name, "rank": rank}, [recall, precision])
            for name, _docno, rank, recall, precision in rows
        ],
        [known.get(docno, "") for _, docno, *_ in rows],
    )


def document_addresses(report: Report, docnos: Collection[str]) -> dict[str, str]:
    """The addresses of those documents that the report's collection has."""
    keys = Document.objects.filter(collection=report.collection_id, docno__in=docnos).values_list("docno", "pk")
    return {docno: reverse("document", args=[pk]) for docno, pk in keys}


@dataclass(frozen=True)
class RankScatter:
    """Where two runs, by their ids, put the documents that both have.

    `pairs` counts pairs of documents that both order alike, and that they order differently. `rows` are a document's address and
    docno, both ranks, their difference and the grade, None for an unjudged document; not more than MOST_ROWS.
    """

    first: Outcome
    second: Outcome
    n: int
    tau: Correlation
    rho: Correlation
    footrule: Correlation
    pairs: tuple[int, int]
    rows: Sequence[tuple[str, str, float, float, float, int | None]]
    drawn: dict


def rank_scatter(
    report: Report, pair: tuple[Outcome, Outcome], docnos: Mapping[int, Sequence[str]], grades: Mapping[str, int]
) -> RankScatter | None:
    """The scatter of two runs' ranks, from each run's documents in order; None where they share no document."""
    first, second = pair
    orders = docnos[first.run], docnos[second.run]
    ranks = rank_table(*orders)
    if ranks.is_empty():
        return None
    known = document_addresses(report, ranks["thing"].to_list())
    rows = [(known.get(row[0], ""), *row, grades.get(row[0])) for row in ranks.iter_rows()]
    tau = correlate(*orders, "kendall")
    groups: dict[str, list[RankMark]] = {str(name): [] for name in GROUPS.values()}
    for address, docno, rank, other, _difference, grade in rows:
        is_relevant = None if grade is None else grade >= report.spec["relevant_from"]
        groups[str(GROUPS[is_relevant])].append(RankMark(docno, rank, other, address))
    return RankScatter(
        first=first,
        second=second,
        n=len(rows),
        tau=tau,
        rho=correlate(*orders, "spearman"),
        footrule=correlate(*orders, "footrule"),
        pairs=pairs_of(tau, len(rows)),
        rows=rows[:MOST_ROWS],
        drawn=scatters.rank_scatter(first.name, second.name, groups),
    )


def pairs_of(tau: Correlation, n: int) -> tuple[int, int]:
    """The concordant and the discordant pairs of n things without ties: τ is their difference over their sum."""
    every = n * (n - 1) // 2
    discordant = round(every * (1 - tau.value) / 2) if every else 0
    return every - discordant, discordant
