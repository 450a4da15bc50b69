"""Little logs, written the way a test wants to read them, and any that hypothesis thinks of."""

from typing import NamedTuple

import polars as pl
from hypothesis import strategies as st

from ireval.behaviour import EVENTS, SEARCHES, Log, log_of

ARMS = ("new", "control")
SECOND = 1_000_000
START, STOP = 1_000 * SECOND, 5_000 * SECOND


class Search(NamedTuple):
    unit: int
    time: int
    query: int | None
    arm: int | None = None
    text: int | None = None
    session: int | None = None
    segment: int | None = None


class Event(NamedTuple):
    unit: int | None
    time: int
    query: int | None
    action: str = "click"
    rank: int | None = None
    value: float | None = None
    session: int | None = None


def log(searches: list[Search], events: list[Event], start: int = START, stop: int = STOP) -> Log:
    return log_of(frame(searches, Search._fields, SEARCHES), frame(events, Event._fields, EVENTS), ARMS, start, stop)


def frame(rows: list, fields: tuple[str, ...], schema: dict) -> pl.DataFrame:
    return pl.DataFrame(rows, {name: schema[name] for name in fields}, orient="row")


def at(second: float) -> int:
    """So many seconds after the start."""
    return START + round(second * SECOND)


# Few moments, so that records meet; around the start, the stop, and the limits of long clicks, reformulation and sessions.
MOMENTS = st.sampled_from([-2000, -30, -1, 0, 1, 30, 31, 60, 300, 301, 1800, 1801, 2100, 3999, 4000, 4030]).map(at)


@st.composite
def any_records(draw, owners: bool = True) -> tuple[list[Search], list[Event]]:
    """Up to 12 searches and 14 events of three units: with and without sessions, ranks, queries, arms and, if `owners`, units;
    repeated searches, crossed units, clicks before their search and on those of others."""
    unit = st.integers(1, 3)
    arm = st.integers(0, 9).map(lambda n: n % 2 if n < 7 else None)
    session, few = st.sampled_from([None, None, 1, 2]), st.integers(1, 2)
    query = st.one_of(st.none(), st.integers(1, 5), st.integers(1, 5), st.integers(1, 5))
    crossing = draw(st.booleans())
    searches = draw(
        st.lists(
            st.builds(
                lambda unit, time, query, arm, *rest: Search(
                    unit, time, query, arm if arm is None or crossing else unit % 2, *rest
                ),
                *(unit, MOMENTS, query, arm, few, session, st.sampled_from([None, 1, 2])),
            ),
            max_size=12,
        )
    )
    known = [search for search in searches if search.query is not None]
    followed = st.sampled_from(known) if known else st.nothing()
    action = st.sampled_from(["click", "click", "click", "click_through", "buy", "success", "view"])
    rank = st.sampled_from([None, 0, 1, 1, 2, 3, 7])
    value = st.sampled_from([None, 0.5, 1.0, 2.25, -1.0, float("inf"), 1e16])
    owned = st.booleans() if owners else st.just(value=True)
    near = st.sampled_from([-1, 0, 0, 1, 30, 31])
    follow = st.builds(
        lambda search, after, action, rank, value, session, own: Event(
            search.unit if own else None, search.time + after * SECOND, search.query, action, rank, value, session
        ),
        *(followed, near, action, rank, value, session, owned),
    )
    alone = st.builds(Event, unit if not owners else st.one_of(st.none(), unit), MOMENTS, query, action, rank, value, session)
    events = draw(st.lists(st.one_of(follow, follow, alone) if known else alone, max_size=14))
    return searches, events
