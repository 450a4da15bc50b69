"""Experiments as sums: stored as JSON, read again and put together, they are the same to the last bit."""

import json

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from ireval.experiments import Experiment, as_sums, experiment_of
from ireval.experiments.sums import from_sums
from tests.ireval.experiments.builders import any_frame


def stored(experiment: Experiment) -> Experiment:
    return from_sums(json.loads(json.dumps(as_sums(experiment), allow_nan=False)))


def assert_equal(experiment: Experiment, other: Experiment) -> None:
    assert (experiment.arms, experiment.n.tolist(), experiment.crossed) == (other.arms, other.n.tolist(), other.crossed)
    for mine, theirs in zip(experiment.metrics, other.metrics, strict=True):
        assert (mine.name, mine.kind, mine.before) == (theirs.name, theirs.kind, theirs.before)
        for first, second in zip(mine.moments, theirs.moments, strict=True):
            assert first.n == second.n
            assert np.array_equal(first.mean, second.mean) and np.array_equal(first.products, second.products)


@given(any_frame())
def test_what_was_stored_is_what_it_was(frame):
    experiment = experiment_of(frame)
    assert_equal(stored(experiment), experiment)


@given(any_frame(), st.integers(1, 5))
def test_stored_parts_are_put_together_as_parts_are(frame, size):
    parts = [experiment_of(part) for part in (frame.head(2 * size), frame.tail(-2 * size)) if part["arm"].n_unique() == 2]
    for experiment in parts:
        for other in parts:
            assert_equal(stored(experiment).merged(stored(other)), experiment.merged(other))


def test_crossed_units_and_empty_arms_are_kept():
    rows = [("u1", "a", 1.5), ("u2", "b", 0.1), ("u3", "a", 2.0), ("u3", "b", 1 / 3)]
    experiment = experiment_of(pl.DataFrame(rows, ["unit", "arm", "x"], orient="row"))
    assert stored(experiment).crossed == ("u3",)
    assert_equal(stored(experiment), experiment)
