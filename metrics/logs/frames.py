"""Records of a site as the engine's frames, one part of the units at a time.

A part holds the units whose hashes end in the same bits, with all that they did. The database selects and counts. Almost
everything is read as numbers of fixed width, so that PostgreSQL's binary COPY is a numpy array as it stands.

That is decoded here for its speed: of 3 million rows of four numbers, COPY as text through polars takes 1.4 times as long, and so
do the driver's Python objects, in seven times the memory. ADBC takes half as long, but by a connection of its own, which sees
nothing of the transaction.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from ireval.clicks.ubi import CLICKS
from judging.logs.moments import MICROS, as_text
from judging.models import Experiment, Site

# Records with a time further ahead of their receipt are not believed.
AHEAD = timedelta(days=1)
MOST_PARTS = 256
QUERIES, EVENTS = "judging_query", "judging_event"
# How the columns of attributes begin.
SEGMENT = "segment "
# The number that stands for an empty cell in columns of fixed width.
NONE = -(2**63)
# Kinds of such numbers, as numpy and PostgreSQL name them.
WIDE, SMALL, FLOAT = (">i8", "bigint"), (">i4", "integer"), (">f8", "double precision")
Kind = tuple[str, str]
Schema = dict[str, type[pl.DataType]]
Step = Callable[[pl.DataFrame], pl.DataFrame]
HEADER, TRAILER = 19, 2  # bytes of a binary COPY before and after its rows
CHUNK = 4 * 2**20  # bytes that are decoded at once
ESCAPED = {"\\\\": "\\", "\\b": "\b", "\\f": "\f", "\\n": "\n", "\\r": "\r", "\\t": "\t", "\\v": "\v"}


@dataclass(frozen=True)
class Window:
    """A selection of a site's records: what happened from `since` until just before `until`, and was received by `as_of`.

    It holds all units, or part `number` of `parts`.
    """

    site: Site
    since: datetime
    until: datetime
    as_of: datetime
    unit: str = "client"  # a column: or person
    number: int = 0
    parts: int = 1

    def part(self, number: int, parts: int) -> "Window":
        return replace(self, number=number, parts=parts)

    @property
    def condition(self) -> str:
        return "site_id = %s AND received >= %s AND received <= %s AND time >= %s AND time < %s"

    @property
    def bits(self) -> list[int]:
        """The values of `in_part`."""
        return [self.parts - 1, self.number]

    @property
    def values(self) -> list[Any]:
        moments = [self.since - AHEAD, self.as_of, self.since, self.until]
        return [self.site.pk, *(moments if on_postgresql() else map(as_text, moments))]


def window_of(experiment: Experiment, as_of: datetime) -> Window:
    assert experiment.started
    since = experiment.started - timedelta(days=experiment.before_days)
    unit = "person" if experiment.unit == Experiment.Unit.USER else "client"
    return Window(experiment.site, since, min(experiment.stopped or as_of, as_of), as_of, unit)


def source() -> BaseDatabaseWrapper:
    """The database to read records from: a replica, if there is one, so that long reports do not slow down writes."""
    return connections["replica" if "replica" in connections.databases else "default"]


def as_fresh_as(now: datetime) -> datetime:
    """The moment until which all records can be read; a replica may be behind `now`."""
    if "replica" not in connections.databases:
        return now
    ((replayed,),) = rows("SELECT pg_last_xact_replay_timestamp() WHERE pg_is_in_recovery()", []) or [(None,)]
    return min(now, replayed) if replayed else now


def on_postgresql() -> bool:
    return source().vendor == "postgresql"


def micros(moment: datetime) -> int:
    return round(moment.timestamp() * 1_000_000)


def parts_of(window: Window, most: int) -> int:
    """The number of parts in which the window is read, each of about `most` records.

    It is a power of two, so that the last bits of a hash choose the part. Smaller parts would take less memory and more scans.
    """
    counts = [f"(SELECT count(*) FROM {table} WHERE {window.condition})" for table in (QUERIES, EVENTS)]  # noqa: S608
    ((records,),) = rows(f"SELECT {' + '.join(counts)}", window.values * 2)
    parts = 1
    while parts < MOST_PARTS and records > parts * most:
        parts *= 2
    return parts


def unchanged(records: pl.DataFrame) -> pl.DataFrame:
    return records


def searches(
    window: Window, experiment: str, arms: Sequence[str], segments: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> pl.DataFrame:
    """One row per record of a search: unit, session, time, query, text (a hash), arm (its number in `arms`).

    Each attribute of `segments` adds a column (SEGMENT and its name) with the number of its value. Null is what is unknown.
    """
    arm, values = numbered(inside("arms"), key(experiment), arms)
    columns = {
        **who(window),
        "query": (or_none("query"), WIDE),
        "text": ("hashtextextended(text, 0)" if on_postgresql() else "text", WIDE),
        "arm": (arm, SMALL),
    }
    for attribute, commonest in segments.items():
        code, more = numbered(inside("raw", "query_attributes"), key(attribute), commonest)
        columns[SEGMENT + attribute] = code, SMALL
        values += more
    rest = f"FROM {QUERIES} WHERE {window.condition} AND {window.unit} IS NOT NULL AND {in_part(window)}"
    coded = pl.col("arm", *(SEGMENT + attribute for attribute in segments))

    def as_read(records: pl.DataFrame) -> pl.DataFrame:
        if records["text"].dtype == pl.String:
            records = records.with_columns(text=pl.col("text").hash().reinterpret(signed=True))
        return records.with_columns(or_null(pl.col("session", "query")), pl.when(coded >= 0).then(coded).name.keep())

    return number_frame(columns, rest, [*values, *window.values, *window.bits], as_read)


def events(window: Window, actions: Sequence[str] = ()) -> pl.DataFrame:
    """One row per event: unit, session, time, query, action, rank and value, as the engine takes them.

    Actions besides clicks and `actions` are called other. An event that names no unit is in all parts, since its search decides
    whose it is. A click that names no rank gets the rank of its object in what its search showed.
    """
    names = list(dict.fromkeys([*CLICKS, *actions]))
    action, values = numbered("action", None, names)
    columns = {
        **who(window),
        "query": (or_none("query"), WIDE),
        "action": (action, SMALL),
        "rank": (f"CASE WHEN ordinal IS NULL THEN 0 ELSE ordinal - {window.site.first_ordinal:d} + 1 END", SMALL),
        "value": ("coalesce(value, 'NaN'::float8)" if on_postgresql() else "value", FLOAT),
        "lacks": (f"CASE WHEN {LACKS} THEN 1 ELSE 0 END", SMALL),
    }
    rest = f"FROM {EVENTS} WHERE {window.condition} AND {here_or_unknown(window)}"
    titles = pl.Series([*names, "other"], dtype=pl.Categorical)

    def as_read(records: pl.DataFrame) -> pl.DataFrame:
        named = titles.gather(records["action"] % len(titles))
        return records.with_columns(or_null(pl.col("unit", "session", "query")), action=named)

    records = number_frame(columns, rest, [*values, *window.values, *window.bits], as_read)
    return (with_ranks(records, window) if records["lacks"].max() else records).drop("lacks")


# The condition of a click whose rank has to be looked up.
LACKS = f"action IN ({', '.join(map(repr, CLICKS))}) AND ordinal IS NULL AND query IS NOT NULL AND object <> ''"


def with_ranks(records: pl.DataFrame, window: Window) -> pl.DataFrame:
    """The events with the ranks of clicks that lack one, which are read again and joined with what their search showed."""
    ranked = clicks(window, LACKS).join(hits(window), on=["query", "object"], how="left")
    again = ranked.with_columns(
        pl.col("action").cast(pl.Categorical),
        rank=pl.col("rank").fill_null(0).cast(pl.Int32),
        value=pl.lit(None, pl.Float64),
        lacks=pl.lit(1, pl.Int32),
    )
    return pl.concat([records.filter(pl.col("lacks") == 0), again.select(records.columns)])


def clicks(window: Window, condition: str = "") -> pl.DataFrame:
    """One row per click: unit, session, time, query, action, object."""
    wanted = condition or f"action IN ({', '.join(map(repr, CLICKS))}) AND query IS NOT NULL AND object <> ''"
    return frame(
        f"SELECT {window.unit}, session, {in_micros()}, query, action, object FROM {EVENTS}"  # noqa: S608  texts of ours
        f" WHERE {window.condition} AND {here_or_unknown(window)} AND {wanted}",
        [*window.values, *window.bits],
        {**dict.fromkeys(("unit", "session", "time", "query"), pl.Int64), "action": pl.String, "object": pl.String},
    )


def hits(window: Window) -> pl.DataFrame:
    """One row per result shown: query, object, rank; by the latest record of a search that names its results."""
    records = frame(
        f"SELECT query, {in_micros()}, {as_string('hits')} FROM {QUERIES}"  # noqa: S608  texts of ours
        f" WHERE {window.condition} AND query IS NOT NULL AND {names_results()} AND {in_part(window)}",
        [*window.values, *window.bits],
        {"query": pl.Int64, "time": pl.Int64, "hits": pl.String},
    )
    latest = records.sort("time").unique("query", keep="last", maintain_order=True)
    shown = latest.select("query", object=pl.col("hits").str.json_decode(pl.List(pl.String)))
    ranked = shown.with_columns(rank=pl.int_ranges(1, pl.col("object").list.len() + 1, dtype=pl.Int32))
    return ranked.explode("object", "rank").unique(["query", "object"], keep="first", maintain_order=True)


def units_of_agents(window: Window, agents: Sequence[int]) -> np.ndarray:
    """The units with a record that names one of these agents."""
    if not agents:
        return np.zeros(0, np.int64)
    named = ", ".join(f"{agent:d}" for agent in agents)
    units = [
        number_frame(
            {"unit": (f"DISTINCT {window.unit}", WIDE)},
            f"FROM {table} WHERE {window.condition} AND agent IN ({named}) AND {window.unit} IS NOT NULL AND {in_part(window)}",
            [*window.values, *window.bits],
        )
        for table in (QUERIES, EVENTS)
    ]
    return pl.concat(units)["unit"].unique().to_numpy()


def who(window: Window) -> dict[str, tuple[str, Kind]]:
    return {
        "unit": (or_none(window.unit), WIDE),
        "session": (or_none("session"), WIDE),
        "time": (in_micros(), WIDE),
    }


def numbered(column: str, parameter: str | None, names: Sequence[str]) -> tuple[str, list[Any]]:
    """SQL for the number of a text in `names` (-1 for others), and the SQL's values."""
    if not names:
        return "-1", []
    cases = " ".join(f"WHEN %s THEN {number}" for number in range(len(names)))
    return f"CASE {column} {cases} ELSE -1 END", [*([] if parameter is None else [parameter]), *names]


