"""Figures of a click report: click-through rates by rank, and the site day by day."""

import math
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.text.library_words import in_reader_language
from metrics.figures import charts
from metrics.figures.intervals import Intervals, Mark, Scale, known
from metrics.figures.times import daily, unfinished_day
from metrics.kinds.clicks.results import ClickResults
from metrics.logs.records import addresses_of_days
from metrics.sentences import percent, percents


def answer(results: ClickResults) -> Intervals | None:
    """How often searches have a click, and how often none at all."""
    rates = [rate for rate in results.rates.values() if rate["is_share"]]
    marks = [
        Mark(capfirst(in_reader_language(rate["title"])), rate["value"], low, high, in_numbers(rate["value"], low, high))
        for rate in rates
        if rate["value"] is not None
        for low, high in [(known(rate["low"]), known(rate["high"]))]
    ]
    return Intervals(_("Share of impressions, with 95 % intervals"), marks, Scale(0.0, 1.0, unit="%")) if marks else None


def in_numbers(value: float, low: float, high: float) -> str:
    """
    >>> in_numbers(0.5, 0.41, 0.6), in_numbers(0.5, math.nan, math.nan)
    ('50 % [41, 60]', '50 %')
    """
    if math.isnan(low):
        return percent(value)
    share, *ends = percents([value, low, high], nulls=(0, 1))
    return f"{share} [{', '.join(end.removesuffix(' %') for end in ends)}]"


def ranks(results: ClickResults) -> dict[str, Any]:
    """The rates with their intervals; each rank leads to its row of the table."""
    places, rates = [row["rank"] for row in results.ranks], [row["ctr"] for row in results.ranks]
    ends = [(row["low"], row["high"]) for row in results.ranks]
    rows = [f"#rank-{place}" for place in places]
    return charts.by_rank(_("Share clicked"), [charts.Curve(_("Click-through rate"), rates, places, addresses=rows, ends=ends)])


SHARES = {
    "clicked": gettext_lazy("A click on the first 10"),
    "abandoned": gettext_lazy("Abandoned"),
    "empty": gettext_lazy("Showed nothing"),
}


def trend(results: ClickResults) -> dict[str, Any]:
    """Searches, and the shares of them, by day, with the same as a table; empty where there are fewer than two days.

    A day leads to its searches, where the reader sees them one by one.
    """
    if len(results.days) < 2:
        return {}
    days = [row["day"] for row in results.days]
    unfinished = unfinished_day(days, results.report.as_of)
    addresses = addresses_of_days(results.site, days) if results.sees_records else [""] * len(days)
    shown = zip(results.days, addresses, strict=True)
    lines = [{**row, "address": address, "shares": [share(row, name) for name in SHARES]} for row, address in shown]
    heads = [str(title) for title in SHARES.values()]
    shares = {title: [line["shares"][place] for line in lines] for place, title in enumerate(heads)}
    return {
        "lines": lines,
        "heads": heads,
        "unfinished": unfinished,
        "shares": daily(days, shares, _("Share of searches"), addresses, shares=True, unfinished=unfinished),
        "searches": daily(
            days, {_("Searches"): [row["searches"] for row in results.days]}, _("Searches"), addresses, unfinished=unfinished
        ),
    }


def share(row: dict[str, Any], name: str) -> float | None:
    """Of the searches that showed anything; the share that showed nothing is of all searches."""
    whole = row["searches"] if name == "empty" else row["shown"]
    return row[name] / whole if whole else None
