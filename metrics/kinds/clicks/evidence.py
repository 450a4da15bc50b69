"""Evidence of a click report: the period that it covers, and how much of the log is read."""

from datetime import UTC, datetime, timedelta
from typing import Any

from judging.logs import bots
from judging.logs.archive.selections import Rows
from judging.logs.moments import micros
from judging.models import Site
from metrics.kinds.clicks.impressions import DEPTH, UNIT
from metrics.kinds.clicks.query_grades import workers_qrels
from metrics.logs.bots import filter_of
from metrics.logs.frames import Window, parts_of
from metrics.models import Report

ROWS_A_PART = 1_700_000  # with their texts
# Results shown. A part's are read at once in some 300 MB, and models are fitted to all of them in 1 GB.
RESULTS_A_PART = 500_000
MOST_RESULTS = 1_000_000
SAMPLE = 200
DAYS = 30
BEGINNING = datetime(1970, 1, 2, tzinfo=UTC)


def spec_of(
    site: Site, *, days: int | None = DAYS, since: datetime | None = None, until: datetime | None = None
) -> dict[str, Any]:
    """The spec of a report on the last `days`, or on the time from `since` until `until`; on all records without any of them."""
    qrels = workers_qrels(site).first()
    return {
        "days": min(days, site.keep_days) if days else None,
        "since": since and since.isoformat(),
        "until": until and until.isoformat(),
        "qrels": qrels and qrels.pk,
        "prior": 1.0,
        "confidence": 0.95,
        "bots": filter_of(bots.current(site)).as_spec(),
    }


def window_of(site: Site, spec: dict[str, Any], as_of: datetime) -> Window:
    until = min(as_of, datetime.fromisoformat(spec["until"])) if spec["until"] else as_of
    since = datetime.fromisoformat(spec["since"]) if spec["since"] else BEGINNING
    if spec["days"]:
        since = max(since, until - timedelta(days=spec["days"]))
    return Window(site, min(since, until - timedelta(microseconds=1)), until, as_of, UNIT)


def plan(report: Report, as_of: datetime) -> tuple[dict[str, Any], int]:
    """The spec that all parts share, and the number of parts to read; each part holds whole users by lot."""
    window = window_of(report.subject, report.spec, as_of)
    searches = window.count("queries")
    results = searches * shown_each(window)
    parts = parts_of(window, ROWS_A_PART)
    while results > parts * RESULTS_A_PART:
        parts *= 2
    drawn = max(1, min(parts, int(parts * MOST_RESULTS / results))) if results else parts
    return {"from": micros(window.since), "to": micros(window.until), "asked": searches, "of": parts}, drawn


def shown_each(window: Window) -> float:
    """The mean number of results that a search shows, by the newest searches; 1 where none says what it showed."""
    records = window.ask(
        f"SELECT least(len(hits), {DEPTH}) AS results FROM queries WHERE results > 0 ORDER BY received DESC LIMIT {SAMPLE}",  # noqa: S608
        queries=Rows("hits IS NOT NULL", newest=SAMPLE),
    )
    mean = records["results"].mean()
    return float(mean) if mean is not None else 1.0  # type: ignore[arg-type]
