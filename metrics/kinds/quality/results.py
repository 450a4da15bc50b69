"""What a study's report found, as pages, files and the API take it."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from metrics.kinds.quality.evidence import from_parquet
from metrics.models import StudyReport


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement; `value` is None where `undefined` says why."""

    name: str
    title: str
    value: float | None
    low: float | None
    high: float | None
    items: int
    labels: int
    undefined: str
    left_out: int


def part(report: StudyReport, step: str) -> dict[str, Any]:
    """What a step came to. A report of earlier times lacks steps that are new since: `report.spec["steps"]` names its own."""
    found = report.parts.defer("rows").get(step=step).result
    assert found is not None
    return found


def rows(report: StudyReport, step: str) -> pl.DataFrame:
    content = report.parts.defer("result").get(step=step).rows
    assert content is not None
    return from_parquet(content)


def coefficients(report: StudyReport) -> list[Coefficient]:
    return [Coefficient(**one) for one in part(report, "agreement")["coefficients"]]


def in_order(frame: pl.DataFrame, order: str, *, ties: list[pl.Expr]) -> pl.DataFrame:
    """Sorted by the column that the order names, falling after a minus; what is not known comes last either way."""
    falling, column = order.startswith("-"), order.removeprefix("-")
    if column == "topic":
        return frame.sort(ties, descending=[falling] * len(ties), nulls_last=True)
    return frame.sort(column, *ties, descending=[falling, *[False] * len(ties)], nulls_last=True)
