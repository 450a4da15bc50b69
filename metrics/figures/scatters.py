"""Scatter plots: topics by measure and preference, documents by two ranks, workers by agreement and speed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from metrics.figures.charts import LEGEND, PERCENT, SHARES, SYMBOLS, Curve, axis, baseline, curves, shortened


def preferences_by_measure(topics: Sequence[Mapping[str, Any]], first: str, measure: str) -> dict:
    """One mark per topic: people's preference for the first system over its difference by the measure."""
    farthest = max((abs(topic["difference"]) for topic in topics), default=1) * 1.08 or 1
    lines = [baseline(Curve("", [-0.02, 1.02], [0, 0])), baseline(Curve("", [0.5, 0.5], [-farthest, farthest]))]
    groups = {
        _("Workers and measure prefer the same"): [row for row in topics if (row["score"] - 0.5) * row["difference"] > 0],
        _("They prefer different ones"): [row for row in topics if (row["score"] - 0.5) * row["difference"] < 0],
        _("A tie for one of them"): [row for row in topics if row["score"] == 0.5 or row["difference"] == 0],
    }
    return {
        "data": [
            *({**line, "showlegend": False, "hoverinfo": "skip"} for line in lines),
            *(dots(name, rows, tone) for tone, (name, rows) in enumerate(groups.items()) if rows),
        ],
        "layout": {
            "xaxis": axis(_("Difference in %(measure)s") % {"measure": measure}, {"range": [-farthest, farthest]}),
            "yaxis": axis(_("Preference for %(system)s") % {"system": shortened(first)}, SHARES),
            "legend": LEGEND,
            "hovermode": "closest",
        },
        "height": {"plot": 400, "row": 24},
    }


def dots(name: str, topics: Sequence[Mapping[str, Any]], tone: int) -> dict:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [row["difference"] for row in topics],
        "y": [row["score"] for row in topics],
        "customdata": [[row["name"], row["n"]] for row in topics],
        "marker": {"symbol": SYMBOLS[tone], "size": 10, "opacity": 0.8},
        "hovertemplate": _("topic %(name)s") % {"name": "%{customdata[0]}"}
        + ", n = %{customdata[1]}<br>%{x:.4f}, "
        + _("preference %(share)s") % {"share": "%{y:.3f}<extra></extra>"},
        "meta": {"tone": tone, "addresses": [row.get("address", "") for row in topics]},
    }


class RankMark(NamedTuple):
    """A document at its ranks by two systems."""

    docno: str
    rank: float
    other: float
    address: str


def rank_scatter(first: str, second: str, groups: Mapping[str, Sequence[RankMark]]) -> dict:
    """One mark per document, in groups by name; on the line both ranks are equal."""
    deepest = max(rank for marks in groups.values() for mark in marks for rank in (mark.rank, mark.other))
    same = {**baseline(Curve(_("Same rank"), [1, deepest], [1, deepest])), "hoverinfo": "skip"}
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": [mark.rank for mark in marks],
            "y": [mark.other for mark in marks],
            "customdata": [mark.docno for mark in marks],
            "marker": {"symbol": SYMBOLS[tone], "size": 8, "opacity": 0.8},
            "hovertemplate": "%{customdata}<br>"
            + _("rank %(first)s and %(second)s") % {"first": "%{x}", "second": "%{y}<extra></extra>"},
            "meta": {"tone": tone, "addresses": [mark.address for mark in marks]},
        }
        for tone, (name, marks) in enumerate(groups.items())
        if marks
    ]
    return {
        "data": [same, *traces],
        "layout": {
            "xaxis": axis(_("Rank by %(system)s") % {"system": shortened(first)}),
            "yaxis": axis(_("Rank by %(system)s") % {"system": shortened(second)}),
            "legend": LEGEND,
            "hovermode": "closest",
        },
        "height": {"plot": 400, "row": 24},
    }


@dataclass(frozen=True)
class WorkerMark:
    """A worker's agreement with the others, median seconds an answer and number of answers."""

    name: str
    agreement: float
    seconds: float
    answers: int
    address: str


# The diameters, in pixels, of the marks of who answered least and most.
SMALLEST, LARGEST = 8, 30


def workers(groups: Mapping[str, Sequence[WorkerMark]]) -> dict:
    """One mark per worker, in groups by name: how far they agree over how long they take, the larger the more they answered."""
    most = max(worker.answers for rows in groups.values() for worker in rows)
    seconds = axis(_("Median seconds per answer"), {"type": "log", "rangemode": "normal"})
    return curves(
        [
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": [worker.seconds for worker in rows],
                "y": [worker.agreement for worker in rows],
                "customdata": [[worker.name, worker.answers] for worker in rows],
                "marker": {
                    "symbol": SYMBOLS[tone],
                    "size": [round(max(SMALLEST, LARGEST * math.sqrt(worker.answers / most)), 1) for worker in rows],
                    "opacity": 0.7,
                },
                "meta": {"tone": tone, "addresses": [worker.address for worker in rows]},
            }
            for tone, (name, rows) in enumerate(groups.items())
            if rows
        ],
        seconds,
        axis(_("Agreement with the others"), PERCENT | {"range": [-0.05, 1.05]}),
        "%{customdata[0]}: %{y:.0%}, " + _("%(n)s seconds") % {"n": "%{x:.1f}"} + ", n = %{customdata[1]}",
    )
