"""The figure of an answer: values with their intervals on one scale, drawn without a script, so that it prints."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, HEIGHT, EDGE = 220, 26, 6
# Nobody reads more lines than that at a glance; the tables have all.
MOST = 12


class Mark(NamedTuple):
    """A value with the ends of its interval, NaN where there is none; `text` has the same in words."""

    label: str
    value: float
    low: float
    high: float
    text: str


class Scale(NamedTuple):
    """From where to where a figure reaches; `lines` are the values that mean something, such as no difference."""

    start: float
    end: float
    lines: tuple[float, ...] = ()

    def place(self, value: float) -> float:
        share = (min(max(value, self.start), self.end) - self.start) / (self.end - self.start)
        return round(EDGE + (WIDTH - 2 * EDGE) * share, 1)


class Intervals(NamedTuple):
    title: str
    marks: Sequence[Mark]
    scale: Scale


def around(title: str, marks: Sequence[Mark], even: float | None = None) -> Intervals | None:
    """The first marks on a scale that holds them all, and `even`, where there is no difference; None without any value."""
    shown = [mark for mark in marks if not math.isnan(mark.value)][:MOST]
    if not shown:
        return None
    every = [end for mark in shown for end in (mark.value, mark.low, mark.high) if math.isfinite(end)]
    lines = () if even is None else (even,)
    start, end = min([*every, *lines]), max([*every, *lines])
    margin = (end - start) / 20 or 1.0
    return Intervals(title, shown, Scale(start - margin, end + margin, lines))


def track(value: float, low: float, high: float, label: str, scale: Scale) -> SafeString:
    """A mark with its interval on the scale."""
    low, high = (value if math.isnan(end) else end for end in (low, high))
    lines = format_html_join(
        "",
        '<line class="even" x1="{}" x2="{}" y1="2" y2="{}"/>',
        ((scale.place(line), scale.place(line), HEIGHT - 2) for line in scale.lines),
    )
    return format_html(
        '<svg class="forest" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{label}">'
        '<line class="track" x1="{left}" x2="{right}" y1="{m}" y2="{m}"/>{lines}'
        '<line class="reach" x1="{low}" x2="{high}" y1="{m}" y2="{m}"/><circle cx="{x}" cy="{m}" r="5"/></svg>',
        w=WIDTH, h=HEIGHT, m=HEIGHT / 2, left=EDGE, right=WIDTH - EDGE, lines=lines, low=scale.place(low),
        high=scale.place(high), x=scale.place(value), label=label,
    )  # fmt: skip
