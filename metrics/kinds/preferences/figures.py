"""The figure of a side-by-side study's answer."""

import math

from metrics.figures.intervals import Intervals, Mark, around
from metrics.kinds.preferences.results import PreferenceResults


def strengths(results: PreferenceResults) -> Intervals | None:
    """The strength of each of many systems; None where two were compared, or groups that nobody compared with each other."""
    if any(row["component"] > 1 for row in results.ladder):
        return None
    marks = [
        Mark(row["system"], row["strength"], low, high, f"{row['strength']:.2f} [{low:.2f}, {high:.2f}]".replace("-", "−"))
        for row in results.ladder
        for low, high in [(number(row["low"]), number(row["high"]))]
    ]
    return around("Strength, 0 on average", marks, even=0.0)


def number(end: float | None) -> float:
    return math.nan if end is None else end
