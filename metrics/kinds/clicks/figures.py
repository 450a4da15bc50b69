"""The figure of a click report: click-through rates by rank."""

from typing import Any

from metrics.figures import charts
from metrics.kinds.clicks.results import ClickResults


def ranks(results: ClickResults) -> dict[str, Any]:
    places = [row["rank"] for row in results.ranks]
    rates, low, high = ([row[name] for row in results.ranks] for name in ("ctr", "low", "high"))
    ends = [charts.Curve(f"{end} end of its interval", values, places) for end, values in (("Lower", low), ("Upper", high))]
    return charts.by_rank("Share clicked", [charts.Curve("Click-through rate", rates, places)], ends)
