"""Bots in a site's log, by a version of the site's filter; each report says how many it left out."""

from typing import Any, NamedTuple

import polars as pl

from ireval.behaviour import Limits, flagged, log_of
from judging.logs import bots
from judging.logs.moments import micros
from judging.models import BotFilter
from metrics.logs.frames import Window, events, searches, units_of_agents


class Filter(NamedTuple):
    """A version of the site's filter, ready to be used in each part of a report."""

    version: int
    limits: Limits
    agents: list[int]

    def as_spec(self) -> dict[str, Any]:
        return {"version": self.version, "limits": self.limits._asdict(), "agents": self.agents}


def filter_of(version: BotFilter) -> Filter:
    limits = Limits(records_a_minute=version.records_a_minute, searches_a_day=version.searches_a_day)
    return Filter(version.version, limits, bots.agents_caught(version.agents))


def from_spec(spec: dict[str, Any]) -> Filter:
    return Filter(spec["version"], Limits(**spec["limits"]), spec["agents"])


def programs(window: Window, filter_: Filter) -> pl.Series:
    """The units of the window that the site's filter takes for programs."""
    named = pl.Series("unit", units_of_agents(window, filter_.agents), dtype=pl.Int64)
    if filter_.limits == Limits():
        return named
    # Flags do not depend on arms; these two are placeholders.
    log = log_of(searches(window, "", []), events(window), ("", "none"), micros(window.since), micros(window.until))
    return pl.concat([named, pl.Series("unit", flagged(log, filter_.limits), dtype=pl.Int64)]).unique()
