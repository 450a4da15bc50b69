"""Sessions: which one each record of a log belongs to, and when its next record came."""

from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Ints
from ireval.clicks.sessions import Bools

# Later than any time, and far enough from the largest number that a time before 1970 may be taken from it.
NEVER = 2**62


class Visits(NamedTuple):
    """Sessions of N records; arrays are (N,).

    `order` sorts the records by session and time. `session` is the code of each record's session; no two units share one.
    `later` is the time of the session's next strictly later record, NEVER without one.
    """

    order: Ints
    session: Ints
    later: Ints


def visits_of(unit: Ints, time: Ints, logged: Ints, has_session: Bools, gap: int) -> Visits:
    """Sessions of N records, from their units' codes, their times and the sessions that were `logged`; (N,) each.

    A unit's records that are less than `gap` apart are one visit. A record without a session takes that of the last record before
    it in the visit that has one. Of several at the same time, the largest counts. If there is none, it takes that of the next
    one. A visit without any is a session of its own. A logged session may go on after a gap.

    >>> logged, has_session = np.array([0, 7, 0, 0]), np.array([False, True, False, False])
    >>> visits_of(np.array([0, 0, 0, 0]), np.array([5, 6, 7, 99]), logged, has_session, 30).session.tolist()
    [0, 0, 0, 1]
    """
    order = sorted_by(unit, time)
    if not has_session.all():
        order = ties_by_session(order, unit, time, logged, has_session)
    # One after the other, so that nothing is kept twice.
    unit = unit[order]
    time = time[order]
    logged = logged[order]
    has_session = has_session[order]
    begins = np.r_[True, (np.diff(unit) != 0) | (np.diff(time) >= gap)][: len(unit)]
    if not has_session.all():
        logged, has_session = filled(logged, has_session, begins)
    session = codes_of(unit, logged, has_session, begins)
    del unit, logged, has_session, begins
    if (np.diff(session) < 0).any():
        again = np.argsort(session, kind="stable")
        order, session, time = order[again], session[again], time[again]
    visits = Visits(order, np.empty_like(session), np.empty_like(time))
    visits.later[order], visits.session[order] = strictly_later(session, time), session
    return visits


def sorted_by(code: Ints, time: Ints) -> Ints:
    """The order by code and time, not stable; fast where both fit into one number."""
    if not len(code):
        return np.zeros(0, np.int64)
    low, span = int(time.min()), int(time.max()) - int(time.min()) + 1
    if (int(code.max()) + 1) * span > np.iinfo(np.int64).max:
        return np.lexsort((time, code))
    keys = code * np.int64(span)
    keys += time - low
    return pl.Series(keys).arg_sort().to_numpy()


def ties_by_session(order: Ints, unit: Ints, time: Ints, logged: Ints, has_session: Bools) -> Ints:
    """The order with records of the same unit and time sorted by session, those without a session last."""
    same = (np.diff(unit[order]) == 0) & (np.diff(time[order]) == 0)
    tied = np.r_[False, same] | np.r_[same, False] if len(order) else np.zeros(0, bool)
    if not tied.any():
        return order
    rows = order[tied]
    resolved = order.copy()
    resolved[tied] = rows[np.lexsort((logged[rows], ~has_session[rows], time[rows], unit[rows]))]
    return resolved


def filled(logged: Ints, has_session: Bools, begins: Bools) -> tuple[Ints, Bools]:
    """Sessions filled in from the last record before in the visit, else from the next, and where there is one now."""
    rows = np.arange(len(logged), dtype=np.int32)
    first = np.maximum.accumulate(np.where(begins, rows, np.int32(0)))
    before = np.maximum.accumulate(np.where(has_session, rows, np.int32(-1)))
    after = np.minimum.accumulate(np.where(has_session, rows, np.int32(len(rows)))[::-1])[::-1]
    same = after < len(rows)
    same[same] = first[after[same]] == first[same]
    source = np.where(before >= first, before, np.where(same, after, np.int32(-1)))
    return logged[source], source >= 0


def codes_of(unit: Ints, logged: Ints, has_session: Bools, begins: Bools) -> Ints:
    """The code of each record's session, (N,), from 0 in the order in which sessions begin."""
    apart = begins & ~has_session
    apart[1:] |= (np.diff(unit) != 0) | (has_session[1:] != has_session[:-1]) | (has_session[1:] & (np.diff(logged) != 0))
    apart[:1] = True
    run = np.cumsum(apart, dtype=np.int32) - 1
    starts = np.flatnonzero(apart)
    rows = np.arange(len(starts))
    named = has_session[starts]
    runs = pl.DataFrame({"unit": unit[starts], "session": np.where(named, logged[starts], rows), "named": named})
    first = runs.with_row_index("row").select(pl.col("row").min().over("unit", "session", "named"))["row"].to_numpy()
    return (np.cumsum(first == rows, dtype=np.int32) - 1)[first][run]


def strictly_later(session: Ints, time: Ints) -> Ints:
    """The time of the next strictly later record in the same session, (N,), for sorted records; NEVER without one."""
    if not len(time):
        return np.zeros(0, np.int64)
    other = np.diff(session) != 0
    starts = np.flatnonzero(np.r_[True, other | (np.diff(time) != 0)])
    following = np.r_[starts[1:], len(time) - 1]
    same = (session[following] == session[starts]) & (time[following] > time[starts])
    return np.repeat(np.where(same, time[following], NEVER), np.diff(np.r_[starts, len(time)]))
