"""Experiments from arrays and counts: what is put together, and what is refused."""

import math

import numpy as np
import polars as pl
import pytest

from ireval.experiments import (
    BadExperiment,
    Observed,
    arm_effects,
    arm_means,
    experiment_from,
    experiment_from_counts,
    experiment_of,
)


def test_arms_are_put_in_order():
    experiment = experiment_from([0, 0, 1], ["new", "control"], {"x": Observed([1, 2, 3])})
    assert experiment.arms == ("control", "new") and experiment.n.tolist() == [1, 2]
    assert [moments.mean.tolist() for moments in experiment.metrics[0].moments] == [[3], [1.5]]


def test_a_unit_that_nobody_knew_before_did_nothing():
    known = experiment_from([0, 0, 1], ["a", "b"], {"x": Observed([1, 2, 3], before=[1, math.nan, 4])})
    assert [moments.mean.tolist() for moments in known.metrics[0].moments] == [[1.5, 0.5], [3, 4]]


def test_covariances_are_numpys():
    table = np.random.default_rng(2).normal(1e6, 1, (4, 50))
    experiment = experiment_from([0] * 50, ["a", "b"], {"x": Observed(table[0], abs(table[1]), table[2], abs(table[3]))})
    assert experiment.metrics[0].moments[0].covariance == pytest.approx(np.cov(table))


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda: experiment_from([0], ["a"], {"x": Observed([1])}), "two arms or more"),
        (lambda: experiment_from([0, 1], ["a", "a"], {"x": Observed([1, 2])}), "two arms or more"),
        (lambda: experiment_from([0, 2], ["a", "b"], {"x": Observed([1, 2])}), "numbers from 0 to 1"),
        (lambda: experiment_from([0, 1], ["a", "b"], {}), "no metric"),
        (lambda: experiment_from([0, 1], ["a", "b"], {"x": Observed([1])}), "one number a unit, 2"),
        (lambda: experiment_from([0, 1], ["a", "b"], {"x": Observed([1, math.nan])}), "not finite"),
        (lambda: experiment_from([0, 1], ["a", "b"], {"x": Observed([1, 1], per=[1, -1])}), "below 0"),
        (lambda: experiment_from([0, 1], ["a", "b"], {"x": Observed([1, 1], before_per=[1, 1])}), "no values"),
        (lambda: experiment_from_counts(["a", "b"], [3, 3], {"x": [1, 4]}), "more conversions"),
        (lambda: experiment_from_counts(["a", "b"], [3, 3], {"x": [1, 1.5]}), "whole numbers"),
        (lambda: experiment_from_counts(["a", "b"], [3, 3], {}), "no metric"),
        (lambda: experiment_from_counts(["a"], [3], {"x": [1]}), "two arms or more"),
    ],
)
def test_what_makes_no_sense_is_refused(ask, why):
    with pytest.raises(BadExperiment, match=why):
        ask()


def test_counts_are_those_of_units():
    units = experiment_from([0] * 4 + [1] * 5, ["a", "b"], {"x": Observed([1, 0, 0, 0, 1, 1, 1, 0, 0])})
    counts = experiment_from_counts(["b", "a"], [5, 4], {"x": [3, 1]})
    for moments, other in zip(units.metrics[0].moments, counts.metrics[0].moments, strict=True):
        assert (moments.n, moments.mean.tolist()) == (other.n, other.mean.tolist())
        assert moments.covariance == pytest.approx(other.covariance)
    assert counts.metrics[0].kind == units.metrics[0].kind == "proportion"


@pytest.mark.parametrize(
    ("n", "bought", "reason"),
    [
        ([100, 110, 120], [10, 20], r"^n is \[100, 110, 120\], of type list; expected a number for each of the 2 arms$"),
        ([100, 110], [10, 20, 30], r"^bought is \[10, 20, 30\], of type list; expected a number for each of the 2 arms$"),
        ([100, 110], [10], r"^bought is \[10\], of type list; expected a number for each of the 2 arms$"),
        ([100, 110], ["10", "20"], r"^bought is \['10', '20'\], of type list; expected numbers$"),
        ([100, 110], [10, None], r"^bought is \[10, None\], of type list; expected numbers$"),
        ([100, 110], 10, "^bought is 10, of type int; expected several numbers$"),
    ],
)
def test_there_is_a_count_for_each_arm(n, bought, reason):
    with pytest.raises(BadExperiment, match=reason):
        experiment_from_counts(["a", "b"], n, {"bought": bought})


def test_a_frame_is_an_experiment():
    frame = pl.DataFrame({"unit": ["u", "v", "w", "x"], "arm": ["a", "b"] * 2, "clicks": [1, 0, 3, 2]})
    assert repr(arm_effects(frame)) == repr(arm_effects(experiment_of(frame)))
    assert arm_means(frame) == arm_means(experiment_of(frame))
