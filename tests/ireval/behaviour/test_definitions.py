"""Every metric against its definition on any little log, at the end and at every look."""

from dataclasses import replace
from functools import reduce

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ireval.behaviour import Behaviour, behaviour_of
from ireval.experiments import Experiment
from tests.conftest import examples
from tests.ireval.behaviour.builders import STOP, Event, any_records, at, log
from tests.ireval.behaviour.slow import experiment_by_hand

METRICS = [
    *("searches", "sessions", "ctr", "ctr@2", "clicks", "first-click-rr", "abandonment", "seconds", "long-clicks"),
    *("reformulation", "successful-sessions", "conversion:buy", "count:buy", "value:buy"),
]
LOOKS = [at(1), at(301), STOP]


def assert_same(experiment: Experiment, other: Experiment, tolerance: float = 1e-9) -> None:
    assert (experiment.arms, experiment.n.tolist()) == (other.arms, other.n.tolist())
    assert [(metric.name, metric.kind, metric.before) for metric in experiment.metrics] == [
        (metric.name, metric.kind, metric.before) for metric in other.metrics
    ]
    for mine, theirs in zip(experiment.metrics, other.metrics, strict=True):
        for first, second in zip(mine.moments, theirs.moments, strict=True):
            assert first.n == second.n, mine.name
            assert first.mean == pytest.approx(second.mean, rel=tolerance, abs=tolerance), mine.name
            assert first.products == pytest.approx(second.products, rel=tolerance, abs=tolerance), mine.name


def assert_same_behaviour(behaviour: Behaviour, other: Behaviour) -> None:
    assert_same(behaviour.experiment, other.experiment)
    for mine, theirs in ((behaviour.looks, other.looks), (behaviour.segments, other.segments)):
        assert list(mine) == list(theirs)
        for key in mine:
            assert_same(mine[key], theirs[key])
    assert behaviour.counts == other.counts
    assert behaviour.days.equals(other.days)


def everything(records, **changes) -> Behaviour:
    return behaviour_of(log(*records), METRICS, **{"looks": LOOKS, "segments": True, "before": True, **changes})


@given(any_records())
def test_everything_is_its_definition_in_all_at_every_look_and_in_every_segment(records):
    behaviour = everything(records)
    assert_same(behaviour.experiment, experiment_by_hand(*records, METRICS, before=True))
    assert list(behaviour.looks) == LOOKS
    for look, experiment in behaviour.looks.items():
        assert_same(experiment, experiment_by_hand(*records, METRICS, look=look, before=True))
    for number, experiment in behaviour.segments.items():
        assert_same(experiment, experiment_by_hand(*records, METRICS, before=True, segment=number))


@settings(max_examples=examples(60))
@given(any_records())
def test_without_the_time_before_there_is_only_the_time_of_the_experiment(records):
    assert_same(behaviour_of(log(*records), METRICS).experiment, experiment_by_hand(*records, METRICS))


@settings(max_examples=examples(60))
@given(any_records(), st.randoms(use_true_random=False))
def test_the_order_of_rows_says_nothing(records, random):
    searches, events = (random.sample(rows, len(rows)) for rows in records)
    assert_same_behaviour(everything((searches, events)), everything(records))


@settings(max_examples=examples(60))
@given(any_records(), st.randoms(use_true_random=False))
def test_a_search_logged_again_changes_nothing_but_how_many_were(records, random):
    searches, events = records
    again = [search for search in searches if search.query is not None and random.random() < 0.5]
    once, twice = everything(records), everything(([*searches, *again], events))
    assert twice.counts.repeated == once.counts.repeated + len(again)
    counts = twice.counts._replace(repeated=once.counts.repeated)
    assert_same_behaviour(replace(twice, counts=counts), once)


@settings(max_examples=examples(60))
@given(any_records(owners=False), st.integers(2, 3))
def test_buckets_of_units_put_together_are_the_whole(records, size):
    parts = [[[record for record in rows if record.unit % size == number] for rows in records] for number in range(size)]
    assert_same_behaviour(reduce(Behaviour.merged, map(everything, parts)), everything(records))


@settings(max_examples=examples(60))
@given(any_records(), st.sets(st.integers(1, 3), max_size=2))
def test_without_units_the_log_is_as_if_they_had_never_come(records, gone):
    whole = log(*records)
    behaviour = behaviour_of(whole.without(sorted(gone)), METRICS, looks=LOOKS, segments=True, before=True)
    owned = whole.events.filter(~pl.col("unit").is_in(sorted(gone))).select(Event._fields)
    left = everything(([search for search in records[0] if search.unit not in gone], [Event(*row) for row in owned.rows()]))
    counts = left.counts._replace(repeated=behaviour.counts.repeated, ownerless=behaviour.counts.ownerless)
    assert_same_behaviour(behaviour, replace(left, counts=counts))
