"""The columns of archived records: those of the tables, and JSON that reports look into as columns of its own.

Files are sorted by `bucket`, the last byte of the client with its bits reversed. So clients whose last bits are the same, however
many bits, lie side by side.
"""

from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from judging.database.row_frames import Schema
from judging.logs.moments import IN_MICROS
from judging.models import ArchiveFile, Event, Query

BITS = 8
MOST_BUCKETS = 2**BITS
MODELS: dict[str, type[Query] | type[Event]] = {ArchiveFile.Kind.QUERIES: Query, ArchiveFile.Kind.EVENTS: Event}


class Column(NamedTuple):
    """A column of a file: `made` in DuckDB, from what is `read` from a table under the same name.

    `read` is the table's SQL by vendor; empty where the column is made from `source` alone.
    """

    made: str
    read: dict[str, str]
    kind: type[pl.DataType] = pl.String
    source: str = ""


def as_it_is(name: str, kind: type[pl.DataType] = pl.Int64) -> Column:
    return Column(name, {"postgresql": name, "sqlite": name}, kind)


def moment(name: str) -> Column:
    """Microseconds since 1970."""
    return Column(name, {vendor: sql.format(name) for vendor, sql in IN_MICROS.items()}, pl.Int64)


def json(name: str, made: str = "") -> Column:
    return Column(made or name, {"postgresql": f"{name}::text", "sqlite": name})


MAP = "MAP(VARCHAR, VARCHAR)"
# An attribute that says how a merged list was made is longer than all others together: it is kept apart.
NAMED = "contains(attributes, '\"interleaving\"')"
OTHERS = f"CASE WHEN {NAMED} THEN json_merge_patch(attributes, '{{\"interleaving\": null}}') ELSE attributes END"
REVERSED = " + ".join(f"(((client >> {bit}) & 1) << {BITS - 1 - bit})" for bit in range(BITS))
COMMON = {
    "bucket": Column(f"CAST({REVERSED} AS UTINYINT)", {}, source="client"),
    "identity": Column("CAST(identity AS UUID)", {"postgresql": "identity", "sqlite": "identity"}),
    "received": moment("received"),
    "time": moment("time"),
    **{name: as_it_is(name) for name in ("query", "client", "person", "session", "agent")},
    "raw": json("raw"),
}
COLUMNS: dict[str, dict[str, Column]] = {
    ArchiveFile.Kind.QUERIES: {
        **COMMON,
        "text": as_it_is("text", pl.String),
        "hits": json("hits", "CAST(hits::JSON AS VARCHAR[])"),
        "arms": json("arms", f"CAST(arms::JSON AS {MAP})"),
        "attributes": Column(
            f"CASE WHEN json_type(attributes) = 'OBJECT' THEN CAST(({OTHERS})::JSON AS {MAP}) END",
            {"postgresql": "(raw -> 'query_attributes')::text", "sqlite": "raw -> '$.query_attributes'"},
        ),
        "made": Column(
            "CASE WHEN json_type(attributes) = 'OBJECT' THEN attributes ->> '$.interleaving' END", {}, source="attributes"
        ),
    },
    ArchiveFile.Kind.EVENTS: {
        **COMMON,
        "action": as_it_is("action", pl.String),
        "object": as_it_is("object", pl.String),
        "ordinal": as_it_is("ordinal"),
        "value": as_it_is("value", pl.Float64),
    },
}


def select_rows(kind: str, names: Iterable[str], vendor: str) -> tuple[str, Schema]:
    """SQL for what is read from the table to make these columns, without its condition, and the types of that."""
    columns = COLUMNS[kind]
    read = {name: columns[name] for name in {columns[name].source or name: None for name in names}}
    listed = ", ".join(f"{column.read[vendor]} AS {name}" for name, column in read.items())
    return f"SELECT {listed} FROM {MODELS[kind]._meta.db_table}", {name: column.kind for name, column in read.items()}  # noqa: S608


def select_made(kind: str, names: Iterable[str], source: str) -> str:
    """DuckDB's SQL for the columns, made from what `select_rows` reads."""
    listed = ", ".join(f"{COLUMNS[kind][name].made} AS {name}" for name in names)
    return f"SELECT {listed} FROM {source}"  # noqa: S608  texts of ours


def reversed_byte(number: int) -> int:
    """
    >>> reversed_byte(1), reversed_byte(6)
    (128, 96)
    """
    return int(f"{number:0{BITS}b}"[::-1], 2)


def bucket_of(client: int) -> int:
    return reversed_byte(client % MOST_BUCKETS)


def range_of(number: int, parts: int) -> tuple[int, int]:
    """The buckets of clients whose hash leaves `number` when divided by `parts`, a power of two.

    >>> range_of(0, 1), range_of(1, 2), range_of(1, 4)
    ((0, 255), (128, 255), (128, 191))
    """
    if parts > MOST_BUCKETS:
        return range_of(number % MOST_BUCKETS, MOST_BUCKETS)
    first = reversed_byte(number)
    return first, first + MOST_BUCKETS // parts - 1
