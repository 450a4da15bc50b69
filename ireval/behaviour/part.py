"""What units did on one side of the experiment's start: their impressions, sessions and events, and what came of each."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Floats, Ints
from ireval.behaviour.log import SECOND, is_click
from ireval.behaviour.visits import Visits, sorted_by, visits_of
from ireval.clicks.sessions import Bools


class Rules(NamedTuple):
    """What sessions, long clicks, reformulations and success are; times in seconds."""

    session_gap: float = 1800
    long_click: float = 30
    reformulation: float = 300
    success: str = "success"


class Totals(NamedTuple):
    """What a metric says of U units: `values` (U,), and of a ratio the denominators `per` (U,)."""

    values: Floats
    per: Floats | None = None

    def of(self, rows: Ints) -> "Totals":
        return Totals(self.values[rows], None if self.per is None else self.per[rows])


class Amounts(NamedTuple):
    """What adds up to units' numbers: A times something happened to a `unit` (A,) at a `time` (A,), worth `values` (A,), and
    `per` (A,) in a ratio's denominator. Sorted by unit and time; those of one `source` have the same units and times."""

    source: str
    unit: Ints
    time: Ints
    values: Floats
    per: Floats | None = None

    def totals(self, units: int) -> Totals:
        return Totals(self.total(self.values, units), None if self.per is None else self.total(self.per, units))

    def total(self, values: Floats, units: int) -> Floats:
        return np.bincount(self.unit, weights=values, minlength=units).astype(np.float64)


class Clicks(NamedTuple):
    """C clicks, sorted by search and time: rows of `search` and `event`, `time` and `rank`, 0 where unknown; all (C,)."""

    search: Ints
    event: Ints
    time: Ints
    rank: Ints


