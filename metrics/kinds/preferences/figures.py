"""Figures of a side-by-side study's answer: of many systems, and of two."""

import math
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from metrics.figures.intervals import Intervals, Mark, Scale, around, known
from metrics.figures.scatters import preferences_by_measure
from metrics.kinds.preferences.measure_agreement import MeasureComparison
from metrics.kinds.preferences.results import Duel, PreferenceResults
from metrics.kinds.preferences.words import counted
from metrics.sentences import decimal, in_brackets, percents


def strengths(results: PreferenceResults) -> Intervals | None:
    """The strength of each of many systems; None where two were compared, or groups that nobody compared with each other."""
    if any(row["component"] > 1 for row in results.ladder):
        return None
    marks = [
        Mark(row["system"], row["strength"], low, high, f"{decimal(row['strength'], 2)} {in_brackets(low, high, 2)}".strip())
        for row in results.ladder
        for low, high in [(known(row["low"]), known(row["high"]))]
    ]
    return around(_("Strength, 0 on average"), marks, even=0.0)


def score(duel: Duel) -> Intervals:
    """The share of votes that the first of two systems gets, a tie being half a vote."""
    decision = duel["decision"]
    ends = ", ".join(end.removesuffix(" %") for end in percents([decision.low, decision.high]))
    sure = "" if math.isnan(decision.low) else f" [{ends}]"
    label = _("For %(system)s") % {"system": duel["first"]}
    mark = Mark(label, decision.value, decision.low, decision.high, f"{100 * decision.value:.0f} %{sure}")
    return Intervals(counted(duel), [mark], Scale(0.0, 1.0, (0.5,), "%"))


def by_measure(
    comparison: MeasureComparison, first: str, names: Mapping[str, str], addresses: Mapping[str, str]
) -> dict[str, Any]:
    """A mark per topic with its name; each leads to its address, both by topic."""
    named = [
        {**row, "name": names[row["topic"]], "address": addresses.get(row["topic"], "")} for row in comparison.table.to_dicts()
    ]
    return preferences_by_measure(named, first, comparison.measure)
