"""Frames that are kept as Parquet with a report or with one of its parts."""

import io
from collections.abc import Collection, Mapping

import polars as pl

from ireval.io.tables import parquet_of
from metrics.models import Part, Report, Table

Tables = Mapping[str, pl.DataFrame]


def keep(tables: Tables, report_id: int, part: Part | None = None) -> None:
    Table.objects.bulk_create(
        Table(report_id=report_id, part=part, name=name, content=parquet_of(frame)) for name, frame in tables.items()
    )


def table_of(report: Report, name: str) -> pl.DataFrame | None:
    """A table of the report as a whole; None if it has none of the name."""
    content = report.tables.filter(part=None, name=name).values_list("content", flat=True).first()
    return None if content is None else from_parquet(content)


def table_of_part(report: Report, part: str, name: str) -> pl.DataFrame:
    """A table of the only part of a name."""
    return from_parquet(report.tables.values_list("content", flat=True).get(part__name=part, name=name))


def from_parquet(content: bytes | memoryview, columns: Collection[str] | None = None) -> pl.DataFrame:
    return pl.read_parquet(io.BytesIO(bytes(content)), columns=list(columns) if columns else None)
