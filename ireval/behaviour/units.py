"""Units of an experiment: who takes part, in which arm and since when."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from ireval.arrays import Ints
from ireval.behaviour.log import Log
from ireval.behaviour.part import BehaviourRules, Part

LONG_AGO = np.iinfo(np.int64).min


@dataclass(frozen=True, eq=False)
class Units:
    """The units of the experiment.

    `table` has unit, arm and first (the time of the first search that counts), sorted by unit; a unit's row is its code.
    `crossed` are the units that were shown two arms.
    """

    table: pl.DataFrame
    crossed: Ints

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def arm(self) -> Ints:
        return self.table["arm"].to_numpy().astype(np.int64)

    def part(self, log: Log, rules: BehaviourRules, *, before: bool) -> Part:
        """What the units did before the start, as if the log ended there; or from the start on, as if it began there."""
        side = pl.col("time") < log.start if before else pl.col("time") >= log.start
        codes = self.table.select("unit", code=pl.int_range(pl.len(), dtype=pl.Int32))
        searches, events = (frame.lazy().filter(side).join(codes.lazy(), on="unit") for frame in (log.searches, log.events))
        counts = pl.lit(value=True) if before else log.inside & pl.col("arm").is_not_null()
        impressions = searches.select("code", "time", "session", "query", "text", counts=counts).collect()
        actions = events.select("code", "time", "session", "query", "action", "rank", "value").collect()
        since = np.full(len(self), LONG_AGO) if before else self.table["first"].to_numpy()
        return Part(impressions, actions, since, log.start if before else log.stop, rules)

    def segments(self, log: Log) -> pl.Series:
        """The segment of each unit's first search in the experiment that names one, null if none does.

        Of several at the same time, the smallest.
        """
        named = log.searches.filter(log.inside & pl.col("arm").is_not_null() & pl.col("segment").is_not_null())
        first = named.sort("time", "segment").unique("unit", keep="first").select("unit", "segment")
        return self.table.join(first, on="unit", how="left", maintain_order="left")["segment"]


def units_of(log: Log) -> Units:
    shown = log.searches.filter(log.inside & pl.col("arm").is_not_null()).group_by("unit")
    units = shown.agg(pl.col("arm").min(), other=pl.col("other_arm").max(), first=pl.col("time").min()).sort("unit")
    same = pl.col("arm") == pl.col("other")
    return Units(units.filter(same).drop("other"), units.filter(~same)["unit"].to_numpy())
