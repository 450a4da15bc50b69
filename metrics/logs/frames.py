"""Records of a site as the engine's frames, one part of the units at a time.

A part holds the units whose hashes end in the same bits, with all that they did. DuckDB selects and counts, of rows in the
database and of archived files alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl

from ireval.clicks.ubi import CLICKS
from judging.logs.archive.selections import CLICKED, Rows, Selection, ask, count, source
from judging.models import Experiment, Site

# Records with a time further ahead of their receipt are not believed.
AHEAD = timedelta(days=1)
MOST_PARTS = 256
# How the columns of attributes begin.
SEGMENT = "segment "
ALL = Rows()


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

    def pieces(self, most: int) -> list["Window"]:
        """The part in smaller ones, each of about `most` searches."""
        searches, pieces = self.count("queries", self.here), 1
        while searches > pieces * most:
            pieces *= 2
        return [self.part(self.number + self.parts * piece, self.parts * pieces) for piece in range(pieces)]

    @property
    def here(self) -> Rows:
        """The records of its part's units."""
        return self.rows(f"({self.unit} & {self.parts - 1}) = {self.number}")

    @property
    def here_or_unknown(self) -> Rows:
        """Those, and records that name no unit, since their search decides whose they are."""
        return self.rows(f"({self.here.condition} OR ({self.unit} IS NULL AND query IS NOT NULL))")

    def rows(self, condition: str) -> Rows:
        return Rows(condition, (self.number, self.parts) if self.unit == "client" else (0, 1))

    def ask(self, sql: str, values: Sequence[Any] = (), **tables: Rows) -> pl.DataFrame:
        """What DuckDB answers of `queries` and `events`; `tables` say which of the window's records each holds."""
        return ask(self.selection, sql, values, **tables)

    def count(self, kind: str, rows: Rows = ALL) -> int:
        return count(self.selection, kind, rows)

    @property
    def selection(self) -> Selection:
        return Selection(self.site.pk, self.since - AHEAD, self.as_of, self.since, self.until)


def window_of(experiment: Experiment, as_of: datetime) -> Window:
    assert experiment.started
    since = experiment.started - timedelta(days=experiment.before_days)
    unit = "person" if experiment.unit == Experiment.Unit.USER else "client"
    return Window(experiment.site, since, min(experiment.stopped or as_of, as_of), as_of, unit)


def as_fresh_as(now: datetime) -> datetime:
    """The moment until which all records can be read; a replica may be behind `now`."""
    if source().alias != "replica":
        return now
    with source().cursor() as cursor:
        cursor.execute("SELECT pg_last_xact_replay_timestamp() WHERE pg_is_in_recovery()")
        replayed = next(iter(cursor.fetchall()), (None,))[0]
    return min(now, replayed) if replayed else now


def parts_of(window: Window, most: int) -> int:
    """The number of parts in which the window is read, each of about `most` records.

    It is a power of two, so that the last bits of a hash choose the part. Smaller parts would take less memory and more scans.
    """
    records = window.count("queries") + window.count("events")
    parts = 1
    while parts < MOST_PARTS and records > parts * most:
        parts *= 2
    return parts


