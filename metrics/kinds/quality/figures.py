"""Figures of a graded study: how far workers agree, on a scale with names; which grades meet on an item; the workers."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from django.urls import reverse
from django.utils.translation import gettext as _

from ireval.agreement.coefficients import coincidences
from judging.text.library_words import in_reader_language
from metrics.figures import scatters
from metrics.figures.bars import Bar, whiskers
from metrics.figures.intervals import Intervals, Mark, Scale, known
from metrics.figures.scatters import WorkerMark
from metrics.kinds.quality.results import Coefficient
from metrics.kinds.quality.systems import Effect, System
from metrics.kinds.runs.results import Estimate
from metrics.sentences import capitalised, decimal

# Krippendorff's limits: labels are reliable from the second on, tentative from the first on (docs/reference/quality.md).
TENTATIVE, RELIABLE = 0.667, 0.8


def agreement(coefficients: Iterable[Coefficient]) -> Intervals | None:
    """The coefficients that allow for chance, with their intervals; None where none is defined."""
    marks = [
        Mark(
            capitalised(in_reader_language(coefficient.title)),
            value,
            known(coefficient.low),
            known(coefficient.high),
            in_words(value),
        )
        for coefficient in coefficients
        for value in [coefficient.value]
        if value is not None and coefficient.name != "percent"
    ]
    if not marks:
        return None
    start = min(0.0, *(end for mark in marks for end in (mark.value, mark.low) if not math.isnan(end)))
    title = _("0 is chance, 1 perfect: weak below %(tentative)s, fair, good from %(reliable)s on")
    limits = {"tentative": TENTATIVE, "reliable": RELIABLE}
    return Intervals(title % limits, marks, Scale(start, 1.0, (TENTATIVE, RELIABLE)))


def in_words(value: float) -> str:
    """
    >>> in_words(0.5), in_words(0.667), in_words(0.91)
    ('0.500, weak', '0.667, fair', '0.910, good')
    """
    good, fair, weak = _("%(value)s, good"), _("%(value)s, fair"), _("%(value)s, weak")
    text = good if value >= RELIABLE else fair if value >= TENTATIVE else weak
    return text % {"value": decimal(value)}


class GradeRow(NamedTuple):
    """Of the votes beside one vote for `grade`, how many were for each grade, and their share of `votes`, the row's sum."""

    grade: int
    cells: list[tuple[float, float]]
    votes: float


def grades_meet(items: pl.DataFrame, grades: Sequence[int]) -> list[GradeRow]:
    """Which grades the same item gets, by the coincidences of Krippendorff's α; nothing where no item has two votes.

    `items` has `votes`, a list of how many each of the `grades` got. A vote counts once, its item's other votes in equal parts.
    """
    counts = np.array(items.filter(pl.col("votes").list.sum() > 1)["votes"].to_list(), np.float64).reshape(-1, len(grades))
    table = coincidences(counts).sum(axis=0)
    given = table.any(axis=1)  # a grade that nobody gave has neither row nor column
    return [
        GradeRow(grade, [(float(count), float(count / row.sum())) for count in row[given]], float(row.sum()))
        for grade, row in zip(np.array(grades)[given].tolist(), table[given], strict=True)
    ]


def scatter(rows: Iterable[Mapping[str, Any]], names: Mapping[int, str], addresses: Mapping[int, str]) -> dict | None:
    """Workers by how far they agree with the others and how long they take; None where nobody can be compared."""
    usual, odd = _("Nothing stands out"), _("To look at")
    groups: dict[str, list[WorkerMark]] = {usual: [], odd: []}
    for row in rows:
        pk, agreement, seconds = row["worker"], row["agreement"], row["seconds"]
        if row["compared"] and agreement is not None and seconds and pk in names:
            groups[odd if row["why"] else usual].append(WorkerMark(names[pk], agreement, seconds, row["answered"], addresses[pk]))
    return scatters.workers(groups) if any(groups.values()) else None


def effect_figure(effect: Effect) -> dict:
    """The systems' means and intervals, the best on top."""
    shown = [system for system in effect.systems if system.alone.mean is not None]
    series = [(_("Topics alone"), [bar(system, system.alone_shown) for system in shown])]
    if not effect.undefined:
        series.append((_("Topics and workers"), [bar(system, system.both_shown) for system in shown]))
    return whiskers([system.name for system in shown], series)


def bar(system: System, shown: Estimate) -> Bar:
    return Bar(system.name, shown.mean or 0, shown.low, shown.high, reverse("run", args=[system.run]))
