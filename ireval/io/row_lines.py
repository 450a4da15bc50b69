"""The lines on which a run or qrels name their topics and documents; broken lines are left out."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice, takewhile
from pathlib import Path

import polars as pl

from ireval.io.cells import checked
from ireval.io.columns import column_rows
from ireval.io.files import BadFile, Problem, Row
from ireval.io.qrels import QRELS, table_rows
from ireval.io.runs import RUN
from ireval.io.tables import DOCNO, TOPIC, is_parquet, read_parquet_table

LOCATED = {"line": pl.UInt32, "topic": pl.String, "docno": pl.String}
A_PORTION = 100_000


def located_run(path: str | os.PathLike[str], *, name: str, max_bytes: int, last: int | None = None) -> pl.DataFrame:
    """The line, topic and docno (LOCATED) of each row of a run, up to the line `last` if given."""
    if is_parquet(Path(path)):
        return located_in_parquet(Path(path), name, max_bytes)
    return located(column_rows(path, RUN, name=name, max_bytes=max_bytes), last)


def located_qrels(path: str | os.PathLike[str], *, name: str, max_bytes: int, last: int | None = None) -> pl.DataFrame:
    """The line, topic and docno (LOCATED) of each row of qrels, in any format of read_qrels."""
    if is_parquet(Path(path)):
        return located_in_parquet(Path(path), name, max_bytes)
    return located(qrels_rows(Path(path), name, max_bytes), last)


def located_in_parquet(path: Path, name: str, max_bytes: int) -> pl.DataFrame:
    """The rows of a Parquet file, which has no lines: all lines are 0, the whole file."""
    try:
        frame = checked(read_parquet_table(path, {"topic": TOPIC, "docno": DOCNO}, name=name, max_bytes=max_bytes))
    except BadFile:
        return pl.DataFrame(schema=LOCATED)
    return frame.select(pl.lit(0, pl.UInt32).alias("line"), "topic", "docno")


def qrels_rows(path: Path, name: str, max_bytes: int) -> Iterator[Row | Problem]:
    yield from table_rows(path, name, max_bytes) or column_rows(path, QRELS, name=name, max_bytes=max_bytes)


def located(rows: Iterable[Row | Problem], last: int | None = None) -> pl.DataFrame:
    """The rows as a frame (LOCATED), built in portions, since millions of tuples would fill the memory."""
    named = rows_with_ids(rows)
    wanted = named if last is None else takewhile(lambda row: row[0] <= last, named)
    portions = [pl.DataFrame(schema=LOCATED)]
    while portion := list(islice(wanted, A_PORTION)):
        portions.append(pl.DataFrame(portion, schema=LOCATED, orient="row"))
    return pl.concat(portions)


def rows_with_ids(rows: Iterable[Row | Problem]) -> Iterator[tuple[int, str, str]]:
    """Yield line, topic and docno of the rows that have them, up to where the file becomes unreadable."""
    try:
        for row in rows:
            if not isinstance(row, Problem) and row[1] and row[2]:
                yield row[:3]
    except BadFile:
        return
