"""The part of a log on one side of the experiment's start: impressions, sessions and events of the units, with outcomes."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Floats, Ints
from ireval.behaviour.log import SECOND, is_click
from ireval.behaviour.visits import Visits, sorted_by, visits_of
from ireval.clicks.sessions import Bools


class BehaviourRules(NamedTuple):
    """What counts as a session, a long click, a reformulation and a success; times in seconds."""

    session_gap: float = 1800
    long_click: float = 30
    reformulation: float = 300
    success: str = "success"


class Totals(NamedTuple):
    """A metric of U units: `values` (U,), and for a ratio the denominators `per` (U,)."""

    values: Floats
    per: Floats | None = None

    def of(self, rows: Ints) -> "Totals":
        return Totals(self.values[rows], None if self.per is None else self.per[rows])


class Amounts(NamedTuple):
    """Amounts that add up to totals by unit: `unit`, `time`, `values` and, for a ratio, `per`, each with one entry per amount.

    Sorted by unit and time. Amounts of the same `source` have the same units and times.
    """

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
    """C clicks, sorted by search and time: the rows of `search` and `event`, `time`, and `rank` (0 if unknown); (C,) each."""

    search: Ints
    event: Ints
    time: Ints
    rank: Ints


class Part:
    """S searches and the events of U units.

    `searches` have code (of the unit), time, session, query, text and counts (whether they count); `events` have code, time,
    session, query, action, rank and value. Events count from the unit's time `since`, (U,), until before `until`.
    """

    def __init__(self, searches: pl.DataFrame, events: pl.DataFrame, since: Ints, until: int, rules: BehaviourRules):
        self.searches, self.events, self.since, self.until, self.rules = searches, events, since, until, rules
        self.unit, self.time = numbers(searches, "code"), numbers(searches, "time")
        self.events_of: dict[str, tuple[Amounts, Bools]] = {}

    def __len__(self) -> int:
        return len(self.searches)

    @cached_property
    def rows(self) -> Ints:
        """The rows of the searches that count, (R,), sorted by unit and time."""
        counted = np.flatnonzero(self.searches["counts"].to_numpy())
        return counted[sorted_by(self.unit[counted], self.time[counted])]

    @cached_property
    def visits(self) -> Visits:
        """The sessions of all records, searches first."""
        has_session = np.concatenate([frame["session"].is_not_null().to_numpy() for frame in (self.searches, self.events)])
        gap = round(self.rules.session_gap * SECOND)
        return visits_of(self.of_all("code"), self.of_all("time"), self.of_all("session"), has_session, gap)

    def of_all(self, column: str) -> Ints:
        return np.concatenate([numbers(frame, column) for frame in (self.searches, self.events)])

    @cached_property
    def clicks(self) -> Clicks:
        keys, identified = ["code", "query"], pl.col("query").is_not_null()
        events = self.events.lazy().with_row_index("event").filter(identified & is_click()).select(*keys, "event", "time", "rank")
        searches = self.searches.lazy().with_row_index("search").filter(identified & pl.col("counts")).select(*keys, "search")
        clicks = events.join(searches, on=keys, how="inner").collect()
        search, time = numbers(clicks, "search"), numbers(clicks, "time")
        order = sorted_by(search, time)
        return Clicks(search[order], numbers(clicks, "event")[order], time[order], numbers(clicks, "rank")[order])

    @cached_property
    def clicked(self) -> Floats:
        """Clicks of each search, (S,)."""
        return np.bincount(self.clicks.search, minlength=len(self)).astype(np.float64)

    def share(self, chosen: Bools) -> Floats:
        """1 for searches with one of the chosen clicks (C,), else 0; (S,)."""
        share = np.zeros(len(self))
        share[self.clicks.search[chosen]] = 1
        return share

    @cached_property
    def long(self) -> Floats:
        """1 for searches with a long click, (S,)."""
        later = self.visits.later[len(self) :][self.clicks.event]
        return self.share(later - self.clicks.time >= round(self.rules.long_click * SECOND))

    @cached_property
    def reciprocal(self) -> Floats:
        """1 / rank of each search's first click, (S,); of clicks at the same time, the best rank. 0 without a rank."""
        ranked = np.flatnonzero(self.clicks.rank > 0)
        search, time, rank = (column[ranked] for column in (self.clicks.search, self.clicks.time, self.clicks.rank))
        starts = np.flatnonzero(changes(search) | changes(time))
        reciprocal = np.zeros(len(self))
        if len(starts):
            first = np.flatnonzero(changes(search[starts]))
            reciprocal[search[starts][first]] = 1 / np.minimum.reduceat(rank, starts)[first]
        return reciprocal

    @cached_property
    def seconds(self) -> Floats:
        """Seconds from each search to its first click, (S,); NaN without a click, or where it is before the search."""
        seconds = np.full(len(self), np.nan)
        first = np.flatnonzero(changes(self.clicks.search))
        search = self.clicks.search[first]
        seconds[search] = (self.clicks.time[first] - self.time[search]) / SECOND
        return np.where(seconds >= 0, seconds, np.nan)

    @cached_property
    def reformulated(self) -> Floats:
        """1 for searches soon followed by one with another text in the same session, (S,)."""
        order = self.visits.order[self.visits.order < len(self)]
        reformulated = np.zeros(len(self))
        if not len(order):
            return reformulated
        session, time, text = self.visits.session[order], self.time[order], numbers(self.searches, "text")[order]
        n, here = len(order), changes(session)
        moment, run = here | changes(time), here | changes(text)
        following = next_start(moment)
        # The first later search, or the first after it with another text.
        other = np.where(text[np.minimum(following, n - 1)] != text, following, np.r_[next_start(run), n][following])
        follower = np.minimum(other, n - 1)
        soon = time[follower] - time <= round(self.rules.reformulation * SECOND)
        reformulated[order] = (other < n) & (session[follower] == session) & soon
        return reformulated

    @cached_property
    def sessions(self) -> tuple[Ints, Ints]:
        """The first search of each session, as a number into `rows`, and the session of each of the `rows`, (R,)."""
        session = self.visits.session[self.rows]
        return np.sort(np.unique(session, return_index=True)[1]), session

    @cached_property
    def succeeded(self) -> Floats:
        """1 for sessions with a long click, or with a success after the first search that counts; one per session."""
        first, session = self.sessions
        size = int(self.visits.session.max(initial=-1)) + 1
        success, begun = np.zeros(size), np.full(size, np.iinfo(np.int64).max)
        success[session[self.long[self.rows] > 0]] = 1
        begun[session[first]] = self.time[self.rows[first]]
        successes = np.flatnonzero((self.events["action"] == self.rules.success).to_numpy())
        where = self.visits.session[len(self) + successes]
        success[where[numbers(self.events, "time")[successes] >= begun[where]]] = 1
        return success[session[first]]

    @cached_property
    def ones(self) -> Floats:
        return np.ones(len(self.rows))

    @cached_property
    def impressions(self) -> tuple[Ints, Ints]:
        """Unit and time of each of `rows`."""
        return self.unit[self.rows], self.time[self.rows]

    def of_impressions(self, values: Floats | None, per: Floats | None = None) -> Amounts:
        """Amounts of the searches that count, from `values` (S,) and `per` (S,); all 1 where None."""
        return Amounts(
            "impressions", *self.impressions, *(self.ones if column is None else column[self.rows] for column in (values, per))
        )

    def of_sessions(self, values: Floats) -> Amounts:
        """Amounts of sessions from `values`, one per session, each at the time of its first search that counts."""
        first, unit, time = self.sessions[0], *self.impressions
        return Amounts("sessions", unit[first], time[first], values, np.ones(len(values)))

    def of_events(self, action: str) -> tuple[Amounts, Bools]:
        """Amounts of the events with this action, with their values, and which of them are the unit's first.

        Every unit has one more amount, of 0, at the time from which its events count.
        """
        if action not in self.events_of:
            self.events_of[action] = self.amounts_of_events(action)
        return self.events_of[action]

    def amounts_of_events(self, action: str) -> tuple[Amounts, Bools]:
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
    """A column as integers, 0 for null; as Int32 where the column is."""
    cells = frame[column].fill_null(0).to_numpy()
    return cells if cells.dtype == np.int32 else cells.astype(np.int64, copy=False)


def changes(values: Ints) -> Bools:
    """Where a number differs from the one before it; the first always does."""
    return np.r_[True, values[1:] != values[:-1]][: len(values)]


def next_start(starts: Bools) -> Ints:
    """For each row the next row that is a start; the number of rows where there is none."""
    n = len(starts)
    rows = np.where(starts, np.arange(n), n)
    return np.r_[np.minimum.accumulate(rows[::-1])[::-1][1:], n]
