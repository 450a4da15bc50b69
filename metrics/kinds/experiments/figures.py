"""A report's figures: how the difference went on, and how many users came."""

import math
from datetime import datetime
from typing import Any

from metrics.figures.charts import Moment, daily, over_time
from metrics.kinds.ab.effects import Found, Look
from metrics.kinds.ab.words import percent
from metrics.kinds.interleaving.duels import Duel, Lists

CAPTION = (
    "Solid and dotted, the two {level} intervals: the one for one look may be read once, at the end; the one for any time holds "
    "at all moments together. Early ends that lie far out are cut off."
)
FIXED, ALWAYS = ("delta_low", "delta_high"), ("always_low", "always_high")
# More figures than that nobody reads; the files have all arms.
MOST_FIGURES = 4


def caption(found: Found | Lists, confidence: float) -> str:
    few = "" if found.sees_records else " Moments before which few came are left out."
    return CAPTION.format(level=percent(confidence)) + few


def looks(found: Found) -> list[dict[str, Any]]:
    """Of each arm, over time; none where there are not two moments to compare."""
    every = [(arm, found.looks_of(arm)) for arm in found.others[:MOST_FIGURES]]
    return [look_figure(found, arm, some, f"looks-{place}") for place, (arm, some) in enumerate(every) if len(some) > 1]


def look_figure(found: Found, arm: str, some: list[Look], key: str) -> dict[str, Any]:
    unit = some[0].line.definition.measured_in
    label, times = ("points", 100) if unit == "share" else (unit, 1)
    moments = [moment(look, times) for look in some]
    return {
        "key": key,
        "title": f"{arm} against {found.choice.control}, over time",
        "caption": f"The difference in {found.metric}, in {label}, by all records until each moment. "
        + caption(found, found.confidence),
        "drawn": over_time(f"Difference, {label}", moments, always=found.choice.always),
        "heads": ["Until (UTC)", "Users", "Difference", "One look, low", "high", "Any time, low", "high"],
        "rows": [
            (f"{look.until:%-d %b %Y, %H:%M}", look.n, [one.value, *one.fixed, *one.always])
            for look, one in zip(some, moments, strict=True)
        ],
    }


def moment(look: Look, times: int) -> Moment:
    one = look.line.effect
    low, high, always_low, always_high = (times * end for end in (one.low, one.high, one.always_low, one.always_high))
    return Moment(look.until.isoformat(), times * one.difference, (low, high), (always_low, always_high))


def duel_looks(found: Lists) -> list[dict[str, Any]]:
    """Of each arm against the control, over time; none where there are not two moments to compare."""
    pairs = [(one.first, one.second) for one in found.duels[:MOST_FIGURES] if one.second == found.choice.control]
    every = [(at, one) for at, duels in found.looks for one in duels]
    series = [[(at, one) for at, one in every if (one.first, one.second) == pair] for pair in pairs]
    return [duel_figure(found, some, f"looks-{place}") for place, some in enumerate(series) if len(some) > 1]


def duel_figure(found: Lists, some: list[tuple[datetime, Duel]], key: str) -> dict[str, Any]:
    first, second = some[0][1].first, some[0][1].second
    moments = [Moment(at.isoformat(), one.delta, ends(one, FIXED), ends(one, ALWAYS)) for at, one in some]
    return {
        "key": key,
        "title": f"{first} against {second}, over time",
        "caption": f"Δ by all records until each moment, above 0 where {first} is preferred. "
        + caption(found, 1 - found.experiment.alpha),
        "drawn": over_time("Δ", moments, always=found.choice.always),
        "heads": ["Until (UTC)", "Users", "Δ", "One look, low", "high", "Any time, low", "high"],
        "rows": [
            (f"{at:%-d %b %Y, %H:%M}", one.users, [look.value, *look.fixed, *look.always])
            for (at, one), look in zip(some, moments, strict=True)
        ],
    }


def ends(one: Duel, names: tuple[str, str]) -> tuple[float, float]:
    low, high = (math.nan if one.found[name] is None else one.found[name] for name in names)
    return low, high


def users(found: Found) -> dict[str, Any] | None:
    """New users by day and arm."""
    if len(found.days) < 2:
        return None
    days = [one.day.isoformat() for one in found.days]
    return daily(days, {arm: [one.new[place] for one in found.days] for place, arm in enumerate(found.arms)}, "New users")
