"""Volume of a log: its counts and its days."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Ints
from ireval.behaviour.log import SECOND, Log, is_click
from ireval.behaviour.part import Part, changes

DAY = 86_400 * SECOND
# How many crossed units are named: enough to look for the cause.
NAMED = 1000
DAYS = {"day": pl.Int64, "arm": pl.String, "new": pl.Int64, "units": pl.Int64, "searches": pl.Int64}


class Volume(NamedTuple):
    """Counts of a log.

    - From start to stop: `searches`, those `without_arm`, `events`, `clicks` among them, and the clicks `astray`, of no search
      in the log. `first` and `last` are the times of the first and the last record, None without any.
    - Of the whole log: `repeated` records of searches and `ownerless` events, both left out.
    - Units that were shown two arms: `crossed`, and `crossed_units`, the smallest thousand.
    """

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

    def merged(self, other: "Volume") -> "Volume":
        """The volume of two parts of a log."""
        added = {name: count + getattr(other, name) for name, count in self._asdict().items() if name not in ("first", "last")}
        units = tuple(sorted(added.pop("crossed_units"))[:NAMED])
        return Volume(
            **added,
            first=extreme(min, self.first, other.first),
            last=extreme(max, self.last, other.last),
            crossed_units=units,
        )


def extreme(choose: Callable[..., int], *times: int | None) -> int | None:
    defined = [time for time in times if time is not None]
    return choose(defined) if defined else None


def counts_of(log: Log, crossed: Ints) -> Volume:
    times = {"first": pl.col("time").min(), "last": pl.col("time").max()}
    inside = log.searches.lazy().filter(log.inside), log.events.lazy().filter(log.inside)
    searches = inside[0].select(pl.len(), pl.col("arm").null_count(), **times).collect().row(0, named=True)
    events = (
        inside[1]
        .select(pl.len(), pl.col("action").filter(is_click()).len().alias("clicks"), **times)
        .collect()
        .row(0, named=True)
    )
    queries = log.searches.lazy().filter(pl.col("query").is_not_null()).select("unit", "query")
    clicks = inside[1].filter(is_click()).select("unit", "query")
    return Volume(
        searches=searches["len"],
        without_arm=searches["arm"],
        events=events["len"],
        clicks=events["clicks"],
        astray=clicks.join(queries, on=["unit", "query"], how="anti").select(pl.len()).collect().item(),
        first=extreme(min, searches["first"], events["first"]),
        last=extreme(max, searches["last"], events["last"]),
        repeated=log.repeated,
        ownerless=log.ownerless,
        crossed=len(crossed),
        crossed_units=tuple(np.sort(crossed)[:NAMED].tolist()),
    )


def days_of(part: Part, arm: Ints, arms: Sequence[str]) -> pl.DataFrame:
    """One row per day and arm: new, units, searches (see Behaviour). `arm` (U,) are the units' numbers in `arms`."""
    unit, time = part.impressions
    day = time // DAY
    starts = np.flatnonzero(changes(unit) | changes(day))
    searches = np.diff(np.r_[starts, len(unit)])
    unit, day = unit[starts], day[starts]
    of_units = pl.DataFrame({"day": day, "arm": arm[unit], "new": changes(unit), "searches": searches})
    days = of_units.group_by("day", "arm").agg(
        pl.col("new").sum().cast(pl.Int64), units=pl.len().cast(pl.Int64), searches=pl.col("searches").sum()
    )
    names = pl.Series(arms, dtype=pl.String).gather(days["arm"])
    return days.with_columns(arm=names).select(pl.col(name).cast(kind) for name, kind in DAYS.items()).sort("day", "arm")


def merged_days(first: pl.DataFrame, second: pl.DataFrame) -> pl.DataFrame:
    return pl.concat([first, second]).group_by("day", "arm").agg(pl.col("new", "units", "searches").sum()).sort("day", "arm")
