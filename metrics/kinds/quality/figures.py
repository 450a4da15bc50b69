"""The figure of a graded study's answer: how far workers agree, on a scale with names."""

import math
from collections.abc import Iterable

from metrics.figures.intervals import Intervals, Mark, Scale
from metrics.kinds.quality.results import Coefficient

# Krippendorff's limits: labels are relied on from the second on, and taken as tentative from the first on (docs/quality.md).
TENTATIVE, RELIABLE = 0.667, 0.8


def agreement(coefficients: Iterable[Coefficient]) -> Intervals | None:
    """The coefficients that allow for chance, with their intervals; None where none is defined."""
    marks = [
        Mark(f"{coefficient.title[0].upper()}{coefficient.title[1:]}", value, *ends_of(coefficient), in_words(value))
        for coefficient in coefficients
        for value in [coefficient.value]
        if value is not None and coefficient.name != "percent"
    ]
    if not marks:
        return None
    start = min(0.0, *(end for mark in marks for end in (mark.value, mark.low) if not math.isnan(end)))
    title = f"0 is chance, 1 perfect: weak below {TENTATIVE}, fair, good from {RELIABLE} on"
    return Intervals(title, marks, Scale(start, 1.0, (TENTATIVE, RELIABLE)))


def ends_of(coefficient: Coefficient) -> tuple[float, float]:
    return tuple(math.nan if end is None else end for end in (coefficient.low, coefficient.high))  # type: ignore[return-value]


def in_words(value: float) -> str:
    """
    >>> in_words(0.5), in_words(0.667), in_words(0.91)
    ('0.500, weak', '0.667, fair', '0.910, good')
    """
    return f"{value:.3f}, {'good' if value >= RELIABLE else 'fair' if value >= TENTATIVE else 'weak'}".replace("-", "−")
