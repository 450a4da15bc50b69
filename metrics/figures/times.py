"""Charts over time: a difference with its intervals, and counts or shares by day."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from ireval.io.plain import plain
from metrics.figures.charts import MOST_TOLD_APART, PERCENT, SYMBOLS, Curve, axis, baseline, curves, line

# More dates under a chart would run into each other on a phone.
MOST_DAYS = 6
# Plotly's own put the month first, in every language.
TICKS = [{"dtickrange": [None, 86_399_999], "value": "%H:%M\n%-d %b"}, {"dtickrange": [86_400_000, None], "value": "%-d %b\n%Y"}]


@dataclass(frozen=True)
class Moment:
    """A difference at one moment, with its interval for one look (`fixed`) and the one for all looks (`always`).

    Its marks lead to its address.
    """

    at: str
    value: float
    fixed: tuple[float, float]
    always: tuple[float, float]
    address: str = ""


def over_time(label: str, moments: Sequence[Moment], *, always: bool) -> dict:
    """A difference and its two intervals over time. Early ends of intervals that lie far out are cut off."""
    solid, other = ("solid", "dot") if always else ("dot", "solid")
    fixed = interval(_("Interval for one look"), moments, [moment.fixed for moment in moments], {"dash": other, "tone": 1})
    for_all = interval(_("Interval for any time"), moments, [moment.always for moment in moments], {"dash": solid, "tone": 2})
    value = {
        **points(_("Difference"), moments, [moment.value for moment in moments], tone=0),
        "mode": "lines+markers",
        "line": {"width": 2},
        "marker": {"symbol": SYMBOLS[0], "size": 8},
    }
    places = [moments[0].at, moments[-1].at]
    zero = {**baseline(Curve("", [0, 0])), "x": places, "showlegend": False, "hoverinfo": "skip"}
    x = {"type": "date", "fixedrange": True, "tickformatstops": TICKS}
    y = {"title": {"text": label}, "zeroline": False, "fixedrange": True} | reach(moments)
    figure = curves([*fixed, *for_all, value], x, y, _("until %(day)s: %(value)s") % {"day": "%{x}", "value": "%{y:.4g}"})
    return {**figure, "data": [zero, *figure["data"]]}


def interval(name: str, moments: Sequence[Moment], ends: Sequence[tuple[float, float]], look: Mapping[str, Any]) -> list[dict]:
    """The lower and the upper end of an interval as two lines with one entry in the legend."""
    return [
        {
            **points(name, moments, [pair[side] for pair in ends], look["tone"]),
            "mode": "lines",
            "line": {"dash": look["dash"], "width": 2},
            "legendgroup": name,
            "showlegend": side == 0,
            "text": [f", {end}"] * len(moments),
        }
        for side, end in enumerate((_("lower end"), _("upper end")))
    ]


def points(name: str, moments: Sequence[Moment], values: Sequence[float], tone: int) -> dict:
    return {
        "type": "scatter",
        "name": name,
        "x": [moment.at for moment in moments],
        "y": plain(list(values)),
        "meta": {"tone": tone, "addresses": [moment.address for moment in moments]},
    }


def reach(moments: Sequence[Moment]) -> dict:
    """The range of the axis: wide enough for the last two thirds of the intervals, and zero."""
    late = moments[len(moments) // 3 :]
    ends = [end for moment in late for end in (*moment.fixed, *moment.always, moment.value, 0.0) if math.isfinite(end)]
    room = 0.06 * (max(ends) - min(ends)) or 1
    return {"range": [min(ends) - room, max(ends) + room]}


def daily(
    days: Sequence[str],
    arms: Mapping[str, Sequence[float | None]],
    label: str,
    addresses: Sequence[str] = (),
    *,
    shares: bool = False,
    unfinished: str = "",
) -> dict:
    """Counts or shares by day, one line per arm; days without a number are gaps. Each day leads to its address.

    An `unfinished` day has a hollow mark and says so.
    """
    traces = []
    for place, (name, counts) in enumerate(arms.items()):
        look = line(Curve(name, [], addresses=addresses), place % MOST_TOLD_APART)
        traces.append({**look, "x": list(days), "y": list(counts)} | so_far(look, days, unfinished))
    step = -(-len(days) // MOST_DAYS) * 86_400_000  # milliseconds
    x = {"type": "date", "tick0": days[0], "dtick": step, "tickformat": "%-d %b", "fixedrange": True}
    y, number = (PERCENT, "%{y:.1%}") if shares else ({}, "%{y:,}")
    return curves(traces, x, axis(label, y), "%{x|%-d %B}: " + number)


def unfinished_day(days: Sequence[str], as_of: datetime | None) -> str:
    """The last day (UTC), if numbers are of before its end; empty otherwise.

    >>> unfinished_day(["2026-11-20", "2026-11-21"], datetime(2026, 11, 21, 12, tzinfo=UTC))
    '2026-11-21'
    """
    return days[-1] if days and as_of and days[-1] == as_of.astimezone(UTC).date().isoformat() else ""


def so_far(look: Mapping[str, Any], days: Sequence[str], unfinished: str) -> dict:
    """What tells a day that is not over from the others; nothing where all are."""
    if not unfinished:
        return {}
    symbol = look["marker"]["symbol"]
    marks = [f"{symbol}-open" if day == unfinished else symbol for day in days]
    return {
        "marker": {**look["marker"], "symbol": marks},
        "text": [f" {_('so far')}" if day == unfinished else "" for day in days],
    }
