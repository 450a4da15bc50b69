"""Charts as plain dictionaries for plotly. The page adds colours, since it knows the reader's colour scheme."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

RECALL_LEVELS = tuple(level / 10 for level in range(11))
# Lines differ by colour, dash and marker; nobody can keep more than six apart.
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star")
MOST_TOLD_APART = len(SYMBOLS)
# With a marker for each of a hundred ranks, a line would be a ribbon.
MOST_MARKERS = 12
SHARES = {"range": [-0.02, 1.02], "dtick": 0.2}
PERCENT = {"tickformat": ".0%", "automargin": True}
LEGEND = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0}
# More dates under a chart would run into each other on a phone.
MOST_DAYS = 6
# Longer names would leave a phone no room for the chart; the table under it has them in full.
LONGEST_LABEL = 20


@dataclass(frozen=True)
class Curve:
    """A system's values at each of the places: ranks or, unless others are given, the eleven standard recall levels."""

    name: str
    values: Sequence[float]
    places: Sequence[float] = RECALL_LEVELS


@dataclass(frozen=True)
class Bar:
    """A system's mean and its interval; both ends None where one topic gives none."""

    name: str
    mean: float
    low: float | None
    high: float | None
    address: str = ""


def precision_recall(told_apart: Sequence[Curve], others: Sequence[Curve] = ()) -> dict:
    """Precision by recall: up to six systems that can be told apart, in front of all others."""
    traces = [background(curve) for curve in others] + [line(curve, place) for place, curve in enumerate(told_apart)]
    return curves(traces, axis("Recall", SHARES), axis("Interpolated precision", SHARES), "recall %{x:.1f}: %{y:.4f}")


def query_curve(told_apart: Sequence[Curve]) -> dict:
    """Precision by recall for a single topic, at each relevant document that a system found."""
    traces = [line(curve, place) for place, curve in enumerate(told_apart)]
    return curves(traces, axis("Recall", SHARES), axis("Precision", SHARES), "recall %{x:.4f}: %{y:.4f}")


def by_rank(label: str, told_apart: Sequence[Curve], ideals: Sequence[Curve] = (), *, shares: bool = False) -> dict:
    """Values by rank of up to six systems, and the highest possible ones."""
    traces = [baseline(curve) for curve in ideals] + [line(curve, place) for place, curve in enumerate(told_apart)]
    return curves(traces, axis("Rank"), axis(label, SHARES if shares else None), "by rank %{x}: %{y:.4f}")


def roc(told_apart: Sequence[Curve]) -> dict:
    """Shares of the relevant and of the non-relevant documents, and the diagonal that a random order would follow."""
    chance = baseline(Curve("Random order", [0, 1], [0, 1]))
    traces = [chance, *(line(curve, place) for place, curve in enumerate(told_apart))]
    hover = "%{x:.4f} of the non-relevant, %{y:.4f} of the relevant"
    return curves(traces, axis("Non-relevant documents found", SHARES), axis("Relevant documents found", SHARES), hover)


def curves(traces: Sequence[dict], x: dict, y: dict, hover: str) -> dict:
    return {
        "data": [{**trace, "hovertemplate": f"%{{fullData.name}}<br>{hover}<extra></extra>"} for trace in traces],
        "layout": {"xaxis": x, "yaxis": y, "legend": LEGEND, "hovermode": "closest"},
        "height": {"plot": 400, "row": 24},
    }


def axis(title: str, more: dict | None = None) -> dict:
    return {"title": {"text": title}, "rangemode": "tozero", "zeroline": False, "fixedrange": True, **(more or {})}


def line(curve: Curve, place: int) -> dict:
    few = {} if len(curve.places) <= MOST_MARKERS else {"maxdisplayed": MOST_MARKERS}
    return {
        **points(curve),
        "mode": "lines+markers",
        "line": {"dash": DASHES[place], "width": 2},
        "marker": {"symbol": SYMBOLS[place], "size": 8, **few},
        "meta": {"tone": place},
    }


def baseline(curve: Curve) -> dict:
    return {**points(curve), "mode": "lines", "line": {"dash": "dash", "width": 2}, "meta": {"tone": "baseline"}}


def background(curve: Curve) -> dict:
    return {**points(curve), "mode": "lines", "line": {"width": 1}, "showlegend": False, "meta": {"tone": None}}


def points(curve: Curve) -> dict:
    return {"type": "scatter", "name": curve.name, "x": list(curve.places), "y": list(curve.values)}


