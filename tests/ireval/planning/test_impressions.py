"""How many impressions: an exact test, simulation with users who are alike, and that each question is the other's inverse."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval.interleaving import Credits, compare_interleaved
from ireval.planning import detectable_delta, impressions_needed, interleaving_power, users_are_alike


@pytest.mark.parametrize("delta", [0.01, 0.03, 0.1])
def test_it_is_the_binomial_test(delta):
    """Its exact power, which rises and falls by a little from one number of impressions to the next, and is somewhat less."""
    n = impressions_needed(delta)
    around = np.arange(n - 10, n + 11)
    lost = stats.binom.ppf(0.025, around, 0.5) - 1
    assert stats.binom.cdf(lost, around, 0.5 - delta).mean() == pytest.approx(0.8, abs=0.025)


@pytest.mark.parametrize(
    ("delta", "expected"),
    [
        (0.005, (78487, 54940, 109882, 76916)),
        (0.01, (19620, 13734, 27468, 19227)),
        (0.02, (4904, 3432, 6865, 4805)),
        (0.05, (783, 548, 1096, 766)),
        (0.1, (194, 135, 272, 189)),
    ],
)
def test_the_table_in_the_documentation(delta, expected):
    alike = users_are_alike(5, 0.1)
    assert expected == tuple(
        impressions_needed(delta, ties=ties, design_effect=effect) for effect in (1, alike) for ties in (0, 0.3)
    )


@pytest.mark.parametrize(
    ("delta", "ties", "without", "a_user", "taste"), [(0.05, 0.0, 0.0, 1, 0), (0.05, 0.3, 0.5, 4, 0), (0.1, 0.2, 0.3, 5, 1.5)]
)
def test_so_many_impressions_find_it_as_often_as_was_wanted(delta, ties, without, a_user, taste):
    """600 experiments, whose power varies by .016. Two votes of a user are alike by the variance of tastes."""
    rng = np.random.default_rng(8)
    won = 0.5 + delta / (1 - ties)
    likeness = 4 * won * (1 - won) / (2 * taste + 1) / 4 * (1 - ties) ** 2 / ((1 - ties) / 4 - delta**2) if taste else 0.0
    # Impressions without credit are no votes.
    effect = users_are_alike(1 + (a_user - 1) * (1 - without), likeness)
    n = impressions_needed(delta, ties=ties, without_credit=without, design_effect=effect)
    user = np.arange(n) // a_user
    rejections = []
    for _ in range(600):
        share = rng.beta(2 * taste * won, 2 * taste * (1 - won), user[-1] + 1)[user] if taste else won
        says, tied = rng.random(n) >= without, rng.random(n) < ties
        wins = rng.random(n) < share
        credit = {"b": says & (wins | tied), "a": says & (~wins | tied)}
        comparison = compare_interleaved(Credits(user, np.arange(n), credit))
        rejections.append(comparison.score.p <= 0.05 and comparison.delta > 0)
    assert np.mean(rejections) == pytest.approx(0.8, abs=0.05)


PLANS = {
    "ties": st.floats(0, 0.7),
    "without_credit": st.floats(0, 0.9),
    "design_effect": st.floats(0.5, 9),
    "alpha": st.sampled_from([0.01, 0.05, 0.2]),
    "comparisons": st.integers(1, 10),
}


@given(st.floats(0.001, 0.15), st.sampled_from([0.3, 0.5, 0.8, 0.95]), st.fixed_dictionaries(PLANS))
def test_each_question_is_the_others_inverse(delta, power, plan):
    n = impressions_needed(delta, power_wanted=power, **plan)
    assert interleaving_power(delta, n, **plan) >= power - 1e-9
    assert n == 1 or interleaving_power(delta, n - 1, **plan) < power + 1e-9
    smallest = detectable_delta(n, power_wanted=power, **plan)
    assert math.isnan(smallest) or smallest <= delta * (1 + 1e-9)
    if n > 100:
        assert interleaving_power(smallest, n, **plan) == pytest.approx(power)
    assert interleaving_power(-delta, n, **plan) == interleaving_power(delta, n, **plan)


def test_all_impressions_won():
    assert impressions_needed(0.5) == 4 and interleaving_power(0.5, 4) == 1
    assert math.isnan(detectable_delta(3)) and detectable_delta(10**8) < 2e-4


def test_users_are_alike_by_kishs_formula():
    assert users_are_alike(1, 0.5) == 1
    assert users_are_alike(5, 1) == 5
    sizes = np.array([1, 1, 4, 10])
    assert users_are_alike(sizes.mean(), 0.2, sizes.std() / sizes.mean()) == pytest.approx(
        1 + ((sizes**2).sum() / sizes.sum() - 1) * 0.2
    )


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"delta": 0}, "delta is 0"),
        ({"delta": 0.4, "ties": 0.5}, "delta is 0.4; expected a number other than 0, at most 0.25"),
        ({"ties": 1}, "ties is 1"),
        ({"without_credit": -0.1}, "without_credit is -0.1"),
        ({"design_effect": 0}, "design effect is 0"),
        ({"comparisons": 0}, "comparisons is 0"),
        ({"alpha": 1}, "alpha is 1"),
        ({"power_wanted": 0.01}, "a power of 0.01 is no more than alpha"),
        ({"delta": 1e-9}, "needs more than 1,000,000,000,000 impressions"),
    ],
)
def test_what_makes_no_sense_is_refused(how, why):
    with pytest.raises(ValueError, match=why):
        impressions_needed(**({"delta": 0.1} | how))


@pytest.mark.parametrize("wrong", [(0.5, 0.1), (2, 1.5), (2, 0.1, -1)])
def test_no_users_are_like_that(wrong):
    with pytest.raises(ValueError, match="no users have"):
        users_are_alike(*wrong)


def test_no_impressions_find_nothing():
    for call in (lambda: interleaving_power(0.1, 0), lambda: detectable_delta(0)):
        with pytest.raises(ValueError, match="impressions is 0"):
            call()
