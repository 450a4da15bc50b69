"""How much there is in a log, whatever it says."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Ints
from ireval.behaviour.log import SECOND, Log, is_click

DAY = 86_400 * SECOND
# Of crossed units so many are named: enough to look for what went wrong.
NAMED = 1000
DAYS = {"day": pl.Int64, "arm": pl.String, "new": pl.Int64, "units": pl.Int64, "searches": pl.Int64}


class Counts(NamedTuple):
    """Of the time from start to stop: `searches`, how many of them were not `without_arm`, `events`, of these `clicks`, of these
    `astray` that belong to no search of the log, and the `first` and `last` time, None where there is nothing. Of the whole log
    the `repeated` records of searches and `ownerless` events that were left out. Units shown two arms are `crossed`, and
    `crossed_units` the smallest thousand of them."""

    searches: int
    without_arm: int
    events: int
    clicks: int
    astray: int
    first: int | None
    last: int | None
    repeated: int
    ownerless: int
    crossed: int
    crossed_units: tuple[int, ...]

    def merged(self, other: "Counts") -> "Counts":
        added = {name: one + getattr(other, name) for name, one in self._asdict().items() if name not in ("first", "last")}
        units = tuple(sorted(added.pop("crossed_units"))[:NAMED])
        return Counts(
            **added, first=known(min, self.first, other.first), last=known(max, self.last, other.last), crossed_units=units
        )


def known(choose: Callable[..., int], *times: int | None) -> int | None:
    there = [time for time in times if time is not None]
    return choose(there) if there else None


def counts_of(log: Log, crossed: Ints) -> Counts:
    times = {"first": pl.col("time").min(), "last": pl.col("time").max()}
    inside = log.searches.lazy().filter(log.inside), log.events.lazy().filter(log.inside)
    searches = inside[0].select(pl.len(), pl.col("arm").null_count(), **times).collect().row(0, named=True)
    events = (
        inside[1]
        .select(pl.len(), pl.col("action").filter(is_click()).len().alias("clicks"), **times)
        .collect()
        .row(0, named=True)
    )
    asked = log.searches.lazy().filter(pl.col("query").is_not_null()).select("unit", "query")
    clicks = inside[1].filter(is_click()).select("unit", "query")
    return Counts(
        searches=searches["len"],
        without_arm=searches["arm"],
        events=events["len"],
        clicks=events["clicks"],
        astray=clicks.join(asked, on=["unit", "query"], how="anti").select(pl.len()).collect().item(),
        first=known(min, searches["first"], events["first"]),
        last=known(max, searches["last"], events["last"]),
        repeated=log.repeated,
        ownerless=log.ownerless,
        crossed=len(crossed),
        crossed_units=tuple(np.sort(crossed)[:NAMED].tolist()),
    )


def days_of(log: Log, units: pl.DataFrame) -> pl.DataFrame:
    """By day and arm: new, units, searches."""
    day = (pl.col("time") // DAY).cast(pl.Int64).alias("day")
    counted = log.searches.lazy().filter(log.inside & pl.col("arm").is_not_null()).select(day, "arm", "unit")
    searched = counted.join(units.lazy().select("unit"), on="unit", how="semi").group_by("day", "arm", "unit").len().collect()
    daily = searched.group_by("day", "arm").agg(units=pl.len().cast(pl.Int64), searches=pl.col("len").sum().cast(pl.Int64))
    new = units.rename({"first": "time"}).group_by(day, "arm").agg(new=pl.len().cast(pl.Int64))
    found = daily.join(new, on=["day", "arm"], how="left").with_columns(pl.col("new").fill_null(0))
    names = pl.Series(log.arms, dtype=pl.String).gather(found["arm"])
    return found.with_columns(arm=names).select(*DAYS).sort("day", "arm")


def merged_days(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    return pl.concat([one, other]).group_by("day", "arm").agg(pl.col("new", "units", "searches").sum()).sort("day", "arm")