def histogram(
    first: str, second: str, topics: Sequence[str], differences: Sequence[float], addresses: Sequence[str] = ()
) -> dict:
    """One bar per topic: up where the first system is better, down where the second is; each leads to its address."""
    halves = [
        (first, [value if value > 0 else None for value in differences]),
        (second, [value if value < 0 else None for value in differences]),
    ]
    return {
        "data": [
            {
                "type": "bar",
                "name": f"{name} better",
                "x": list(topics),
                "y": heights,
                "hovertemplate": "topic %{x}: %{y:.4f}<extra></extra>",
                "meta": {"tone": tone, "addresses": list(addresses)},
            }
            for tone, (name, heights) in enumerate(halves)
        ],
        "layout": {
            "xaxis": {
                "title": {"text": "Topic"},
                "type": "category",
                "showticklabels": False,
                "showgrid": False,
                "fixedrange": True,
            },
            "yaxis": {"title": {"text": "Difference"}, "range": [-1.02, 1.02], "dtick": 0.5, "fixedrange": True},
            "barmode": "overlay",
            "legend": LEGEND,
            "hovermode": "closest",
        },
        "height": {"plot": 360, "row": 24},
    }


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
                "customdata": [[bar.name, interval(bar)] for bar in series],
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
            "customdata": [[bar.name, interval(bar)] for bar in bars],
            "error_x": error_x(bars),
            "marker": {"symbol": SYMBOLS[tone], "size": 9},
            "hovertemplate": "%{customdata[0]}<br>%{fullData.name}: %{x:.4f}%{customdata[1]}<extra></extra>",
            "meta": {"tone": tone},
        })  # fmt: skip
    return {
        "data": traces,
        "layout": {"xaxis": {"fixedrange": True}, "yaxis": named_rows(names), "legend": LEGEND, "hovermode": "closest"},
        "height": {"plot": max(220, 80 + 48 * len(names)), "row": 24},
    }


