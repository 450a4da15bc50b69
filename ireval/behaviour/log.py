"""A search log: who searched for what, when and in which arm, and what they then did."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from ireval.clicks.ubi import CLICKS
from ireval.io.arguments import require_numbers, require_type
from ireval.io.cells import FILL_IN, shown
from ireval.io.files import BadInput
from ireval.io.frames import Frame, as_table

SECOND = 1_000_000
# Ids are hashes; times are microseconds since 1970, UTC.
SEARCHES: dict[str, type[pl.DataType]] = {
    "unit": pl.Int64,
    "session": pl.Int64,
    "time": pl.Int64,
    "query": pl.Int64,
    "text": pl.Int64,
    "arm": pl.Int16,
    "segment": pl.Int32,
}
EVENTS: dict[str, type[pl.DataType]] = {
    "unit": pl.Int64,
    "session": pl.Int64,
    "time": pl.Int64,
    "query": pl.Int64,
    "action": pl.String,
    "rank": pl.Int32,
    "value": pl.Float64,
}
NEEDED = {"searches": ("unit", "time", "query", "arm"), "events": ("unit", "time", "query", "action")}
FULL = {"searches": ("unit", "time"), "events": ("time", "action")}
# Sums of squares of larger values could exceed a double, and no event is worth as much.
LARGEST_VALUE = 1e15


class BadLog(BadInput):
    """A log from which nothing can be computed, and why."""


@dataclass(frozen=True, eq=False)
class Log:
    """A log in order, as `log_of` makes it; the experiment of `arms` runs from `start` until just before `stop`.

    `searches` has one row per impression, with the smallest and the largest arm that its records name (`arm`, `other_arm`).
    Every one of the `events` has a unit. `repeated` records of searches and `ownerless` events were left out.
    """

    searches: pl.DataFrame
    events: pl.DataFrame
    arms: tuple[str, ...]
    start: int
    stop: int
    repeated: int = 0
    ownerless: int = 0

    @property
    def inside(self) -> pl.Expr:
        """Whether a record lies in the time of the experiment."""
        return pl.col("time").is_between(self.start, self.stop, closed="left")

    def without(self, units: ArrayLike) -> "Log":
        """The log without these units; the two counts of records left out stay.

        >>> small().without([1]).searches["unit"].unique().to_list()
        [2]
        """
        return self._joined(units, "anti") if len(np.asarray(units)) else self

    def only(self, units: ArrayLike) -> "Log":
        """The log of these units; the two counts of records left out stay.

        >>> small().only([1]).searches["unit"].unique().to_list()
        [1]
        """
        return self._joined(units, "semi")

    def _joined(self, units: ArrayLike, how: Literal["anti", "semi"]) -> "Log":
        named = pl.DataFrame({"unit": np.asarray(units, np.int64)})
        searches, events = (frame.join(named, on="unit", how=how) for frame in (self.searches, self.events))
        return replace(self, searches=searches, events=events)


def log_of(searches: Frame, events: Frame, arms: Sequence[str], start: int, stop: int) -> Log:
    """A log from two frames of polars or pandas, whose rows may come in any order.

    - searches: unit, time, query (the impression's id) and arm (its number in `arms`, null outside the experiment). Optional:
      session, text (a hash of the query's text) and segment.
    - events: unit, time, query and action. Optional: session, rank (1 at the top) and value.

    A search may have several records, with the same unit and query. Its time is that of the first. Its session, text and segment
    are the first ones that a record has; of several at the same time, the smallest. A search without a query has a single record.
    An event without a unit gets the unit of the first search with its query; of several at the same time, the smallest unit.
    It is left out where no search has the query. Ranks below 1 and values that are not finite or beyond 10^15 count as unknown.
    BadLog for a missing column, fewer than two arms, and a stop that is not after the start. It names the row of a missing unit,
    time or action, of a cell of another type, and of an unknown arm.
    """
    require_type("arms", arms, (list, tuple), "a list of the arms' names", BadLog)
    require_numbers(start=start, stop=stop)
    if len(set(arms)) != len(arms) or len(arms) < 2:
        raise BadLog(f"an experiment has two arms or more, each with a name of its own; found {len(set(arms))}")
    if not start < stop:
        raise BadLog(f"the experiment stops at {stop}, and starts at {start}")
    records = typed_columns(searches, SEARCHES, "searches")
    known = records["arm"].is_between(0, len(arms) - 1).fill_null(value=True)
    if not known.all():
        row = known.arg_min() or 0
        raise BadLog(f"row {row + 1:,} of searches: the arm is {records['arm'][row]}; arms are numbers from 0 to {len(arms) - 1}")
    impressions = impressions_of(records)
    actions = typed_columns(events, EVENTS, "events").with_columns(
        rank=pl.when(pl.col("rank") >= 1).then("rank"),
        value=pl.when(pl.col("value").is_finite() & (pl.col("value").abs() <= LARGEST_VALUE)).then("value"),
    )
    owned = with_units(actions, impressions)
    return Log(impressions, owned, tuple(arms), start, stop, len(records) - len(impressions), len(actions) - len(owned))


def require_log(log: object) -> None:
    require_type("log", log, Log, "a Log, which log_of makes of searches and events", BadLog)


def typed_columns(source: Frame, schema: dict[str, type[pl.DataType]], what: str) -> pl.DataFrame:
    frame = as_table(source, BadLog)
    if missing := [column for column in NEEDED[what] if column not in frame.columns]:
        raise BadLog(f"{what} have no column {missing[0]}; expected {', '.join(NEEDED[what])}")
    for column in FULL[what]:
        cells = frame[column].fill_nan(None) if frame[column].dtype.is_float() else frame[column]
        if cells.null_count():
            row = (cells.is_null().arg_max() or 0) + 1
            raise BadLog(f"row {row:,}: column {column} of {what} has an empty cell: {FILL_IN}")
    try:
        return frame.select(typed_column(frame, name, kind) for name, kind in schema.items())
    except pl.exceptions.PolarsError as error:
        raise BadLog(next(mistyped_cells(frame, schema, what), str(error))) from error


def typed_column(frame: pl.DataFrame, name: str, kind: type[pl.DataType]) -> pl.Expr:
    held = frame.schema.get(name)
    if held is None:
        return pl.lit(None, kind).alias(name)
    column = pl.col(name).fill_nan(None) if held.is_float() else pl.col(name)  # pandas' empty numbers are NaN
    return column if held == pl.Categorical else column.cast(kind)


def mistyped_cells(frame: pl.DataFrame, schema: dict[str, type[pl.DataType]], what: str) -> Iterator[str]:
    """Yield the first cell of each column that cannot be of its type."""
    for name, kind in schema.items():
        if name in frame.columns:
            column = frame[name]
            values = pl.Series([None if column.dtype.is_nested() else value for value in column], dtype=kind, strict=False)
            bad = values.is_null() & column.is_not_null()
            if bad.any():
                row = bad.arg_max() or 0
                expected = "text" if kind == pl.String else "numbers"
                yield f"row {row + 1:,}: column {name} of {what} is {shown(column[row])}; expected {expected}: convert the column"


def impressions_of(searches: pl.DataFrame) -> pl.DataFrame:
    searches = searches.with_columns(other_arm="arm")
    again = searches["query"].is_duplicated() & searches["query"].is_not_null()
    if not again.any():  # as in most logs, and cheap to check
        return searches
    again &= searches.select("unit", "query").is_duplicated()
    first = [
        pl.col(column).sort_by("time", column, nulls_last=True).drop_nulls().first() for column in ("session", "text", "segment")
    ]
    once = (
        searches.filter(again)
        .group_by("unit", "query")
        .agg(pl.col("time").min(), *first, pl.col("arm").min(), other_arm=pl.col("arm").max())
    )
    return pl.concat([searches.filter(~again), once.select(searches.columns)])


def with_units(events: pl.DataFrame, impressions: pl.DataFrame) -> pl.DataFrame:
    lost = events["unit"].is_null()
    if not lost.any():
        return events
    queries = impressions.filter(pl.col("query").is_not_null()).sort("time", "unit").unique("query", keep="first")
    owned = events.filter(lost).drop("unit").join(queries.select("unit", "query"), on="query", how="inner")
    return pl.concat([events.filter(~lost), owned.select(events.columns)])


def is_click() -> pl.Expr:
    return pl.col("action").is_in(CLICKS)


def small() -> Log:
    """Two units in two arms, with two searches and one; for the examples."""
    searches = [(1, 0, 10, 0), (1, 60 * SECOND, 11, 0), (2, 0, 20, 1)]
    events = [(1, 5 * SECOND, 10, "click", 2), (2, 1 * SECOND, 20, "click", 1), (2, 9 * SECOND, None, "purchase", None)]
    return log_of(
        pl.DataFrame(searches, ["unit", "time", "query", "arm"], orient="row").with_columns(text="query"),
        pl.DataFrame(events, ["unit", "time", "query", "action", "rank"], orient="row"),
        ("control", "new"),
        0,
        86_400 * SECOND,
    )
