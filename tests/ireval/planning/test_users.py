"""How many users: R's and textbooks' figures, simulation, and that each question is the other's inverse."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval.experiments import arm_effects
from ireval.planning import days_needed, detectable_effect, experiment_power, ratio_deviation, users_needed
from tests.ireval.experiments.builders import searchers, two_arms


def test_proportions_are_those_of_r():
    """help(power.prop.test): n = 76.7 a group, power = 0.740, p2 = 0.8026."""
    assert users_needed(0.25, baseline=0.5, power_wanted=0.9) == 154
    assert experiment_power(0.25, 2 * 76.7, baseline=0.5) == pytest.approx(0.9, abs=1e-4)
    assert round(experiment_power(0.25, 100, baseline=0.5), 3) == 0.740
    assert round(0.5 + detectable_effect(100, baseline=0.5, power_wanted=0.9), 4) == 0.8026


@pytest.mark.parametrize(("d", "by_t"), [(0.2, 394), (0.5, 64), (0.8, 26)])
def test_means_are_cohens_but_for_a_user(d, by_t):
    """Cohen 1988, table 2.4.1: by the t distribution, a user or so more an arm."""
    assert by_t - 1.5 <= users_needed(d, deviation=1) / 2 <= by_t


def test_sixteen_variances_over_the_squared_difference():
    """Lehr, Sixteen S-squared over D-squared, 1992, is rounded up."""
    assert users_needed(0.1, deviation=2) / 2 == pytest.approx(16 * 4 / 0.01, rel=0.02)


@given(st.floats(0.01, 0.3), st.floats(0.02, 0.6), st.sampled_from([0.5, 0.8, 0.95]), st.sampled_from([(0.5, 0.5), (0.2, 0.3)]))
def test_the_questions_are_inverse(difference, baseline, power_wanted, shares):
    for how in ({"baseline": baseline}, {"deviation": 10 * baseline}):
        n = users_needed(difference, power_wanted=power_wanted, shares=shares, **how)
        assert experiment_power(difference, n, shares=shares, **how) >= power_wanted
        if n > 20:
            assert experiment_power(difference, n - 1, shares=shares, **how) < power_wanted
            effect = detectable_effect(n, power_wanted=power_wanted, shares=shares, **how)
            assert effect <= difference * (1 + 1e-9)
            assert experiment_power(effect, n, shares=shares, **how) == pytest.approx(power_wanted, abs=1e-6)


def test_uneven_shares_and_more_questions_take_more_users():
    even = users_needed(0.1, deviation=1)
    assert users_needed(0.1, deviation=1, shares=(0.9, 0.1)) == pytest.approx(even / 0.36, abs=2)
    assert users_needed(0.1, deviation=1, shares=(1 / 3, 1 / 3)) == pytest.approx(even * 1.5, abs=2)
    assert users_needed(0.1, deviation=1, comparisons=3) == users_needed(0.1, deviation=1, alpha=0.05 / 3) > even


def test_the_power_of_ratios_is_that_of_simulated_experiments():
    rng = np.random.default_rng(8)
    _, clicks = searchers(rng, 200_000)
    moments = np.cov(clicks.values, clicks.per)
    deviation = ratio_deviation(clicks.values.mean(), clicks.per.mean(), moments[0, 0], moments[1, 1], moments[0, 1])
    power = experiment_power(2 / 7 * 0.15, 800, deviation=deviation)
    rejections = [arm_effects(two_arms(*searchers(rng, 800, lift=0.15)), adjust=False)[0].p <= 0.05 for _ in range(1000)]
    assert np.mean(rejections) == pytest.approx(power, abs=3.3 * math.sqrt(power * (1 - power) / 1000) + 0.01)


def test_edges():
    assert experiment_power(0.1, 100, deviation=0) == 1
    assert detectable_effect(100, deviation=0) == 0
    assert math.isnan(detectable_effect(4, baseline=0.9))
    assert users_needed(-0.05, baseline=0.1) < users_needed(0.05, baseline=0.1)
    assert days_needed(100, 50) == 2 and days_needed(101, 50) == 3


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda: users_needed(0.1), "a deviation"),
        (lambda: users_needed(0.1, deviation=1, baseline=0.1), "not both"),
        (lambda: users_needed(0, deviation=1), "other than 0"),
        (lambda: users_needed(0.1, deviation=-1), "from 0"),
        (lambda: users_needed(0.95, baseline=0.1), "leaves 0 to 1"),
        (lambda: users_needed(0.1, baseline=1), "between 0 and 1"),
        (lambda: users_needed(0.1, deviation=1, shares=(0.6, 0.6)), "shares"),
        (lambda: users_needed(0.1, deviation=1, power_wanted=0.05), "more than alpha|no more than alpha"),
        (lambda: users_needed(0.1, deviation=1, comparisons=0), "at least 1"),
        (lambda: users_needed(1e-9, deviation=1), "needs more than"),
        (lambda: experiment_power(0.1, 0, deviation=1), "users is 0"),
        (lambda: days_needed(10, 0), "users_a_day"),
        (lambda: ratio_deviation(1, 0, 1, 1, 0), "denominator"),
        (lambda: ratio_deviation(1, 1, 1, 1, 2), "covariance"),
    ],
)
def test_what_makes_no_sense_is_refused(ask, why):
    with pytest.raises(ValueError, match=why):
        ask()
