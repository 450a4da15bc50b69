"""Sample ratio mismatch: published figures, scipy, and what is refused."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval.experiments import sample_ratio


@pytest.mark.parametrize(
    ("counts", "p", "mismatch"),
    [([5000, 5200], 0.04767, False), ([1000, 1100, 900], 4.54e-5, True), ([10, 10], 1, False), ([821588, 815482], 1.82e-6, True)],
)
def test_known_figures(counts, p, mismatch):
    check = sample_ratio(counts)
    assert check.p == pytest.approx(p, rel=2e-3)
    assert check.mismatch is mismatch


def test_the_strongest_mismatch_can_be_written_as_json():
    """Its p underflows, and what stands for it must not bring numpy's own kinds of numbers along."""
    check = sample_ratio([10**6, 1])
    assert check.mismatch is True
    assert json.loads(json.dumps(check._asdict()))["p"] == check.p > 0


@given(st.lists(st.tuples(st.integers(1, 10_000), st.floats(0.1, 10)), min_size=2, max_size=6))
def test_it_is_pearsons_test_against_the_weights(arms):
    counts, weights = (np.array(column, float) for column in zip(*arms, strict=True))
    expected = stats.chisquare(counts, counts.sum() * weights / weights.sum())
    check = sample_ratio(counts, weights)
    assert check.chi2 == pytest.approx(expected.statistic)
    assert check.p == pytest.approx(max(expected.pvalue, np.finfo(float).tiny))
    assert check.mismatch == (expected.pvalue < 0.001)


def test_weights_are_of_any_unit():
    assert sample_ratio([900, 100], [9, 1]) == sample_ratio([900, 100], [90, 10])
    assert sample_ratio([900, 100], [9, 1]).p == 1


def test_no_units_say_nothing():
    check = sample_ratio([0, 0])
    assert np.isnan(check.p) and not check.mismatch


@pytest.mark.parametrize(
    ("counts", "weights", "why"),
    [
        ([5], None, "two arms"),
        ([5, -1], None, "arm 2: the count is -1; expected a whole number from 0"),
        ({"A": 5, "B": 1.5}, None, "arm .B.: the count is 1.5; expected a whole number from 0"),
        ([5, 5], [1], "2 weights"),
        ({"A": 5, "B": 5}, {"A": 1}, "arm .B.: the weight is 0; expected a number above 0"),
    ],
)
def test_what_makes_no_sense_is_refused(counts, weights, why):
    with pytest.raises(ValueError, match=why):
        sample_ratio(counts, weights)