def or_none(column: str) -> str:
    return f"coalesce({column}, {NONE + 1} - 1)"


def or_null(columns: pl.Expr) -> pl.Expr:
    """Null for NONE."""
    return pl.when(columns != NONE).then(columns).name.keep()


def as_string(column: str) -> str:
    return f"{column}::text" if on_postgresql() else column


def names_results() -> str:
    """SQL for records of a search that name at least one result. An empty list says that there was none."""
    return f"{as_string('hits')} <> '[]'"


def inside(column: str, *path: str) -> str:
    """SQL for a text inside JSON; the last name of its path is a parameter, made by `key`."""
    if on_postgresql():
        return f"{column}{''.join(f' -> {name!r}' for name in path)} ->> %s"
    return f"json_extract({column}, '$.{''.join(f'{name}.' for name in path)}' || %s)"


def key(name: str) -> str:
    return name if on_postgresql() else '"' + name.replace('"', "") + '"'


def in_micros() -> str:
    return MICROS[source().vendor]


def in_part(window: Window) -> str:
    return f"({window.unit} & %s) = %s"


def here_or_unknown(window: Window) -> str:
    return f"({in_part(window)} OR ({window.unit} IS NULL AND query IS NOT NULL))"


def number_frame(
    columns: Mapping[str, tuple[str, Kind]], rest: str, values: Sequence[Any], as_read: Step = unchanged
) -> pl.DataFrame:
    """A frame of number columns without empty cells, selected by `rest`; `as_read` transforms each chunk of rows."""
    if on_postgresql():
        return binary_copy(columns, rest, values, as_read)
    sql = f"SELECT {', '.join(sql for sql, _ in columns.values())} {rest}"
    types = {">i8": pl.Int64, ">i4": pl.Int32, ">f8": pl.Float64}
    schema = {name: pl.String if sql == "text" else types[kind] for name, (sql, (kind, _)) in columns.items()}
    return as_read(pl.DataFrame(rows(sql, values), schema=schema, orient="row"))


