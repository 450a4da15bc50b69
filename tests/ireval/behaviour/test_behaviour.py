"""From a log to an experiment: small logs worked by hand, what is counted beside them, what is stored, what is refused."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from ireval.behaviour import (
    DEFAULT_METRICS,
    DEFINITIONS,
    BadLog,
    BadMetric,
    Behaviour,
    BehaviourRules,
    behaviour_of,
    definition_of,
    log_of,
)
from tests.ireval.behaviour.builders import ARMS, START, STOP, Event, Search, any_records, at, log
from tests.ireval.behaviour.test_definitions import LOOKS, METRICS, assert_same_behaviour, everything


def value(behaviour: Behaviour, metric: str, arm: str = "new") -> float:
    number = [candidate.name for candidate in behaviour.experiment.metrics].index(metric)
    moments = behaviour.experiment.metrics[number].moments[behaviour.experiment.number_of(arm)]
    return float(moments.mean[0] / moments.mean[1]) if len(moments.mean) > 1 else float(moments.mean[0])


SEARCHES = [
    Search(1, at(0), 10, 0, text=1),
    Search(1, at(100), 11, 0, text=2),
    Search(2, at(50), 20, 1, text=3),
    Search(2, at(5000), 21, 1, text=3),
]
EVENTS = [
    Event(1, at(4), 10, rank=3),
    Event(1, at(20), 10, rank=1),
    Event(1, at(110), 11, rank=2),
    Event(2, at(60), 20, rank=1),
    Event(2, at(80), None, "purchase", value=12.5),
    Event(2, at(95), None, "purchase", value=7.5),
]


def test_a_log_worked_by_hand():
    behaviour = behaviour_of(log(SEARCHES, EVENTS), [*METRICS, "value:purchase"])
    expected = {
        "searches": (2, 1),
        "ctr": (1, 1),
        "ctr@2": (1, 1),
        "clicks": (1.5, 1),
        "first-click-rr": ((1 / 3 + 1 / 2) / 2, 1),
        "seconds": (7, 10),
        "long-clicks": (1, 0),
        "reformulation": (0.5, 0),
        "successful-sessions": (1, 0),
        "value:purchase": (0, 20),
    }
    for metric, values in expected.items():
        assert (value(behaviour, metric), value(behaviour, metric, "control")) == pytest.approx(values), metric


def test_rules_may_be_others():
    behaviour = behaviour_of(
        log(SEARCHES, EVENTS), METRICS, rules=BehaviourRules(long_click=10, reformulation=99, success="purchase")
    )
    assert value(behaviour, "long-clicks", "control") == 1
    assert value(behaviour, "reformulation") == 0
    hour = behaviour_of(log(SEARCHES, EVENTS), METRICS, rules=BehaviourRules(long_click=21, success="purchase"))
    assert (value(hour, "long-clicks", "control"), value(hour, "successful-sessions", "control")) == (0, 1)


def test_what_is_counted():
    searches = [
        *SEARCHES,
        Search(3, at(-5), 30, 0),
        Search(3, at(1), 31),
        *(Search(4, at(2), 40 + arm, arm) for arm in (0, 1)),
        Search(4, at(3), 40, 0),
    ]
    counts = behaviour_of(log(searches, [*EVENTS, Event(None, at(1), 999), Event(3, at(9), 30), Event(3, at(9), 77)])).counts
    assert counts._asdict() == {
        "searches": 6,
        "without_arm": 1,
        "events": 8,
        "clicks": 6,
        "astray": 1,
        "first": at(0),
        "last": at(110),
        "repeated": 1,
        "ownerless": 1,
        "crossed": 1,
        "crossed_units": (4,),
    }


def test_days_by_arm():
    day = 86_400_000_000
    searches = [Search(1, 0, 1, 0), Search(1, day, 2, 0), Search(2, day, 3, 0), Search(3, day, 4, 1), Search(3, day, 5, 1)]
    days = behaviour_of(log(searches, [], 0, 2 * day)).days
    assert days.rows() == [(0, "new", 1, 1, 1), (1, "control", 1, 1, 2), (1, "new", 1, 2, 2)]


def test_arms_of_one_search_that_differ_cross_its_unit():
    behaviour = behaviour_of(log([Search(1, at(0), 1, 0), Search(1, at(0), 1, 1), Search(2, at(0), 2, 1)], []))
    assert behaviour.experiment.n.tolist() == [1, 0] and behaviour.counts.crossed_units == (1,)


def test_no_more_than_a_thousand_crossed_units_are_named():
    half = [log([Search(unit, at(0), arm, arm) for unit in range(part, 1600, 2) for arm in (0, 1)], []) for part in (0, 1)]
    both = behaviour_of(half[0]).merged(behaviour_of(half[1])).counts
    assert both.crossed == 1600 and both.crossed_units == tuple(range(1000))


def test_the_second_record_says_what_the_first_did_not():
    first, second = Search(1, at(0), 1), Search(1, at(2), 1, 0, text=5, segment=7)
    behaviour = behaviour_of(log([second, first], [Event(1, at(3), 1)]), ["seconds"], segments=True)
    assert value(behaviour, "seconds") == 3
    assert list(behaviour.segments) == [7]


def test_an_empty_log_is_an_experiment_of_nobody():
    behaviour = behaviour_of(log([], []), METRICS, looks=LOOKS, segments=True, before=True)
    assert behaviour.experiment.n.tolist() == [0, 0] and behaviour.segments == {}
    assert (behaviour.counts.first, behaviour.counts.last, len(behaviour.days)) == (None, None, 0)
    whole = everything((SEARCHES, EVENTS))
    assert_same_behaviour(whole.merged(behaviour), whole)
    assert_same_behaviour(behaviour.merged(whole), whole)


def test_looks_may_have_fewer_metrics():
    behaviour = behaviour_of(log(SEARCHES, EVENTS), METRICS, looks=LOOKS, look_metrics=["ctr"])
    assert {tuple(metric.name for metric in experiment.metrics) for experiment in behaviour.looks.values()} == {("ctr",)}


def test_large_values_that_hardly_differ_keep_their_variance():
    searches = [Search(unit, at(0), unit, unit % 2) for unit in range(40)]
    events = [Event(unit, at(1), None, "buy", value=1e4 + unit / 8) for unit in range(40)]
    behaviour = behaviour_of(log(searches, events), ["value:buy"], looks=[at(1), STOP])
    for look, end in zip(behaviour.looks[STOP].metrics[0].moments, behaviour.experiment.metrics[0].moments, strict=True):
        assert look.products == pytest.approx(end.products, rel=1e-6)
    assert [moments.products.tolist() for moments in behaviour.looks[at(1)].metrics[0].moments] == [[[0.0]], [[0.0]]]


def test_units_that_do_not_differ_differ_by_nothing_at_looks():
    searches = [Search(unit, at(number), 7 * unit + number, unit % 2) for unit in range(21) for number in range(7)]
    events = [Event(unit, at(9), 7 * unit, "buy", value=0.1) for unit in range(21)]
    looks = behaviour_of(log(searches, events), ["searches", "value:buy"], looks=[at(3), STOP]).looks
    assert all(
        not moments.products.any() for experiment in looks.values() for metric in experiment.metrics for moments in metric.moments
    )


@settings(max_examples=30)
@given(any_records())
def test_what_was_stored_is_what_it_was(records):
    behaviour = everything(records)
    again = Behaviour.from_sums(json.loads(json.dumps(behaviour.as_sums(), allow_nan=False)))
    assert_same_behaviour(again, behaviour)
    assert again.as_sums() == behaviour.as_sums()


def test_actions_may_be_categories():
    plain = log(SEARCHES, EVENTS)
    coded = plain.events.with_columns(pl.col("action").cast(pl.Categorical))
    sums = [
        behaviour_of(log_of(plain.searches, events, ARMS, START, STOP), METRICS).as_sums() for events in (plain.events, coded)
    ]
    assert sums[0] == sums[1]


ASKED = pl.DataFrame({"unit": [1], "time": [1], "query": [1], "arm": [0]})
DONE = pl.DataFrame({"unit": [1], "time": [1], "query": [1], "action": ["click"]})


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda: log_of(ASKED.drop("arm"), DONE, ARMS, 0, 9), "searches have no column arm"),
        (lambda: log_of(ASKED, DONE.drop("action"), ARMS, 0, 9), "events have no column action"),
        (lambda: log_of(ASKED.with_columns(unit=None), DONE, ARMS, 0, 9), "column unit of searches has an empty cell"),
        (lambda: log_of(ASKED, DONE.with_columns(time=None), ARMS, 0, 9), "column time of events has an empty cell"),
        (lambda: log_of(ASKED.with_columns(arm=2), DONE, ARMS, 0, 9), "numbers from 0 to 1"),
        (lambda: log_of(ASKED.with_columns(arm=-1), DONE, ARMS, 0, 9), "numbers from 0 to 1"),
        (lambda: log_of(ASKED, DONE, ["a"], 0, 9), "two arms or more"),
        (lambda: log_of(ASKED, DONE, ["a", "a"], 0, 9), "a name of its own"),
        (lambda: log_of(ASKED, DONE, ARMS, 9, 9), "stops at 9"),
        (lambda: behaviour_of(log([], []), looks=[START]), "after the start"),
        (lambda: behaviour_of(log([], []), looks=[STOP + 1]), "not after the stop"),
        (lambda: behaviour_of(log([], []), looks=[at(2), at(2)]), "later than the one before"),
        (lambda: behaviour_of(log([], []), ["ctr"], look_metrics=["clicks"]), "clicks is not among the metrics"),
        (lambda: behaviour_of(log([], []), looks=[at(2)]).merged(behaviour_of(log([], []))), "the same looks"),
    ],
)
def test_what_makes_no_sense_is_refused(ask, why):
    with pytest.raises(BadLog, match=why):
        ask()


@pytest.mark.parametrize(
    "name", ["", "crt", "ctr@", "ctr@0", "ctr@k", "ctr@1.5", "ctr@-1", "count", "count:", "value", "clicks@3", "ctr:3"]
)
def test_a_name_that_no_metric_has_is_refused(name):
    with pytest.raises(BadMetric, match="there is no metric"):
        definition_of(name)


def test_every_metric_is_defined_once_and_documented():
    names = [definition.name for definition in DEFINITIONS]
    assert len(set(names)) == len(names) and set(DEFAULT_METRICS) <= set(names)
    text = (Path(__file__).parents[3] / "docs" / "reference" / "behaviour.md").read_text()
    for definition in DEFINITIONS:
        assert f"| `{definition.name}` |" in text, definition.name
        assert definition.sentence.endswith(".") and definition.numerator and definition.measured_in


def test_names_are_filled_in():
    assert definition_of("ctr@5").numerator == "searches with a click on the first 5"
    assert definition_of("value:a:b").argument == "a:b"
    assert np.all([definition_of(name).name == name for name in METRICS])
