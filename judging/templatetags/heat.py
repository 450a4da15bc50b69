import math

from django import template

register = template.Library()
STEPS = 5


@register.filter
def heat(value: float | None, most: float = 1.0) -> str:
    """The classes of a cell of a heat map: its tone grows up to `most`, and is another one below zero; none for nothing.

    >>> heat(0.05), heat(-0.5), heat(2, 2), heat(0.0), heat(None)
    ('heat h1', 'heat h3 minus', 'heat h5', '', '')
    """
    if value is None or not math.isfinite(value) or not value or not most:
        return ""
    step = min(STEPS, math.ceil(abs(value) / most * STEPS))
    return f"heat h{step}{' minus' if value < 0 else ''}"
