from typing import Any

from django import template

from metrics.figures.intervals import WIDE, Intervals, axis, track

register = template.Library()


@register.inclusion_tag("metrics/_intervals.html")
def intervals(figure: Intervals | None) -> dict[str, Any]:
    """The figure of an answer, a line for each value; nothing where there is none."""
    if not figure:  # a page without one may say nothing of it
        return {"figure": None}
    scale = figure.scale._replace(width=WIDE)
    drawn = [(mark, track(mark.value, mark.low, mark.high, f"{mark.label}: {mark.text}", scale)) for mark in figure.marks]
    return {"figure": figure, "drawn": drawn, "axis": axis(scale)}
