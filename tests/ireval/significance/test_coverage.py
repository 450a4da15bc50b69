"""Simulated experiments of known systems: 95 % intervals over topics hold the truth as often as they say.

`python -m benchmarks.coverage topics` has the table, of real scores too; docs/explanation/statistics.md says how many topics.
"""

import sys

import numpy as np
import pytest

from benchmarks.coverage import topics
from ireval import TESTS, Scores, compare, difference_interval
from ireval.significance.intervals import ENOUGH_TOPICS

REPETITIONS = 600
# 3.3 standard deviations of a binomial, which chance leaves once in a thousand.
SLACK = 3.3 * (0.95 * 0.05 / REPETITIONS) ** 0.5


@pytest.fixture(scope="module")
def world():
    return topics.simulated(np.random.default_rng(0))


def held_by_differences(world, n):
    rows = topics.of_differences(np.random.default_rng(n), "", world, n, REPETITIONS)
    return {row.interval: row.held for row in rows}


@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_intervals_of_a_difference_hold_it_from_as_few_topics_as_they_need(world, test):
    name = {"t": "difference, Student's", "bootstrap": "difference, bootstrap percentiles"}[test]
    assert abs(held_by_differences(world, TESTS[test].enough)[name] - 0.95) < SLACK


@pytest.mark.parametrize("test", TESTS)
def test_comparisons_of_fewer_topics_say_so(world, test):
    def caution(topics):
        return compare(Scores(tuple(map(str, range(topics))), ("a", "b"), world[:topics, :2]), test).caution

    enough = TESTS[test].enough
    assert caution(enough) == ""
    assert caution(enough - 1) == f"with {enough - 1} topics intervals may be too narrow: {enough} are needed"


def test_plain_percentiles_of_few_topics_would_not(world, monkeypatch):
    monkeypatch.setattr(sys.modules["ireval.significance.bootstrap"], "expanded_tail", lambda n, confidence: (1 - confidence) / 2)
    assert held_by_differences(world, 10)["difference, bootstrap percentiles"] < 0.95 - SLACK


def test_intervals_of_a_mean_hold_it(world):
    assert abs(topics.of_means(np.random.default_rng(1), "", world, ENOUGH_TOPICS, REPETITIONS).held - 0.95) < SLACK


@pytest.mark.parametrize("test", ["t", "bootstrap", "tukey", "randomised-tukey", "wilcoxon"])
def test_differences_end_where_those_of_the_measure_do(test):
    values = np.array([[0.0, 1.0, 0.5], [0.25, 0.5, 0.0]])
    unbounded = compare(Scores(("1", "2"), ("a", "b", "c"), values), test)
    bounded = compare(Scores(("1", "2"), ("a", "b", "c"), values, largest_difference=1.0), test)
    for end in ("low", "high"):
        assert getattr(bounded, end) == pytest.approx(np.clip(getattr(unbounded, end), -1, 1), nan_ok=True)


def test_two_topics_have_the_bootstrap_of_all_that_can_be_drawn():
    low, high = difference_interval([0.25, 0.75], np.random.default_rng(1))
    assert (low, high) == (0.25, 0.75)
