"""Downloads of every kind of report: rows as CSV or Parquet, and answers that browsers save as a file."""

from collections.abc import Sequence
from typing import Any

import polars as pl
from django.http import HttpResponse

from ireval.io.csv_rows import csv_of

CSV, PARQUET = "text/csv; charset=utf-8", "application/vnd.apache.parquet"


def table(head: list[str], rows: list[list]) -> str:
    return csv_of(head, *rows)


def as_csv(frame: pl.DataFrame) -> str:
    return table(frame.columns, list(map(list, frame.iter_rows())))


def frame_of(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=list(head), orient="row", infer_schema_length=None)


def attachment(content: str | bytes, content_type: str, name: str) -> HttpResponse:
    return HttpResponse(content, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
