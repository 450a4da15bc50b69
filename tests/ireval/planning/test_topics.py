"""How many topics it takes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval.planning.topics import power, smallest_difference, topics_needed


def by_definition(difference: float, deviation: float, topics: int, alpha: float) -> float:
    critical = stats.t.ppf(1 - alpha / 2, topics - 1)
    shift = difference / deviation * math.sqrt(topics)
    return stats.nct.sf(critical, topics - 1, shift) + stats.nct.cdf(-critical, topics - 1, shift)


@given(effect=st.floats(0.01, 3), topics=st.integers(2, 400), alpha=st.sampled_from([0.001, 0.05, 0.2]))
def test_power_is_the_noncentral_ts(effect, topics, alpha):
    expected = by_definition(effect, 1, topics, alpha)
    if not math.isnan(expected):  # scipy's own limits
        assert power(effect, 1, topics, alpha) == pytest.approx(expected, abs=1e-7)


def test_power_is_how_often_the_difference_is_found():
    samples = np.random.default_rng(3).normal(0.05, 0.1, (5000, 34))
    share = (stats.ttest_1samp(samples, 0, axis=1).pvalue <= 0.05).mean()
    assert power(0.05, 0.1, 34) == pytest.approx(share, abs=4 * math.sqrt(0.16 / 5000))


@given(effect=st.floats(0.02, 4), wanted=st.sampled_from([0.5, 0.8, 0.95]), comparisons=st.integers(1, 50))
def test_one_topic_fewer_would_not_do(effect, wanted, comparisons):
    n = topics_needed(effect, 1, power_wanted=wanted, comparisons=comparisons)
    assert power(effect, 1, n, 0.05 / comparisons) >= wanted
    assert n == 2 or power(effect, 1, n - 1, 0.05 / comparisons) < wanted


@given(topics=st.integers(2, 5000), deviation=st.sampled_from([1e-3, 0.1, 40]))
def test_the_smallest_difference_is_found_with_that_power(topics, deviation):
    difference = smallest_difference(topics, deviation)
    assert power(difference, deviation, topics) == pytest.approx(0.8, abs=1e-6)


@given(shift=st.floats(0.01, 60), topics=st.sampled_from([100_000, 10**7]))
def test_with_very_many_topics_power_is_the_normals(shift, topics):
    expected = stats.norm.sf(stats.norm.isf(0.025) - shift) + stats.norm.cdf(-stats.norm.isf(0.025) - shift)
    assert power(shift / math.sqrt(topics), 1, topics) == pytest.approx(expected, abs=1e-4)


@given(topics=st.integers(2, 40), deviation=st.floats(0.05, 1))
def test_no_difference_beyond_the_measures_range_is_detectable(topics, deviation):
    difference = smallest_difference(topics, deviation, largest=1)
    if math.isnan(difference):
        assert power(1, deviation, topics) < 0.8
    else:
        assert difference == smallest_difference(topics, deviation) <= 1


def test_where_there_is_nothing_to_find_out():
    assert power(0.1, 0, 5) == 1
    assert math.isnan(power(0.1, 0.1, 1))
    assert topics_needed(0.1, 0) == 2
    assert (smallest_difference(5, 0), math.isnan(smallest_difference(1, 0.1))) == (0, True)
    assert power(1000, 1, 50) == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"difference": 0, "deviation": 1}, "the difference is 0; expected a number above 0"),
        ({"difference": 0.1, "deviation": -1}, "the deviation is -1; expected a number from 0"),
        ({"difference": 0.1, "deviation": 1, "alpha": 1}, "alpha is 1; expected a number between 0 and 1"),
        ({"difference": 0.1, "deviation": 1, "power_wanted": 0.01}, "no more than alpha"),
        ({"difference": 0.1, "deviation": 1, "comparisons": 0}, "comparisons is 0; expected at least 1"),
        ({"difference": 1e-6, "deviation": 1}, "needs more than 10,000,000 topics"),
    ],
)
def test_numbers_that_make_no_sense(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        topics_needed(**arguments)
