"""Charts of curves, and what all charts share: plain dictionaries for plotly.

The page adds colours, since it knows the reader's colour scheme. A trace's `meta` has its tone, and where its marks lead: all to
one `address`, or each to one of the `addresses`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from ireval.measures.precision import ELEVEN_POINTS

# Lines differ by colour, dash and marker; nobody can keep more than six apart.
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star")
MOST_TOLD_APART = len(SYMBOLS)
# With a marker for each of a hundred ranks, a line would be a ribbon.
MOST_MARKERS = 12
# More bands would hide each other.
MOST_BANDS = 2
SHARES = {"range": [-0.02, 1.02], "dtick": 0.2}
PERCENT = {"tickformat": ".0%", "automargin": True}
LEGEND = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "tracegroupgap": 0}
# Longer names would leave a phone no room for the chart; the table under it has them in full.
LONGEST_LABEL = 20


Ends = tuple[float | None, float | None]


@dataclass(frozen=True)
class Curve:
    """A system's values at each of the places: ranks or, unless others are given, the eleven standard recall levels.

    The whole curve leads to its `address`, or each place to one of the `addresses`. `ends` are those of each value's interval,
    None where there is none.
    """

    name: str
    values: Sequence[float]
    places: Sequence[float] = ELEVEN_POINTS
    address: str = ""
    addresses: Sequence[str] = ()
    ends: Sequence[Ends] = ()


def precision_recall(told_apart: Sequence[Curve], others: Sequence[Curve] = ()) -> dict:
    """Precision by recall: up to six systems that can be told apart, in front of all others."""
    traces = [background(curve) for curve in others] + lines(told_apart)
    return curves(traces, axis(_("Recall"), SHARES), axis(_("Interpolated precision"), SHARES), at_recall("%{x:.1f}"))


def query_curve(told_apart: Sequence[Curve]) -> dict:
    """Precision by recall for a single topic, at each relevant document that a system found."""
    return curves(lines(told_apart), axis(_("Recall"), SHARES), axis(_("Precision"), SHARES), at_recall("%{x:.4f}"))


def by_rank(label: str, told_apart: Sequence[Curve], ideals: Sequence[Curve] = (), *, shares: bool = False) -> dict:
    """Values by rank of up to six systems, and the highest possible ones."""
    traces = [baseline(curve) for curve in ideals] + lines(told_apart)
    hover = _("by rank %(rank)s: %(value)s") % {"rank": "%{x}", "value": "%{y:.4f}"}
    return curves(traces, axis(_("Rank")), axis(label, SHARES if shares else None), hover)


def at_recall(recall: str) -> str:
    return _("recall %(recall)s: %(value)s") % {"recall": recall, "value": "%{y:.4f}"}


def roc(told_apart: Sequence[Curve]) -> dict:
    """Shares of the relevant and of the non-relevant documents, and the diagonal that a random order would follow."""
    chance = baseline(Curve(_("Random order"), [0, 1], [0, 1]))
    hover = _("%(others)s of the non-relevant, %(found)s of the relevant") % {"others": "%{x:.4f}", "found": "%{y:.4f}"}
    relevant_axis = axis(_("Relevant documents found"), SHARES)
    return curves([chance, *lines(told_apart)], axis(_("Non-relevant documents found"), SHARES), relevant_axis, hover)


def curves(traces: Sequence[dict], x: dict, y: dict, hover: str) -> dict:
    return {
        "data": [{**trace, "hovertemplate": label(trace, hover)} for trace in traces],
        "layout": {"xaxis": x, "yaxis": y, "legend": LEGEND, "hovermode": "closest"},
        "height": {"plot": 400, "row": 24},
    }


def label(trace: dict, hover: str) -> str:
    """What a mark says: its curve, its numbers and, in `text`, its interval."""
    return f"%{{fullData.name}}<br>{hover}{'%{text}' if 'text' in trace else ''}<extra></extra>"


def axis(title: str, more: dict | None = None) -> dict:
    return {"title": {"text": title}, "rangemode": "tozero", "zeroline": False, "fixedrange": True, **(more or {})}


def lines(told_apart: Sequence[Curve]) -> list[dict]:
    """The curves, in front of the bands of their intervals where these are few."""
    banded = told_apart if len(told_apart) <= MOST_BANDS else ()
    bands = [band(curve, tone) for tone, curve in enumerate(banded) if curve.ends]
    return [*bands, *(line(curve, place) for place, curve in enumerate(told_apart))]


def line(curve: Curve, place: int) -> dict:
    few = {} if len(curve.places) <= MOST_MARKERS else {"maxdisplayed": MOST_MARKERS}
    return {
        **points(curve, place),
        "mode": "lines+markers",
        "line": {"dash": DASHES[place], "width": 2},
        "marker": {"symbol": SYMBOLS[place], "size": 8, **few},
    }


def baseline(curve: Curve) -> dict:
    return {**points(curve, "baseline"), "mode": "lines", "line": {"dash": "dash", "width": 2}}


def background(curve: Curve) -> dict:
    return {**points(curve, None), "mode": "lines", "line": {"width": 1}, "showlegend": False}


def band(curve: Curve, tone: int) -> dict:
    """The area between the ends of a curve's intervals; it comes and goes with the curve."""
    known = [(place, *ends) for place, ends in zip(curve.places, curve.ends, strict=True) if None not in ends]
    outline = [(place, high) for place, _, high in known] + [(place, low) for place, low, _ in reversed(known)]
    return {
        "type": "scatter",
        "name": curve.name,
        "x": [place for place, _ in outline],
        "y": [end for _, end in outline],
        "mode": "lines",
        "line": {"width": 0},
        "fill": "toself",
        "showlegend": False,
        "legendgroup": curve.name,
        "hoverinfo": "skip",
        "meta": {"tone": tone},
    }


def points(curve: Curve, tone: int | str | None) -> dict:
    leads = {"address": curve.address} if curve.address else {"addresses": list(curve.addresses)} if curve.addresses else {}
    ends = {"text": [interval(*ends) for ends in curve.ends], "legendgroup": curve.name} if curve.ends else {}
    numbers = {"x": list(curve.places), "y": list(curve.values)}
    return {"type": "scatter", "name": curve.name, **numbers, **ends, "meta": {"tone": tone} | leads}


def interval(low: float | None, high: float | None) -> str:
    """
    >>> interval(0.25, 0.5), interval(None, None)
    (' (0.2500 to 0.5000)', '')
    """
    if low is None or high is None:
        return ""
    return " " + _("(%(low)s to %(high)s)") % {"low": f"{low:.4f}", "high": f"{high:.4f}"}


def shortened(name: str) -> str:
    """The name, or its two ends where it is too long: systems of one team often differ only at the end.

    >>> shortened("RUIR-bm25-mt-exp"), shortened("a-very-long-name-of-a-system-v2")
    ('RUIR-bm25-mt-exp', 'a-very-lon…system-v2')
    """
    if len(name) <= LONGEST_LABEL:
        return name
    half = LONGEST_LABEL // 2
    return f"{name[:half]}…{name[1 - half :]}"
