"""Who is rather a program: how much, and how fast, a unit does things."""

from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Ints
from ireval.behaviour.log import SECOND, Log, is_click
from ireval.behaviour.part import changes, numbers
from ireval.behaviour.visits import sorted_by
from ireval.behaviour.volume import DAY

MINUTE = 60 * SECOND


class Limits(NamedTuple):
    """What is more is a program's; None is no limit."""

    records_a_minute: float | None = None
    searches_a_day: float | None = None
    clicks_a_search: float | None = None


def rates_of_units(log: Log) -> pl.DataFrame:
    """A row a unit, in their order: unit, records, the most of them within one minute (`records_a_minute`), the most searches
    within 24 hours (`searches_a_day`), and `clicks_a_search`, empty where it never searched.

    Minute and day may begin at any record. A search counts once, however often it was logged; everything that was given counts,
    also outside the experiment.

    >>> from ireval.behaviour.log import small
    >>> rates_of_units(small()).rows()
    [(1, 3, 2, 2, 0.5), (2, 3, 3, 1, 1.0)]
    """
    records = pl.concat([log.searches.select("unit", "time"), log.events.select("unit", "time")])
    found = most_within(records, MINUTE, "records_a_minute")
    searched = most_within(log.searches.select("unit", "time"), DAY, "searches_a_day").rename({"records": "searches"})
    clicks = log.events.filter(is_click()).group_by("unit").agg(clicks=pl.len())
    found = found.join(searched, on="unit", how="left").join(clicks, on="unit", how="left").sort("unit")
    rate = pl.col("clicks").fill_null(0) / pl.col("searches")
    return found.select("unit", "records", "records_a_minute", pl.col("searches_a_day").fill_null(0), clicks_a_search=rate)


def most_within(records: pl.DataFrame, span: int, name: str) -> pl.DataFrame:
    """A row a unit: unit, records, and the most of them that are less than `span` apart."""
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
    """Of each of the records, sorted by code and time, the first one that is another code's, or `span` later or more."""
    found = np.zeros(len(code), np.int64)
    low, width = int(time.min()), int(time.max()) - int(time.min()) + span + 1
    if (int(code[-1]) + 1) * width < np.iinfo(np.int64).max:
        keys = code * width + (time - low)
        return np.searchsorted(keys, keys + span)
    for rows in np.split(np.arange(len(code)), np.flatnonzero(changes(code))[1:]):
        found[rows] = rows[0] + np.searchsorted(time[rows], time[rows] + span)
    return found


def flagged(log: Log, limits: Limits) -> Ints:
    """The units, in their order, that are beyond one of the limits.

    >>> from ireval.behaviour.log import small
    >>> flagged(small(), Limits(records_a_minute=2)).tolist()
    [2]
    """
    given = {name: limit for name, limit in limits._asdict().items() if limit is not None}
    if not given:
        return np.zeros(0, np.int64)
    beyond = pl.any_horizontal(pl.col(name) > limit for name, limit in given.items())
    return rates_of_units(log).filter(beyond)["unit"].to_numpy()
