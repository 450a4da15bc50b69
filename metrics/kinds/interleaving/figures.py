"""Figures of an interleaving report: the answer, and the preference over time."""

from datetime import datetime
from typing import Any

from django.utils.dateformat import format as date_in_words
from django.utils.translation import gettext as _

from metrics.figures.intervals import Intervals, Mark, around, known
from metrics.figures.times import Moment, over_time
from metrics.kinds.experiments.figures import MOMENT, MOST_FIGURES, caption, heads, name_of_pair, title_over_time
from metrics.kinds.interleaving.results import Duel, InterleavingResults
from metrics.kinds.interleaving.words import shares_of
from metrics.sentences import percent

FIXED, ALWAYS = ("delta_low", "delta_high"), ("always_low", "always_high")


def answer(results: InterleavingResults) -> Intervals | None:
    """The share of votes that the first of every two arms gets."""
    marks = [
        Mark(
            name_of_pair(duel.first, duel.second), 0.5 + duel.delta, 0.5 + duel.decision.low, 0.5 + duel.decision.high,
            f"{percent(0.5 + duel.delta, 1)} [{', '.join(shares_of(duel.decision))}]",
        )
        for duel in results.duels if duel.decision.outcome != "unknown"
    ]  # fmt: skip
    return around(_("Share of votes, ½ is no preference"), marks, even=0.5, unit="%")


def looks(results: InterleavingResults) -> list[dict[str, Any]]:
    """One figure per arm against the control over time; none for an arm with fewer than two looks."""
    pairs = [(duel.first, duel.second) for duel in results.duels[:MOST_FIGURES] if duel.second == results.choice.control]
    every = [(at, duel) for at, duels in results.looks for duel in duels]
    series = [[(at, duel) for at, duel in every if (duel.first, duel.second) == pair] for pair in pairs]
    return [look_figure(results, pair_looks, f"looks-{place}") for place, pair_looks in enumerate(series) if len(pair_looks) > 1]


def look_figure(results: InterleavingResults, pair_looks: list[tuple[datetime, Duel]], key: str) -> dict[str, Any]:
    first, second = pair_looks[0][1].first, pair_looks[0][1].second
    moments = [
        Moment(at.isoformat(), duel.delta, ends(duel, FIXED), ends(duel, ALWAYS), f"#{key}-{place}")
        for place, (at, duel) in enumerate(pair_looks)
    ]
    shown = _("Δ by all records until each moment, above 0 where %(system)s is preferred.")
    return {
        "key": key,
        "title": title_over_time(first, second),
        "caption": f"{shown % {'system': first}} {caption(results, 1 - results.experiment.alpha)}",
        "drawn": over_time("Δ", moments, always=results.choice.always),
        "heads": heads("Δ"),
        "rows": [
            (date_in_words(at, MOMENT), duel.users, [look.value, *look.fixed, *look.always])
            for (at, duel), look in zip(pair_looks, moments, strict=True)
        ],
    }


def ends(duel: Duel, names: tuple[str, str]) -> tuple[float, float]:
    low, high = (known(duel.analysis[name]) for name in names)
    return low, high