def binary_copy(columns: Mapping[str, tuple[str, Kind]], rest: str, values: Sequence[Any], as_read: Step) -> pl.DataFrame:
    """The same by PostgreSQL's binary COPY.

    Its rows are equally long if no cell is empty: the number of cells, then each cell after its length.
    """
    chosen = ", ".join(cast(sql, kind) for sql, (_, kind) in columns.values())
    layout = [("cells", ">i2")]
    for name, (_, (kind, _)) in columns.items():
        layout += [(f"length of {name}", ">i4"), (name, kind)]
    row = np.dtype(layout)
    sql = f"COPY (SELECT {chosen} {rest}) TO STDOUT (FORMAT BINARY)"
    with source().cursor() as cursor, cursor.cursor.copy(sql, values) as copy:
        chunks = [as_read(decoded(chunk, row, list(columns))) for chunk in chunks_of(copy, row.itemsize)]
    return pl.concat(chunks or [as_read(decoded(b"", row, list(columns)))])  # without chunks all would be in memory twice


def chunks_of(copy: Iterable[Any], size: int) -> Iterator[bytes]:
    """The rows of a binary COPY in chunks, without its header and trailer."""
    buffer, skipped = bytearray(), HEADER
    for block in copy:
        buffer += block
        if len(buffer) > CHUNK:
            kept = (len(buffer) - skipped) // size * size + skipped
            yield bytes(buffer[skipped:kept])
            buffer, skipped = buffer[kept:], 0
    if len(buffer) - skipped - TRAILER >= size:
        yield bytes(buffer[skipped : len(buffer) - TRAILER])


