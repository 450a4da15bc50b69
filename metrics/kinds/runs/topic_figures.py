"""Figures of one topic: precision and recall as relevant documents come, and the ranks of two runs."""

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from metrics.figures import charts, scatters
from metrics.figures.charts import Curve
from metrics.figures.scatters import RankMark
from metrics.kinds.runs.figures import Figure
from metrics.kinds.runs.topic_rankings import RankComparison
from metrics.kinds.runs.topic_sets import RelevantFound

GROUPS = {True: gettext_lazy("Relevant"), False: gettext_lazy("Not relevant"), None: gettext_lazy("Unjudged")}


def query_curve(found: Mapping[str, RelevantFound], addresses: Mapping[str, str]) -> Figure | None:
    """Precision by recall at each relevant document, for runs by name; None where none of them has found any.

    Each mark leads to its document's address.
    """
    curves = [
        Curve(name, column.precisions, column.recalls, addresses=[addresses.get(docno, "") for docno in column.docnos])
        for name, column in found.items()
        if column.docnos
    ]
    if not curves:
        return None
    rows = [(name, *row) for name, columns in found.items() for row in zip(*columns, strict=True)]
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
        [addresses.get(docno, "") for _, docno, *_ in rows],
    )


def rank_scatter(ranks: RankComparison, relevant_from: int) -> dict:
    """The documents that two runs share, each by both ranks."""
    groups: dict[str, list[RankMark]] = {str(name): [] for name in GROUPS.values()}
    for address, docno, rank, other, _difference, grade in ranks.rows:
        is_relevant = None if grade is None else grade >= relevant_from
        groups[str(GROUPS[is_relevant])].append(RankMark(docno, rank, other, address))
    return scatters.rank_scatter(ranks.first.name, ranks.second.name, groups)
