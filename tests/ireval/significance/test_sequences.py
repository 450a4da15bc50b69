"""Intervals that may be looked at as often as one likes: the paper's numbers, and twenty looks."""

import math
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval.experiments import Experiment, Observed, always_valid, arm_effects, sequence_half_width, sequence_rho
from ireval.significance.sequences import as_normal, as_t
from tests.ireval.experiments.builders import two_arms
from tests.ireval.rates import experiments


def test_known_figures():
    rho = sequence_rho(5_000)
    assert rho == pytest.approx(0.0398401, abs=5e-8)
    assert sequence_half_width(1, 10_000, rho) == pytest.approx(0.0306148, abs=5e-8)


def test_it_is_the_formula_as_printed():
    s, t, rho, alpha = 1.7, 400, 0.1, 0.1
    printed = s * math.sqrt(2 * (t * rho**2 + 1) / (t**2 * rho**2) * math.log(math.sqrt(t * rho**2 + 1) / alpha))
    assert sequence_half_width(s**2, t, rho, alpha) == pytest.approx(printed)


@given(st.floats(0.05, 8), st.integers(10, 10**7), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_p_says_whether_the_interval_leaves_out_nothing(value, n, confidence):
    interval = always_valid(value, 1.0, n, confidence=confidence)
    assert (interval.low > 0) == (interval.p < 1 - confidence)
    other = always_valid(-value, 1.0, n, confidence=confidence)
    assert (other.low, other.high, other.p) == (-interval.high, -interval.low, interval.p)


def test_it_is_narrowest_against_the_fixed_interval_where_it_was_planned():
    width = {n: sequence_half_width(n, n, sequence_rho(5_000)) for n in (500, 5_000, 50_000)}
    assert min(width, key=lambda n: width[n]) == 5_000
    assert width[5_000] > stats.norm.ppf(0.975)
    assert sequence_half_width(500, 500, sequence_rho(500)) == pytest.approx(width[5_000])


def test_what_is_unknown_stays_so():
    assert all(math.isnan(number) for number in always_valid(1, math.nan, 10))
    assert all(math.isnan(number) for number in always_valid(1, 0, 10))
    assert math.isnan(sequence_half_width(1, 0, 0.1))


@pytest.mark.parametrize("freedom", [2.1, 5, 30, 998, 1e5])
@pytest.mark.parametrize("z", [19.9, 21, 25, 30, 35])
def test_far_ends_have_the_tails_of_students_t(z, freedom):
    t = as_t(z, freedom)
    assert stats.t.sf(t, freedom) == pytest.approx(stats.norm.sf(z), rel=1e-4)
    assert as_normal(t, freedom) == pytest.approx(z, rel=1e-6)


@pytest.mark.parametrize("freedom", [30, 998, 1e5, 1e9])
def test_tails_too_thin_for_a_double_have_ends_all_the_same(freedom):
    assert not stats.norm.sf(100)
    assert 100 < as_t(100, freedom) < math.inf
    assert as_normal(as_t(100, freedom), freedom) == pytest.approx(100)


def test_a_test_planned_for_millions_may_be_looked_at_early():
    known, of_units = always_valid(0.5, 0.1, 1000, planned=10**7), always_valid(0.5, 0.1, 1000, planned=10**7, freedom=998)
    assert -200 < of_units.low < known.low < 0
    assert known.high < of_units.high < 200
    far = always_valid(5.0, 0.1, 1000, planned=10**7, freedom=998)
    assert (far.low > 0) == (far.p < 0.05)
    assert far.p > 0.05


def test_of_few_units_nothing_is_excluded():
    interval = always_valid(0.5, 0.1, 4, freedom=2)
    assert (interval.low, interval.high) == (-math.inf, math.inf)
    assert interval.p > 0.05


@pytest.mark.parametrize(("planned", "alpha", "why"), [(0, 0.05, "planned"), (10, 0, "alpha"), (10, 1.5, "alpha")])
def test_what_makes_no_sense_is_refused(planned, alpha, why):
    with pytest.raises(ValueError, match=why):
        sequence_rho(planned, alpha)


@pytest.mark.slow
@pytest.mark.soak(short=True)
def test_twenty_looks_find_nothing_where_there_is_nothing_and_fixed_intervals_do():
    """Experiments of 10,000 units without an effect, looked at after every 500 units."""
    rng, many = np.random.default_rng(3), experiments(1000)
    rejected = {"p": 0, "always_p": 0}
    for _ in range(many):
        parts = (two_arms(rng.integers(0, 2, 500), Observed(rng.exponential(1, 500))) for _ in range(20))
        seen = [arm_effects(experiment)[0] for experiment in accumulate(parts, Experiment.merged)]
        for name in rejected:
            rejected[name] += min(getattr(interval, name) for interval in seen) <= 0.05
    assert rejected["always_p"] <= 0.05 * many
    assert rejected["p"] > 0.2 * many
