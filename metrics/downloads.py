"""Downloads of every kind of report: rows as CSV, and answers that browsers save as a file."""

import polars as pl
from django.http import HttpResponse

from ireval.io.csv_rows import csv_of


def table(head: list[str], rows: list[list]) -> str:
    return csv_of(head, *rows)


def as_csv(frame: pl.DataFrame) -> str:
    return table(frame.columns, list(map(list, frame.iter_rows())))


def attachment(content: str | bytes, content_type: str, name: str) -> HttpResponse:
    return HttpResponse(content, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