def decoded(rows: bytes, row: np.dtype, names: Sequence[str]) -> pl.DataFrame:
    cells = np.frombuffer(rows, row)
    return pl.DataFrame({name: cells[name].astype(cells[name].dtype.newbyteorder("=")) for name in names})


def cast(sql: str, kind: str) -> str:
    distinct = "DISTINCT "
    return f"DISTINCT ({sql.removeprefix(distinct)})::{kind}" if sql.startswith(distinct) else f"({sql})::{kind}"


def frame(sql: str, values: Sequence[Any], schema: Schema, as_read: Step = unchanged) -> pl.DataFrame:
    """A frame of a query with texts, in columns of the schema; `as_read` transforms each chunk of rows."""
    if not on_postgresql():
        return as_read(pl.DataFrame(rows(sql, values), schema=schema, orient="row"))
    with source().cursor() as cursor, cursor.cursor.copy(f"COPY ({sql}) TO STDOUT", values) as copy:
        chunks = [as_read(parsed(lines, schema)) for lines in lines_of(copy)]
    return pl.concat(chunks or [as_read(pl.DataFrame(schema=schema))])


def lines_of(copy: Iterable[Any]) -> Iterator[bytes]:
    """The lines of a text COPY in chunks."""
    buffer = bytearray()
    for block in copy:
        buffer += block
        if len(buffer) > CHUNK:
            kept = buffer.rfind(b"\n") + 1
            yield bytes(buffer[:kept])
            buffer = buffer[kept:]
    if buffer:
        yield bytes(buffer)


def parsed(lines: bytes, schema: Schema) -> pl.DataFrame:
    """The rows of a text COPY: one line each, with tabs between cells; tabs, newlines and backslashes in a cell are escaped."""
    cells = pl.read_csv(
        lines, separator="\t", quote_char=None, has_header=False, schema=schema, null_values="\\N", empty_string_is_null=False
    )
    return cells.with_columns(pl.col(pl.String).str.replace_many(list(ESCAPED), list(ESCAPED.values())))


def rows(sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with source().cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()
