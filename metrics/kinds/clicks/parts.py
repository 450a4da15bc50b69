"""Parts of a click report: each reads impressions, and all impressions together give rates, preferences and click models.

Models are fitted once, to all users, since how far people look down a page is common to them. Of a large log only some parts are
read; each holds whole users by lot.
"""

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import polars as pl

from ireval.io.plain import plain
from judging.models.qrels import Qrels
from metrics.kinds.clicks.evidence import plan, window_of
from metrics.kinds.clicks.impressions import DAY, impressions
from metrics.kinds.clicks.numbers import Numbers, numbers_of
from metrics.kinds.clicks.query_grades import grades_by_query
from metrics.logs.bots import from_spec
from metrics.logs.cluster import Tally
from metrics.logs.frames import Window
from metrics.logs.kind import log_kind
from metrics.models import Report
from metrics.pipeline import Findings

DOCUMENTS = "documents"


def part(report: Report, number: int, parts: int) -> tuple[dict[str, Any], pl.DataFrame]:
    """Counts, also of each day, and one row per impression (SHOWN)."""
    counts, days, shown = impressions(window(report).part(number, report.spec["of"]), from_spec(report.spec["bots"]))
    return {**counts, "days": plain(days)}, shown


def combine(report: Report, parts: Sequence[Tally]) -> Findings:
    """The numbers of all impressions, and their documents in as many tables as there are parts, split by query."""
    counts = {name: sum(part[name] for part, _ in parts) for name in parts[0][0] if name != "days"}
    shown = pl.concat([rows for _, rows in parts if rows is not None])
    # Records of a search may name different users, and so stand in two parts.
    shown = shown.sort("impression").unique("impression", keep="first", maintain_order=True)
    qrels = Qrels.objects.filter(pk=report.spec["qrels"]).first()
    judged = grades_by_query(qrels).frame if qrels else None
    numbers: Numbers = numbers_of(shown, judged, prior=report.spec["prior"], confidence=report.spec["confidence"])
    documents = {table_name(number): rows for number, rows in enumerate(numbers.by_part(len(parts)))}
    return Findings({"counts": counts, "days": added([part.get("days", []) for part, _ in parts]), **numbers.result}, documents)


def added(parts: Sequence[Sequence[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The days of all parts; a unit is in one part alone."""
    days: dict[str, Counter[str]] = {}
    for row in itertools.chain.from_iterable(parts):
        days.setdefault(row["day"], Counter()).update({name: row[name] for name in DAY})
    return [{"day": day, **{name: days[day][name] for name in DAY}} for day in sorted(days)]


def table_name(number: int) -> str:
    """The name of the table with the documents of one part's queries."""
    return f"{DOCUMENTS} {number}"


def window(report: Report) -> Window:
    assert report.as_of
    return window_of(report.subject, report.spec, report.as_of)


CLICKS = log_kind(Report.Kind.CLICKS, plan, part, combine, window)
