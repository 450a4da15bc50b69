"""How fast units do things, and who is flagged for it."""

from collections import Counter

import pytest
from hypothesis import given, settings

from ireval.behaviour import Limits, flagged, rates_of_units
from tests.ireval.behaviour.builders import SECOND, Event, Search, any_records, at, log
from tests.ireval.behaviour.slow import CLICKS, events_with_units, impressions_of

LIMITS = [Limits(records_a_minute=2), Limits(searches_a_day=2), Limits(clicks_a_search=1), Limits(3, 3, 2), Limits()]


def most_within(times: list[int], span: int) -> int:
    return max((sum(time <= other < time + span for other in times) for time in times), default=0)


@settings(max_examples=50)
@given(any_records())
def test_rates_are_what_they_say(records):
    impressions = impressions_of(records[0])
    events = events_with_units(records[1], impressions)
    rates = rates_of_units(log(*records))
    assert rates["unit"].to_list() == sorted({record.unit for record in [*impressions, *events]})
    for unit, total, minute, day, rate in rates.rows():
        searched = [record.time for record in impressions if record.unit == unit]
        times = searched + [record.time for record in events if record.unit == unit]
        clicks = sum(record.unit == unit and record.action in CLICKS for record in events)
        assert (total, minute, day) == (len(times), most_within(times, 60 * SECOND), most_within(searched, 86_400 * SECOND))
        assert rate == (pytest.approx(clicks / len(searched)) if searched else None)
    rows = {row["unit"]: row for row in rates.to_dicts()}
    for limits in LIMITS:
        beyond = [
            unit
            for unit, row in rows.items()
            if any(limit is not None and row[name] is not None and row[name] > limit for name, limit in limits._asdict().items())
        ]
        assert flagged(log(*records), limits).tolist() == beyond


def test_a_minute_may_begin_at_any_record():
    searches = [Search(1, at(50 + number), number, 0) for number in range(20)] + [
        Search(2, at(number * 60), 99 + number) for number in range(20)
    ]
    rates = rates_of_units(log(searches, []))
    assert rates.select("records_a_minute", "searches_a_day").rows() == [(20, 20), (1, 20)]


def test_times_too_far_apart_for_one_number_are_no_trouble():
    ages = 2**60
    events = [Event(unit, time, None, "view") for unit in (1, 2) for time in (-ages, -ages + 1, 0, ages)] * 2
    rates = rates_of_units(log([], [*events, *(Event(3 + other, 0, None, "view") for other in range(9))]))
    assert Counter(rates["records_a_minute"].to_list()) == {4: 2, 1: 9}


def test_nobody_is_flagged_in_an_empty_log():
    assert not len(flagged(log([], []), Limits(1, 1, 1)))
