"""Figures of a click report: click-through rates by rank, and the site day by day."""

from typing import Any

from metrics.figures import charts
from metrics.kinds.clicks.results import ClickResults


def ranks(results: ClickResults) -> dict[str, Any]:
    places = [row["rank"] for row in results.ranks]
    rates, low, high = ([row[name] for row in results.ranks] for name in ("ctr", "low", "high"))
    ends = [charts.Curve(f"{end} end of its interval", values, places) for end, values in (("Lower", low), ("Upper", high))]
    return charts.by_rank("Share clicked", [charts.Curve("Click-through rate", rates, places)], ends)


SHARES = {"clicked": "A click on the first 10", "abandoned": "Abandoned", "empty": "Showed nothing"}


def trend(results: ClickResults) -> dict[str, Any]:
    """Searches, and the shares of them, by day, with the same as a table; empty where there are fewer than two days."""
    if len(results.days) < 2:
        return {}
    days = [row["day"] for row in results.days]
    lines = [{**row, "shares": [share(row, name) for name in SHARES]} for row in results.days]
    shares = {title: [line["shares"][place] for line in lines] for place, title in enumerate(SHARES.values())}
    return {
        "lines": lines,
        "heads": list(SHARES.values()),
        "shares": charts.daily(days, shares, "Share of searches", shares=True),
        "searches": charts.daily(days, {"Searches": [row["searches"] for row in results.days]}, "Searches"),
    }


def share(row: dict[str, Any], name: str) -> float | None:
    """Of the searches that showed anything; the share that showed nothing is of all searches."""
    whole = row["searches"] if name == "empty" else row["shown"]
    return row[name] / whole if whole else None
