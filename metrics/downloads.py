"""Downloads of every kind of report: rows as CSV or Parquet, and answers that browsers save as a file."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponse
from django.utils.functional import Promise

from ireval.io.csv_rows import csv_of
from ireval.io.plain import plain

CSV, PARQUET, JSON = "text/csv; charset=utf-8", "application/vnd.apache.parquet", "application/json"


class File(NamedTuple):
    """A file of a report; `write` takes the report, or its results as the reader may see them. A page lists it by its label."""

    write: Callable[[Any], str | bytes]
    content_type: str = CSV
    label: str | Promise = ""


def table(head: list[str], rows: list[list]) -> str:
    return csv_of(head, *rows)


def as_csv(frame: pl.DataFrame) -> str:
    return table(frame.columns, list(map(list, frame.iter_rows())))


def csv_of_rows(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of the same columns as CSV, with empty cells for what is unknown."""
    return table(list(rows[0]) if rows else [], [list(row.values()) for row in plain(list(rows))])


def json_of(whole: Mapping[str, Any]) -> str:
    return json.dumps(whole, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)


def frame_of(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=list(head), orient="row", infer_schema_length=None)


def attachment(content: str | bytes, content_type: str, name: str) -> HttpResponse:
    return HttpResponse(content, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