class Part:
    """S `searches` have code (of the unit), time, session, query, text and whether each `counts`; `events` code, time, session,
    query, action, rank and value. Events count from a time of each unit, `since` (U,), and `until` another."""

    def __init__(self, searches: pl.DataFrame, events: pl.DataFrame, since: Ints, until: int, rules: Rules):
        self.searches, self.events, self.since, self.until, self.rules = searches, events, since, until, rules
        self.unit, self.time = numbers(searches, "code"), numbers(searches, "time")

    def __len__(self) -> int:
        return len(self.searches)

    @cached_property
    def rows(self) -> Ints:
        """The searches that count, sorted by unit and time."""
        counted = np.flatnonzero(self.searches["counts"].to_numpy())
        return counted[sorted_by(self.unit[counted], self.time[counted])]

    @cached_property
    def visits(self) -> Visits:
        """Of all records, searches first."""
        known = np.concatenate([frame["session"].is_not_null().to_numpy() for frame in (self.searches, self.events)])
        gap = round(self.rules.session_gap * SECOND)
        return visits_of(self.of_all("code"), self.of_all("time"), self.of_all("session"), known, gap)

    def of_all(self, column: str) -> Ints:
        return np.concatenate([numbers(frame, column) for frame in (self.searches, self.events)])

    @cached_property
    def clicks(self) -> Clicks:
        keys, known = ["code", "query"], pl.col("query").is_not_null()
        events = self.events.lazy().with_row_index("event").filter(known & is_click()).select(*keys, "event", "time", "rank")
        asked = self.searches.lazy().with_row_index("search").filter(known & pl.col("counts")).select(*keys, "search")
        found = events.join(asked, on=keys, how="inner").collect()
        search, time = numbers(found, "search"), numbers(found, "time")
        order = sorted_by(search, time)
        return Clicks(search[order], numbers(found, "event")[order], time[order], numbers(found, "rank")[order])

    @cached_property
    def clicked(self) -> Floats:
        """Clicks of each search, (S,)."""
        return np.bincount(self.clicks.search, minlength=len(self)).astype(np.float64)

    def share(self, chosen: Bools) -> Floats:
        """1 for searches with a click of those chosen (C,), else 0; (S,)."""
        found = np.zeros(len(self))
        found[self.clicks.search[chosen]] = 1
        return found

    @cached_property
    def long(self) -> Floats:
        """1 for searches with a long click, (S,)."""
        later = self.visits.later[len(self) :][self.clicks.event]
        return self.share(later - self.clicks.time >= round(self.rules.long_click * SECOND))

    @cached_property
    def reciprocal(self) -> Floats:
        """1 / rank of each search's first click, the top one of those at the same time; 0 where none has a rank. (S,)"""
        ranked = np.flatnonzero(self.clicks.rank > 0)
        search, time, rank = (one[ranked] for one in (self.clicks.search, self.clicks.time, self.clicks.rank))
        starts = np.flatnonzero(changes(search) | changes(time))
        found = np.zeros(len(self))
        if len(starts):
            first = np.flatnonzero(changes(search[starts]))
            found[search[starts][first]] = 1 / np.minimum.reduceat(rank, starts)[first]
        return found

    @cached_property
    def seconds(self) -> Floats:
        """From each search to its first click, (S,); NaN where there is none, or before the search."""
        found = np.full(len(self), np.nan)
        first = np.flatnonzero(changes(self.clicks.search))
        search = self.clicks.search[first]
        found[search] = (self.clicks.time[first] - self.time[search]) / SECOND
        return np.where(found >= 0, found, np.nan)

    @cached_property
    def reformulated(self) -> Floats:
        """1 for searches that another one with another text follows soon in their session, (S,)."""
        order = self.visits.order[self.visits.order < len(self)]
        found = np.zeros(len(self))
        if not len(order):
            return found
        session, time, text = self.visits.session[order], self.time[order], numbers(self.searches, "text")[order]
        n, here = len(order), changes(session)
        moment, run = here | changes(time), here | changes(text)
        following = next_start(moment)
        # The first later search, or the first after it that asks something else.
        other = np.where(text[np.minimum(following, n - 1)] != text, following, np.r_[next_start(run), n][following])
        there = np.minimum(other, n - 1)
        soon = time[there] - time <= round(self.rules.reformulation * SECOND)
        found[order] = (other < n) & (session[there] == session) & soon
        return found

    @cached_property
    def sessions(self) -> tuple[Ints, Ints]:
        """Of each session with a search that counts, the first one, as numbers into `rows`; and each of their sessions, (R,)."""
        session = self.visits.session[self.rows]
        return np.sort(np.unique(session, return_index=True)[1]), session

    @cached_property
    def succeeded(self) -> Floats:
        """1 for sessions with a long click, or with success after the first search that counts."""
        first, session = self.sessions
        size = int(self.visits.session.max(initial=-1)) + 1
        found, begun = np.zeros(size), np.full(size, np.iinfo(np.int64).max)
        found[session[self.long[self.rows] > 0]] = 1
        begun[session[first]] = self.time[self.rows[first]]
        done = np.flatnonzero((self.events["action"] == self.rules.success).to_numpy())
        where = self.visits.session[len(self) + done]
        found[where[numbers(self.events, "time")[done] >= begun[where]]] = 1
        return found[session[first]]

    @cached_property
    def ones(self) -> Floats:
        return np.ones(len(self.rows))

    @cached_property
    def impressions(self) -> tuple[Ints, Ints]:
        """Unit and time of each of `rows`."""
        return self.unit[self.rows], self.time[self.rows]

    def of_impressions(self, values: Floats | None, per: Floats | None = None) -> Amounts:
        """Of values (S,) and per (S,), 1 each where there are none."""
        return Amounts("impressions", *self.impressions, *(self.ones if one is None else one[self.rows] for one in (values, per)))

    def of_sessions(self, values: Floats) -> Amounts:
        """Of values, one a session; each is that of the unit's first search there that counts."""
        first, unit, time = self.sessions[0], *self.impressions
        return Amounts("sessions", unit[first], time[first], values, np.ones(len(values)))

    def of_events(self, action: str) -> tuple[Amounts, Bools]:
        """Of the events with this action what each was worth, and which are the unit's first. Every unit has one worth 0 when its
        time begins."""
        chosen = self.events.filter((pl.col("action") == action) & (pl.col("time") < self.until))
        unit, time = numbers(chosen, "code"), numbers(chosen, "time")
        kept = time >= self.since[unit]
        everyone = np.arange(len(self.since))
        unit, time = np.concatenate([everyone, unit[kept]]), np.concatenate([self.since, time[kept]])
        values = np.concatenate([np.zeros(len(everyone)), chosen["value"].fill_null(0).to_numpy()[kept]])
        real = np.arange(len(unit)) >= len(everyone)
        order = np.lexsort((real, time, unit))
        first = changes(unit[order])
        return Amounts(f"events {action}", unit[order], time[order], values[order]), np.r_[False, first[:-1]] & real[order]


def numbers(frame: pl.DataFrame, column: str) -> Ints:
    """0 where a cell is empty; half as wide where they are so."""
    found = frame[column].fill_null(0).to_numpy()
    return found if found.dtype == np.int32 else found.astype(np.int64, copy=False)


def changes(values: Ints) -> Bools:
    """Where a number is another one than before it; the first one is."""
    return np.r_[True, values[1:] != values[:-1]][: len(values)]


def next_start(starts: Bools) -> Ints:
    """Of each row the next one that starts something, the number of rows where there is none."""
    n = len(starts)
    rows = np.where(starts, np.arange(n), n)
    return np.r_[np.minimum.accumulate(rows[::-1])[::-1][1:], n]
