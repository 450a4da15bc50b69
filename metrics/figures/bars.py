"""Charts of bars, and of dots with whiskers: means with their intervals, and differences topic by topic."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from metrics.figures.charts import LEGEND, SYMBOLS, interval, shortened


@dataclass(frozen=True)
class Bar:
    """A system's mean and its interval; both ends None where one topic gives none."""

    name: str
    mean: float
    low: float | None
    high: float | None
    address: str = ""


def bars(series: Sequence[Bar], limits: tuple[float, float] | None = None) -> dict:
    """Means as bars with their intervals as whiskers, one below the other, so that names stay readable on a phone.

    `limits` are the lowest and highest value of the measure: the axis goes no further.
    """
    return {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "width": min(0.65, 0.13 * len(series)),  # a single bar need not fill the whole figure
                "y": list(range(len(series))),
                "x": [bar.mean for bar in series],
                "customdata": [[bar.name, interval(bar.low, bar.high)] for bar in series],
                "error_x": error_x(series),
                "hovertemplate": "%{customdata[0]}<br>%{x:.4f}%{customdata[1]}<extra></extra>",
                "meta": {"tone": 0, "addresses": [bar.address for bar in series]},
            }
        ],
        "layout": {
            "xaxis": {"rangemode": "tozero", "fixedrange": True} | axis_range(series, limits),
            "yaxis": named_rows([bar.name for bar in series]),
            "showlegend": False,
        },
        "height": {"plot": max(320, 60 + 28 * len(series)), "row": 0},
    }


def whiskers(names: Sequence[str], series: Sequence[tuple[str, Sequence[Bar]]]) -> dict:
    """Dots with their intervals: for each name, from the top down, one of every series.

    The axis need not begin at zero: readers compare where dots lie, not how long bars are.
    """
    apart = 0.5 / max(1, len(series))
    traces = []
    for tone, (title, bars) in enumerate(series):
        offset = (tone - (len(series) - 1) / 2) * apart
        traces.append({
            "type": "scatter",
            "mode": "markers",
            "name": title,
            "y": [place + offset for place in range(len(bars))],
            "x": [bar.mean for bar in bars],
            "customdata": [[bar.name, interval(bar.low, bar.high)] for bar in bars],
            "error_x": error_x(bars),
            "marker": {"symbol": SYMBOLS[tone], "size": 9},
            "hovertemplate": "%{customdata[0]}<br>%{fullData.name}: %{x:.4f}%{customdata[1]}<extra></extra>",
            "meta": {"tone": tone, "addresses": [bar.address for bar in bars]},
        })  # fmt: skip
    return {
        "data": traces,
        "layout": {"xaxis": {"fixedrange": True}, "yaxis": named_rows(names), "legend": LEGEND, "hovermode": "closest"},
        "height": {"plot": max(220, 80 + 48 * len(names)), "row": 24},
    }


def histogram(
    first: str,
    second: str,
    topics: Mapping[str, str],
    differences: Sequence[float],
    addresses: Sequence[str] = (),
) -> dict:
    """One bar per topic, its name by its number: up where the first system is better, down where the second is.

    Each leads to its address.
    """
    halves = [
        (first, [value if value > 0 else None for value in differences]),
        (second, [value if value < 0 else None for value in differences]),
    ]
    return {
        "data": [
            {
                "type": "bar",
                "name": _("%(name)s better") % {"name": name},
                "x": list(topics),
                "y": heights,
                "customdata": list(topics.values()),
                "hovertemplate": _("topic %(name)s") % {"name": "%{customdata}"} + ": %{y:.4f}<extra></extra>",
                "meta": {"tone": tone, "addresses": list(addresses)},
            }
            for tone, (name, heights) in enumerate(halves)
        ],
        "layout": {
            "xaxis": {
                "title": {"text": _("Topic")},
                "type": "category",
                "showticklabels": False,
                "showgrid": False,
                "fixedrange": True,
            },
            "yaxis": {"title": {"text": _("Difference")}, "range": [-1.02, 1.02], "dtick": 0.5, "fixedrange": True},
            "barmode": "overlay",
            "legend": LEGEND,
            "hovermode": "closest",
        },
        "height": {"plot": 360, "row": 24},
    }


def error_x(bars: Sequence[Bar]) -> dict:
    return {
        "type": "data",
        "symmetric": False,
        "array": [0 if bar.high is None else bar.high - bar.mean for bar in bars],
        "arrayminus": [0 if bar.low is None else bar.mean - bar.low for bar in bars],
        "thickness": 1.5,
        "width": 4,
    }


def named_rows(names: Sequence[str]) -> dict:
    return {
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": [shortened(name) for name in names],
        "autorange": "reversed",
        "showgrid": False,
        "zeroline": False,
        "automargin": True,
        "fixedrange": True,
    }


def axis_range(series: Sequence[Bar], limits: tuple[float, float] | None) -> dict:
    """The range of the axis: from the measure's lowest value to a little beyond the longest whisker, within its highest.

    Nothing where an end would be infinite, as of a measure without a lowest value.
    """
    if limits is None:
        return {}
    lowest, highest = limits
    longest = max((bar.mean if bar.high is None else bar.high for bar in series), default=lowest)
    ends = [lowest, min(highest, longest * 1.05) if longest > lowest else highest]
    return {"range": ends} if all(map(math.isfinite, ends)) else {}