def preferences_by_measure(topics: Sequence[Mapping[str, Any]], first: str, measure: str) -> dict:
    """One mark per topic: people's preference for the first system over its difference by the measure."""
    farthest = max((abs(topic["difference"]) for topic in topics), default=1) * 1.08 or 1
    lines = [baseline(Curve("", [-0.02, 1.02], [0, 0])), baseline(Curve("", [0.5, 0.5], [-farthest, farthest]))]
    groups = {
        "Workers and measure prefer the same": [row for row in topics if (row["score"] - 0.5) * row["difference"] > 0],
        "They prefer different ones": [row for row in topics if (row["score"] - 0.5) * row["difference"] < 0],
        "A tie for one of them": [row for row in topics if row["score"] == 0.5 or row["difference"] == 0],
    }
    return {
        "data": [
            *({**line, "showlegend": False, "hoverinfo": "skip"} for line in lines),
            *(dots(name, rows, tone) for tone, (name, rows) in enumerate(groups.items()) if rows),
        ],
        "layout": {
            "xaxis": axis(f"Difference in {measure}", {"range": [-farthest, farthest]}),
            "yaxis": axis(f"Preference for {shortened(first)}", SHARES),
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
        "customdata": [[row["topic"], row["n"]] for row in topics],
        "marker": {"symbol": SYMBOLS[tone], "size": 10, "opacity": 0.8},
        "hovertemplate": "topic %{customdata[0]}, n = %{customdata[1]}<br>%{x:.4f}, preference %{y:.3f}<extra></extra>",
        "meta": {"tone": tone, "addresses": [row.get("address", "") for row in topics]},
    }


def rank_scatter(first: str, second: str, groups: Mapping[str, Sequence[tuple[str, float, float]]]) -> dict:
    """One mark per document at its ranks by two systems, in groups (docno, rank, other rank); on the line they are equal."""
    deepest = max(rank for rows in groups.values() for _, *ranks in rows for rank in ranks)
    same = {**baseline(Curve("Same rank", [1, deepest], [1, deepest])), "hoverinfo": "skip"}
    marks = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": [rank for _, rank, _ in rows],
            "y": [rank for _, _, rank in rows],
            "customdata": [docno for docno, _, _ in rows],
            "marker": {"symbol": SYMBOLS[tone], "size": 8, "opacity": 0.8},
            "hovertemplate": "%{customdata}<br>rank %{x} and %{y}<extra></extra>",
            "meta": {"tone": tone},
        }
        for tone, (name, rows) in enumerate(groups.items())
        if rows
    ]
    return {
        "data": [same, *marks],
        "layout": {
            "xaxis": axis(f"Rank by {shortened(first)}"),
            "yaxis": axis(f"Rank by {shortened(second)}"),
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
    seconds = axis("Median seconds an answer", {"type": "log", "rangemode": "normal"})
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
        axis("Agreement with the others", PERCENT | {"range": [-0.05, 1.05]}),
        "%{customdata[0]}: %{y:.0%}, %{x:.1f} seconds, n = %{customdata[1]}",
    )


@dataclass(frozen=True)
class Moment:
    """A difference at one moment, with its interval for one look (`fixed`) and the one for all looks (`always`)."""

    at: str
    value: float
    fixed: tuple[float, float]
    always: tuple[float, float]


def over_time(label: str, moments: Sequence[Moment], *, always: bool) -> dict:
    """A difference and its two intervals over time. Early ends of intervals that lie far out are cut off."""
    places = [moment.at for moment in moments]
    solid, other = ("solid", "dot") if always else ("dot", "solid")
    ends = [
        band("Interval for one look", places, [moment.fixed for moment in moments], other, 1),
        band("Interval for any time", places, [moment.always for moment in moments], solid, 2),
    ]
    value = {
        "type": "scatter",
        "name": "Difference",
        "x": places,
        "y": [finite(moment.value) for moment in moments],
        "mode": "lines+markers",
        "line": {"width": 2},
        "marker": {"symbol": SYMBOLS[0], "size": 8},
        "meta": {"tone": 0},
    }
    zero = {**baseline(Curve("", [0, 0])), "x": [places[0], places[-1]], "showlegend": False, "hoverinfo": "skip"}
    x = {"type": "date", "fixedrange": True}
    y = {"title": {"text": label}, "zeroline": False, "fixedrange": True} | reach(moments)
    figure = curves([*ends[0], *ends[1], value], x, y, "until %{x}: %{y:.4g}")
    return {**figure, "data": [zero, *figure["data"]]}


def band(name: str, places: Sequence[str], ends: Sequence[tuple[float, float]], dash: str, tone: int) -> list[dict]:
    """The lower and the upper end of an interval as two lines with one entry in the legend."""
    return [
        {
            "type": "scatter",
            "name": name,
            "x": list(places),
            "y": [finite(pair[side]) for pair in ends],
            "mode": "lines",
            "line": {"dash": dash, "width": 2},
            "showlegend": side == 0,
            "meta": {"tone": tone},
        }
        for side in (0, 1)
    ]


def finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def reach(moments: Sequence[Moment]) -> dict:
    """The range of the axis: wide enough for the last two thirds of the intervals, and zero."""
    late = moments[len(moments) // 3 :]
    ends = [end for moment in late for end in (*moment.fixed, *moment.always, moment.value, 0.0) if math.isfinite(end)]
    room = 0.06 * (max(ends) - min(ends)) or 1
    return {"range": [min(ends) - room, max(ends) + room]}


def daily(days: Sequence[str], arms: Mapping[str, Sequence[float | None]], label: str, *, shares: bool = False) -> dict:
    """Counts or shares by day, one line per arm; days without a number are gaps."""
    traces = []
    for place, (name, counts) in enumerate(arms.items()):
        look = line(Curve(name, []), place % MOST_TOLD_APART)
        traces.append({**look, "x": list(days), "y": list(counts)})
    step = -(-len(days) // MOST_DAYS) * 86_400_000  # milliseconds
    x = {"type": "date", "tick0": days[0], "dtick": step, "tickformat": "%-d %b", "fixedrange": True}
    y, number = (PERCENT, "%{y:.1%}") if shares else ({}, "%{y:,}")
    return curves(traces, x, axis(label, y), "%{x|%-d %B}: " + number)


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
    """The range of the axis: from the measure's lowest value to a little beyond the longest whisker, within its highest."""
    if limits is None:
        return {}
    lowest, highest = limits
    longest = max((bar.mean if bar.high is None else bar.high for bar in series), default=lowest)
    return {"range": [lowest, min(highest, longest * 1.05) if longest > lowest else highest]}


def interval(bar: Bar) -> str:
    return "" if bar.low is None else f" ({bar.low:.4f} to {bar.high:.4f})"


def shortened(name: str) -> str:
    """The name, or its two ends where it is too long: systems of one team often differ only at the end.

    >>> shortened("RUIR-bm25-mt-exp"), shortened("a-very-long-name-of-a-system-v2")
    ('RUIR-bm25-mt-exp', 'a-very-lon…system-v2')
    """
    if len(name) <= LONGEST_LABEL:
        return name
    half = LONGEST_LABEL // 2
    return f"{name[:half]}…{name[1 - half :]}"
