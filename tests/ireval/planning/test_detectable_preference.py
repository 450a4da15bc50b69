"""How strong a preference so many topics can show."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ireval.planning import detectable_preference, preference_power, topics_for_preference
from ireval.significance import binomial_test


def power_by_definition(share, topics, ties):
    """Over everything that so many topics can say."""
    chance = 0.0
    for decided in range(topics + 1):
        for won in range(decided + 1):
            if binomial_test(won, decided - won) <= 0.05:
                chance += stats.binom.pmf(decided, topics, 1 - ties) * stats.binom.pmf(won, decided, share)
    return chance


@pytest.mark.parametrize(("share", "topics", "ties"), [(0.5, 20, 0), (0.7, 30, 0.4), (0.9, 12, 0.2), (1, 6, 0), (0.6, 5, 0.9)])
def test_power_is_its_definition(share, topics, ties):
    assert preference_power(share, topics, ties=ties) == pytest.approx(power_by_definition(share, topics, ties), abs=1e-9)


def test_power_is_how_often_the_preference_is_found():
    rng = np.random.default_rng(1)
    decided = rng.binomial(60, 0.7, 4000)
    won = rng.binomial(decided, 0.7)
    share = np.mean([binomial_test(w, d - w) <= 0.05 for w, d in zip(won.tolist(), decided.tolist(), strict=True)])
    assert preference_power(0.7, 60, ties=0.3) == pytest.approx(share, abs=4 * math.sqrt(0.25 / 4000))


@settings(max_examples=30)
@given(topics=st.integers(6, 400), ties=st.sampled_from([0, 0.2, 0.6]))
def test_the_smallest_share_is_found_with_that_power(topics, ties):
    share = detectable_preference(topics, ties=ties)
    if math.isnan(share):
        assert preference_power(1, topics, ties=ties) < 0.8
    else:
        assert preference_power(share, topics, ties=ties) == pytest.approx(0.8, abs=1e-6)


@settings(max_examples=15)
@given(share=st.floats(0.56, 1), ties=st.sampled_from([0, 0.3]))
def test_so_many_topics_are_enough_and_one_less_is_not(share, ties):
    n = topics_for_preference(share, ties=ties)
    assert all(preference_power(share, topics, ties=ties) >= 0.8 for topics in range(n, n + 60))
    assert preference_power(share, n - 1, ties=ties) < 0.8


def test_ties_cost_topics():
    assert topics_for_preference(0.7) < topics_for_preference(0.7, ties=0.3) < topics_for_preference(0.7, ties=0.6)
    assert detectable_preference(50) < detectable_preference(50, ties=0.5)


def test_five_topics_cannot_show_anything():
    assert math.isnan(detectable_preference(5))
    assert detectable_preference(6) > 0.95


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: preference_power(0.4, 10), "expected a number from 0.5 to 1"),
        (lambda: preference_power(0.6, 0), "expected at least 1"),
        (lambda: detectable_preference(10, ties=1), "expected a share from 0 and less than 1"),
        (lambda: detectable_preference(10, alpha=0), "alpha is 0"),
        (lambda: detectable_preference(10, power_wanted=0.01), "no more than alpha"),
        (lambda: topics_for_preference(0.5), "expected more than 0.5"),
        (lambda: topics_for_preference(0.501), "needs more than 100,000 topics"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(call, complaint):
    with pytest.raises(ValueError, match=complaint):
        call()
