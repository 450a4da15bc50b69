"""A click report's figure: how often people click, by rank."""

from typing import Any

from metrics.figures import charts
from metrics.kinds.clicks.results import Found


def ranks(found: Found) -> dict[str, Any]:
    places = [one["rank"] for one in found.ranks]
    rates, low, high = ([one[name] for one in found.ranks] for name in ("ctr", "low", "high"))
    ends = [charts.Curve(f"{end} end of its interval", values, places) for end, values in (("Lower", low), ("Upper", high))]
    return charts.by_rank("Share clicked", [charts.Curve("Click-through rate", rates, places)], ends)
