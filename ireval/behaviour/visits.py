"""Which session each record of a log belongs to, and what came next there."""

from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Ints
from ireval.clicks.sessions import Bools

# Later than any time, and far enough from the largest number that a time before 1970 may be taken from it.
NEVER = 2**62


class Visits(NamedTuple):
    """Of N records: `order` (N,) sorts them by session and time; `session` (N,) is a code of the session of each, the same for no
    two units; `later` (N,) the time of the next record of that session that is strictly later, NEVER where there is none."""

    order: Ints
    session: Ints
    later: Ints


def visits_of(unit: Ints, time: Ints, given: Ints, known: Bools, gap: int) -> Visits:
    """Sessions of records by their units' codes, their times and the sessions `given`, where they are `known`; all (N,).

    A unit's records that are less than `gap` apart are one visit. A record without a session takes that of the last record before
    it in the visit that has one (of several at the same time the largest), else that of the next one; a visit in which none has
    one is a session of its own. A given session may go on after a gap.

    >>> given, known = np.array([0, 7, 0, 0]), np.array([False, True, False, False])
    >>> visits_of(np.array([0, 0, 0, 0]), np.array([5, 6, 7, 99]), given, known, 30).session.tolist()
    [0, 0, 0, 1]
    """
    order = sorted_by(unit, time)
    if not known.all():
        order = ties_by_session(order, unit, time, given, known)
    # One after the other, so that nothing is kept twice.
    unit = unit[order]
    time = time[order]
    given = given[order]
    known = known[order]
    begins = np.r_[True, (np.diff(unit) != 0) | (np.diff(time) >= gap)][: len(unit)]
    if not known.all():
        given, known = filled(given, known, begins)
    session = codes_of(unit, given, known, begins)
    del unit, given, known, begins
    if (np.diff(session) < 0).any():
        again = np.argsort(session, kind="stable")
        order, session, time = order[again], session[again], time[again]
    found = Visits(order, np.empty_like(session), np.empty_like(time))
    found.later[order], found.session[order] = strictly_later(session, time), session
    return found


def sorted_by(code: Ints, time: Ints) -> Ints:
    """What sorts by code and time, quickly where both fit into one number; in any order where both are the same."""
    if not len(code):
        return np.zeros(0, np.int64)
    low, span = int(time.min()), int(time.max()) - int(time.min()) + 1
    if (int(code.max()) + 1) * span > np.iinfo(np.int64).max:
        return np.lexsort((time, code))
    keys = code * np.int64(span)
    keys += time - low
    return pl.Series(keys).arg_sort().to_numpy()


def ties_by_session(order: Ints, unit: Ints, time: Ints, given: Ints, known: Bools) -> Ints:
    """Those of one unit and time by their sessions, those without one last."""
    same = (np.diff(unit[order]) == 0) & (np.diff(time[order]) == 0)
    tied = np.r_[False, same] | np.r_[same, False] if len(order) else np.zeros(0, bool)
    if not tied.any():
        return order
    rows = order[tied]
    found = order.copy()
    found[tied] = rows[np.lexsort((given[rows], ~known[rows], time[rows], unit[rows]))]
    return found


def filled(given: Ints, known: Bools, begins: Bools) -> tuple[Ints, Bools]:
    """With sessions of the last record before in the visit, else of the next one."""
    rows = np.arange(len(given), dtype=np.int32)
    first = np.maximum.accumulate(np.where(begins, rows, np.int32(0)))
    before = np.maximum.accumulate(np.where(known, rows, np.int32(-1)))
    after = np.minimum.accumulate(np.where(known, rows, np.int32(len(rows)))[::-1])[::-1]
    same = after < len(rows)
    same[same] = first[after[same]] == first[same]
    source = np.where(before >= first, before, np.where(same, after, np.int32(-1)))
    return given[source], source >= 0


def codes_of(unit: Ints, given: Ints, known: Bools, begins: Bools) -> Ints:
    """A code a session, from 0 in the order in which they begin."""
    apart = begins & ~known
    apart[1:] |= (np.diff(unit) != 0) | (known[1:] != known[:-1]) | (known[1:] & (np.diff(given) != 0))
    apart[:1] = True
    run = np.cumsum(apart, dtype=np.int32) - 1
    starts = np.flatnonzero(apart)
    rows = np.arange(len(starts))
    runs = pl.DataFrame({"unit": unit[starts], "given": np.where(known[starts], given[starts], rows), "known": known[starts]})
    first = runs.with_row_index("row").select(pl.col("row").min().over("unit", "given", "known"))["row"].to_numpy()
    return (np.cumsum(first == rows, dtype=np.int32) - 1)[first][run]


def strictly_later(session: Ints, time: Ints) -> Ints:
    """Of sorted records, the time of the next one in the same session that is later."""
    if not len(time):
        return np.zeros(0, np.int64)
    other = np.diff(session) != 0
    starts = np.flatnonzero(np.r_[True, other | (np.diff(time) != 0)])
    following = np.r_[starts[1:], len(time) - 1]
    there = (session[following] == session[starts]) & (time[following] > time[starts])
    return np.repeat(np.where(there, time[following], NEVER), np.diff(np.r_[starts, len(time)]))
