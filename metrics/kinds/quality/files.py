"""A study's report as files."""

import json
from collections.abc import Callable
from typing import Any

import polars as pl
from django.core.serializers.json import DjangoJSONEncoder
from django.utils.text import slugify

from metrics.kinds.quality.systems import systems_csv
from metrics.kinds.runs.files import table
from metrics.kinds.studies import rows, summary
from metrics.models import Report


def items_csv(report: Report) -> str:
    """A row an item, the most doubtful first, with a column for how many votes each grade has."""
    grades = sorted(report.subject.grades)
    counts = [pl.col("votes").list.get(place).alias(f"grade {grade}") for place, grade in enumerate(grades)]
    return as_csv(rows(report, "items").with_columns(counts).drop("votes"))


def workers_csv(report: Report) -> str:
    return as_csv(named(rows(report, "workers")).with_columns(pl.col("why").list.join("; ")))


def as_csv(frame: pl.DataFrame) -> str:
    return table(frame.columns, list(map(list, frame.iter_rows())))


def named(frame: pl.DataFrame) -> pl.DataFrame:
    """Workers as pages call them: w12."""
    return frame.with_columns(pl.format("w{}", name).alias(name) for name in ("worker", "twin_worker"))


def quality_json(report: Report) -> str:
    return as_json(
        report,
        by_item=rows(report, "items").to_dicts(),
        by_worker=named(rows(report, "workers")).to_dicts(),
    )


def as_json(report: Report, **by: list[dict[str, Any]]) -> str:
    """All that was found, and of what; `by` are its rows."""
    whole = {
        "study": report.study_id,
        "name": report.subject.name,
        "as_of": report.as_of,
        "engine": report.engine_version,
        "digest": report.digest,
        "evidence": report.evidence,
        **report.spec,
        **summary(report),
        **by,
    }
    return json.dumps(whole, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)


FILES: dict[str, tuple[Callable[[Report], str], str]] = {
    "items.csv": (items_csv, "text/csv; charset=utf-8"),
    "workers.csv": (workers_csv, "text/csv; charset=utf-8"),
    "systems.csv": (systems_csv, "text/csv; charset=utf-8"),
    "quality.json": (quality_json, "application/json"),
}


def filename(report: Report, kind: str) -> str:
    return f"{slugify(report.subject.name) or report.study_id}-{kind}"
