"""From estimates to grades: monotone, never crossing, and the best there is of that kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from ireval.clicks.calibration import calibrate

TOP = 3


@st.composite
def judged(draw):
    size = draw(st.integers(1, 25))
    estimates = draw(st.lists(st.integers(0, 12), min_size=size, max_size=size))
    grades = draw(st.lists(st.integers(0, TOP), min_size=size, max_size=size))
    weights = draw(st.lists(st.floats(0.05, 1), min_size=size, max_size=size))
    return np.array(estimates) / 12, np.array(grades), np.array(weights)


@given(judged(), st.lists(st.floats(-1, 2), min_size=2, max_size=9))
def test_a_higher_estimate_never_has_a_lower_grade_and_chances_never_cross(given_labels, points):
    curve = calibrate(*given_labels, TOP)
    estimates = np.sort(points)
    chances = curve.chances(estimates)
    assert (np.diff(chances, axis=0) >= -1e-12).all()
    assert (np.diff(chances, axis=1) <= 1e-12).all()
    assert ((chances >= 0) & (chances <= 1)).all()
    assert (np.diff(curve.grades(estimates)) >= 0).all()
    assert (np.diff(curve.expected(estimates)) >= -1e-12).all()


@given(judged())
def test_the_order_of_what_was_judged_is_nobodys_business(given_labels):
    turned = tuple(column[::-1] for column in given_labels)
    assert calibrate(*turned, TOP).at_least == pytest.approx(calibrate(*given_labels, TOP).at_least, abs=1e-9)


def test_no_other_monotone_curve_is_closer():
    rng = np.random.default_rng(3)
    grades, weights = rng.integers(0, 2, 9), rng.uniform(0.2, 1, 9)
    calibration = calibrate(np.arange(9.0), grades, weights, 1)

    def loss(curve):
        return float((weights * (curve - grades) ** 2).sum())

    rising = {"type": "ineq", "fun": np.diff}
    other = minimize(loss, np.full(9, 0.5), constraints=[rising], method="SLSQP", options={"ftol": 1e-12})
    assert loss(calibration.at_least[:, 0]) <= other.fun + 1e-7
    assert calibration.at_least[:, 0] == pytest.approx(other.x, abs=1e-3)


@given(judged())
def test_no_other_grade_is_expected_to_be_less_far_off(given_labels):
    estimates, grades, weights = given_labels
    curve = calibrate(estimates, grades, weights, TOP)
    chances = curve.chances(estimates)
    of_grade = -np.diff(np.column_stack([np.ones(len(chances)), chances, np.zeros(len(chances))]), axis=1)
    far_off = [(of_grade * np.abs(np.arange(TOP + 1) - grade)).sum(axis=1) for grade in range(TOP + 1)]
    chosen = np.take_along_axis(np.array(far_off), curve.grades(estimates)[None], axis=0)[0]
    assert (chosen <= np.min(far_off, axis=0) + 1e-8).all()


def test_a_judged_document_of_little_weight_moves_the_curve_little():
    estimates, grades = np.array([0.1, 0.2, 0.2]), np.array([0, 1, 0])
    curve = calibrate(estimates, grades, np.array([1, 0.9, 0.1]), 1)
    assert curve.at_least[:, 0].tolist() == pytest.approx([0, 0.9])


def test_the_table_has_a_row_a_knot():
    curve = calibrate(np.array([0.1, 0.3]), np.array([0, 2]), np.ones(2), 2)
    assert curve.table.rows() == [(0.1, 0, 0, 0), (0.3, 1, 1, 2)]
    assert curve.table.columns == ["estimate", "at_least_1", "at_least_2", "expected"]
