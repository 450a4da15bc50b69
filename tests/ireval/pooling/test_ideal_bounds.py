"""What a difference over any ideal lacks of the difference itself lies between ends, however the unjudged will be graded."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ireval import parse_measure
from ireval.pooling.additive_measures import additive
from ireval.pooling.bounds import difference_bounds
from ireval.pooling.ideal_bounds import Outlook, ideal_ends
from tests.ireval.pooling.test_bounds import GRADES, RUNS, TOP, documents_of

OVER_IDEALS = ["nDCG@2", "nDCG(dcg='exp-log2')@3", "nCG@2", "R(rel=2)@2", "RelP@3"]


@given(
    rankings=RUNS,
    grades=GRADES,
    name=st.sampled_from(OVER_IDEALS),
    used=st.just(0.0) | st.floats(0.01, 9),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None)
def test_the_ends_hold_for_all_ways_to_grade(rankings, grades, name, used, seed):
    measure, rng = parse_measure(name), np.random.default_rng(seed)
    documents = documents_of(rankings, grades, 3)
    sums, bounds = additive(measure, TOP), difference_bounds(documents, measure, top_grade=TOP)
    ends, unjudged = ideal_ends(documents, sums), np.flatnonzero(~documents.judged)
    outlook = Outlook(*ends, ends[0], np.zeros((1, len(rankings))), bounds)
    least, _, most = outlook.remainders(np.array([used]))
    for _ in range(10):
        judged = documents.with_grades(unjudged, rng.integers(0, TOP + 1, len(unjudged)))
        difference, ideal = difference_bounds(judged, measure, top_grade=TOP).low, ideal_ends(judged, sums)[0]
        assert ends[0] - 1e-9 <= ideal <= ends[1] + 1e-9
        lacking = difference * (1 - ideal / used) if used else difference
        slack = 1e-9 * (1 + np.abs(lacking))
        assert (least - slack <= lacking).all() and (lacking <= most + slack).all()


def test_nothing_is_lacking_where_the_ideal_is_known():
    documents = documents_of(["abc", "dec"], {"y": 1, "z": 1}, 2)
    measure = parse_measure("RelP@2")
    sums, bounds = additive(measure, TOP), difference_bounds(documents, measure, top_grade=TOP)
    outlook = Outlook(*ideal_ends(documents, sums), np.array([2.0]), np.array([[0.4, 0.1]]), bounds)
    assert [part.tolist() for part in outlook.remainders(np.array([2.0]))] == [[0], [0], [0]]


def test_the_remainder_to_expect_is_that_of_the_values_to_expect():
    documents = documents_of(["abc", "dec"], {"a": 1}, 2)
    measure = parse_measure("R@2")
    bounds = difference_bounds(documents, measure, top_grade=TOP)
    outlook = Outlook(np.array([1.0]), np.array([4.0]), np.array([2.0]), np.array([[0.8, 0.2]]), bounds)
    assert outlook.remainders(np.array([4.0])).expected.tolist() == pytest.approx([0.3])
