"""Bots: units that do more, or faster, than people do."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Ints
from ireval.behaviour.log import SECOND, Log, is_click, require_log
from ireval.behaviour.part import changes, numbers
from ireval.behaviour.visits import sorted_by
from ireval.behaviour.volume import DAY
from ireval.io.arguments import require_type

MINUTE = 60 * SECOND


class Limits(NamedTuple):
    """The most that a person does; None is no limit."""

    records_a_minute: float | None = None
    searches_a_day: float | None = None
    clicks_a_search: float | None = None


def rates_of_units(log: Log) -> pl.DataFrame:
    """One row per unit, sorted by unit: unit, records, records_a_minute, searches_a_day and clicks_a_search.

    records_a_minute is the most records within any minute, searches_a_day the most searches within any 24 hours. clicks_a_search
    is null for a unit without searches. A search counts once, however often it was logged. Records outside the experiment count.

    >>> from ireval.behaviour.log import small
    >>> rates_of_units(small()).rows()
    [(1, 3, 2, 2, 0.5), (2, 3, 3, 1, 1.0)]
    """
    require_log(log)
    records = pl.concat([log.searches.select("unit", "time"), log.events.select("unit", "time")])
    rates = most_within(records, MINUTE, "records_a_minute")
    searched = most_within(log.searches.select("unit", "time"), DAY, "searches_a_day").rename({"records": "searches"})
    clicks = log.events.filter(is_click()).group_by("unit").agg(clicks=pl.len())
    rates = rates.join(searched, on="unit", how="left").join(clicks, on="unit", how="left").sort("unit")
    rate = pl.col("clicks").fill_null(0) / pl.col("searches")
    return rates.select("unit", "records", "records_a_minute", pl.col("searches_a_day").fill_null(0), clicks_a_search=rate)


def most_within(records: pl.DataFrame, span: int, name: str) -> pl.DataFrame:
    """One row per unit: unit, records, and the most of them that are less than `span` apart, called `name`."""
    units = records["unit"].unique().sort()
    if not len(units):
        return pl.DataFrame(schema={"unit": pl.Int64, "records": pl.Int64, name: pl.Int64})
    coded = records.join(pl.DataFrame({"unit": units}).with_row_index("code"), on="unit")
    code, time = numbers(coded, "code"), numbers(coded, "time")
    order = sorted_by(code, time)
    code, time = code[order], time[order]
    starts = np.flatnonzero(changes(code))
    counts = np.diff(np.r_[starts, len(code)])
    within = ends_of(code, time, span) - np.arange(len(code))
    return pl.DataFrame({"unit": units, "records": counts, name: np.maximum.reduceat(within, starts)})


def ends_of(code: Ints, time: Ints, span: int) -> Ints:
    """For each record, sorted by code and time, the row of the first one with another code, or at least `span` later; (N,)."""
    ends = np.zeros(len(code), np.int64)
    low, width = int(time.min()), int(time.max()) - int(time.min()) + span + 1
    if (int(code[-1]) + 1) * width < np.iinfo(np.int64).max:
        keys = code * width + (time - low)
        return np.searchsorted(keys, keys + span)
    for rows in np.split(np.arange(len(code)), np.flatnonzero(changes(code))[1:]):
        ends[rows] = rows[0] + np.searchsorted(time[rows], time[rows] + span)
    return ends


def flagged(log: Log, limits: Limits) -> Ints:
    """The units, in ascending order, that are beyond one of the limits.

    >>> from ireval.behaviour.log import small
    >>> flagged(small(), Limits(records_a_minute=2)).tolist()
    [2]
    """
    require_type("limits", limits, Limits, "Limits")
    require_log(log)
    limited = {name: limit for name, limit in limits._asdict().items() if limit is not None}
    if not limited:
        return np.zeros(0, np.int64)
    beyond = pl.any_horizontal(pl.col(name) > limit for name, limit in limited.items())
    active = bounds_of_units(log, limited).filter(beyond)["unit"]
    return rates_of_units(log.only(active)).filter(beyond)["unit"].to_numpy()


def bounds_of_units(log: Log, names: Iterable[str]) -> pl.DataFrame:
    """Units with bounds of these rates, by the same names, which take no sorting: nobody does more in a minute than in all."""
    searches, events = (
        frame.lazy().group_by("unit").len(name) for frame, name in ((log.searches, "searches"), (log.events, "events"))
    )
    counts = searches.join(events, on="unit", how="full", coalesce=True).with_columns(pl.col("events").fill_null(0))
    if "clicks_a_search" in names:
        counts = counts.join(log.events.lazy().filter(is_click()).group_by("unit").len("clicks"), on="unit", how="left")
    bounds = {
        "records_a_minute": pl.col("searches").fill_null(0) + pl.col("events"),
        "searches_a_day": pl.col("searches").fill_null(0),
        "clicks_a_search": pl.col("clicks").fill_null(0) / pl.col("searches"),
    }
    return counts.select("unit", **{name: bounds[name] for name in names}).collect()