def searches(
    window: Window, experiment: str, arms: Sequence[str], segments: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> pl.DataFrame:
    """One row per record of a search: unit, session, time, query, text (a hash), arm (its number in `arms`).

    Each attribute of `segments` adds a column (SEGMENT and its name) with the number of its value. Null is what is unknown.
    """
    numbers = [f"{number('arms[?]')} AS arm", *(f'{number("attributes[?]")} AS "{place}"' for place in range(len(segments)))]
    values = [list(arms), experiment]
    for attribute, commonest in segments.items():
        values += [list(commonest), attribute]
    records = window.ask(
        f"SELECT {window.unit} AS unit, session, time, query, hash(text) AS text, {', '.join(numbers)} FROM queries"  # noqa: S608
        f" WHERE {window.unit} IS NOT NULL",
        values,
        queries=window.here,
    )
    named = {str(place): SEGMENT + attribute for place, attribute in enumerate(segments)}
    return records.rename(named).with_columns(pl.col("text").reinterpret(signed=True))


def number(text: str) -> str:
    """SQL for a text's number in a list, which is its first value; null where it is not there."""
    return f"CAST(list_position(?::VARCHAR[], {text}) - 1 AS INTEGER)"


def events(window: Window, actions: Sequence[str] = ()) -> pl.DataFrame:
    """One row per event: unit, session, time, query, action, rank and value, as the engine takes them.

    Actions besides clicks and `actions` are called other. An event that names no unit is in all parts, since its search decides
    whose it is. A click that names no rank gets the rank of its object in what its search showed.
    """
    names = list(dict.fromkeys([*CLICKS, *actions]))
    records = window.ask(
        f"SELECT {window.unit} AS unit, session, time, query, coalesce({number('action')}, {len(names)}) AS action,"  # noqa: S608
        f" CAST(coalesce(ordinal - {window.site.first_ordinal:d} + 1, 0) AS INTEGER) AS rank, value, ({LACKS}) AS lacks"
        " FROM events",
        [names],
        events=window.here_or_unknown,
    )
    records = records.with_columns(action=pl.Series([*names, "other"], dtype=pl.Categorical).gather(records["action"]))
    return (with_ranks(records, window) if records["lacks"].any() else records).drop("lacks")


# The condition of a click whose rank is looked up. Those that name nothing find nothing: no list holds empty names. To ask for
# names here would read them of all events, a quarter of the time.
LACKS = f"{CLICKED} AND ordinal IS NULL AND query IS NOT NULL"


def with_ranks(records: pl.DataFrame, window: Window) -> pl.DataFrame:
    """The events with the ranks of clicks that lack one, which are read again and joined with what their search showed."""
    ranked = clicks(window, LACKS).join(hits(window), on=["query", "object"], how="left")
    again = ranked.with_columns(
        pl.col("action").cast(pl.Categorical),
        rank=pl.col("rank").fill_null(0).cast(pl.Int32),
        lacks=pl.lit(value=True),
    )
    return pl.concat([records.filter(~pl.col("lacks")), again.select(records.columns)])


def clicks(window: Window, condition: str = f"{CLICKED} AND query IS NOT NULL AND object <> ''") -> pl.DataFrame:
    """One row per click: unit, session, time, query, action, object, value."""
    return window.ask(
        f"SELECT {window.unit} AS unit, session, time, query, action, object, value FROM events WHERE {condition}",  # noqa: S608
        events=window.here_or_unknown,
    )


def hits(window: Window) -> pl.DataFrame:
    """One row per result shown: query, object, rank; by the latest record of a search that names its results."""
    latest = window.ask(
        "SELECT query, hits AS object FROM queries WHERE query IS NOT NULL AND len(hits) > 0"
        " QUALIFY row_number() OVER (PARTITION BY query ORDER BY time DESC, received DESC, identity) = 1",
        queries=window.here,
    )
    ranked = latest.with_columns(rank=pl.int_ranges(1, pl.col("object").list.len() + 1, dtype=pl.Int32))
    return ranked.explode("object", "rank").unique(["query", "object"], keep="first", maintain_order=True)


def units_of_agents(window: Window, agents: Sequence[int]) -> np.ndarray:
    """The units with a record that names one of these agents."""
    if not agents:
        return np.zeros(0, np.int64)
    selects = (
        f"SELECT {window.unit} AS unit FROM {table} WHERE list_contains($1::BIGINT[], agent)"  # noqa: S608
        for table in ("queries", "events")
    )
    sql = f"SELECT DISTINCT unit FROM ({' UNION ALL '.join(selects)}) WHERE unit IS NOT NULL"  # noqa: S608
    return window.ask(sql, [list(agents)], queries=window.here, events=window.here)["unit"].to_numpy()
