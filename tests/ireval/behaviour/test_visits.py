"""Sessions of records that name them, of some that do not, and of none."""

import numpy as np
import pytest

from ireval.behaviour import behaviour_of
from ireval.behaviour.visits import NEVER, visits_of
from tests.ireval.behaviour.builders import Event, Search, at, log

GAP = 1800


def sessions(*records):
    """The sessions of records (unit, time, session), as numbers; the same in any order of records."""
    columns = [np.array([0 if row[place] is None else row[place] for row in records]) for place in range(3)]
    known = np.array([row[2] is not None for row in records])
    numbers = visits_of(*columns, known, GAP).session
    back = np.arange(len(records))[::-1]
    assert (visits_of(*(column[back] for column in columns), known[back], GAP).session[back] == numbers).all()
    return numbers.tolist()


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([(0, 0, None), (0, 1799, None), (0, 3599, None)], [0, 0, 1]),
        ([(0, 0, None), (1, 0, None)], [0, 1]),
        ([(0, 0, 7), (0, 9999, 7), (1, 9999, 7)], [0, 0, 1]),
        ([(0, 0, 7), (0, 1, 8), (0, 2, 7), (0, 3, 8)], [0, 1, 0, 1]),
        ([(0, 0, 7), (0, 1, None), (0, 2, 8), (0, 3, None)], [0, 0, 1, 1]),
        ([(0, 0, None), (0, 1, None), (0, 2, 8)], [0, 0, 0]),
        ([(0, 0, 8), (0, 1800, None), (0, 1801, 9)], [0, 1, 1]),
        ([(0, 0, 8), (0, 1800, None), (0, 3600, 8)], [0, 1, 0]),
        ([(0, 5, 7), (0, 5, 9), (0, 5, None), (0, 6, 7)], [0, 1, 1, 0]),
        ([(0, 4, 3), (0, 5, None), (0, 5, 9)], [0, 1, 1]),
    ],
)
def test_sessions(records, expected):
    assert sessions(*records) == expected


def test_what_comes_next_is_later_and_in_the_same_session():
    time, session_names = np.array([0, 0, 5, 6, 9, 9]), np.array([1, 1, 2, 1, 1, 2])
    visits = visits_of(np.zeros(6, np.int64), time, session_names, np.full(6, True), GAP)
    assert visits.later.tolist() == [6, 6, 9, 9, NEVER, NEVER]


def test_a_gap_of_half_an_hour_ends_a_session_that_nobody_names():
    for gap, count in ((1799, 1), (1800, 2)):
        behaviour = behaviour_of(log([Search(1, at(0), 1, 0), Search(1, at(gap), 2, 0)], []), ["sessions"])
        assert behaviour.experiment.metrics[0].moments[1].mean.tolist() == [count]


def test_of_clicks_at_one_time_the_top_one_came_first():
    for ranks in ((5, 2), (2, 5)):
        events = [Event(1, at(1), 1, rank=rank) for rank in ranks]
        behaviour = behaviour_of(log([Search(1, at(0), 1, 0)], events), ["first-click-rr"])
        assert behaviour.experiment.metrics[0].moments[1].mean.tolist() == [0.5, 1]


def test_an_event_at_the_moment_of_the_first_search_counts_and_one_before_does_not():
    events = [Event(1, at(second), None, "buy") for second in (4, 5, 6)]
    behaviour = behaviour_of(log([Search(1, at(5), 1, 0)], events), ["count:buy", "conversion:buy"])
    assert [metric.moments[1].mean.tolist() for metric in behaviour.experiment.metrics] == [[2], [1]]


def test_of_segments_at_one_time_the_smallest_counts():
    for segments in ((3, 2), (2, 3)):
        searches = [Search(1, at(0), number, 0, segment=segment) for number, segment in enumerate(segments)]
        assert list(behaviour_of(log(searches, []), segments=True).segments) == [2]
