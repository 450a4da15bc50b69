"""Corrections for many questions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval import BadInput
from ireval.significance import CORRECTIONS, benjamini_hochberg, bonferroni, holm

MANY = st.lists(st.floats(1e-9, 1), min_size=1, max_size=20)


@given(p=MANY)
def test_benjamini_and_hochbergs_is_scipys(p):
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p))


@given(p=MANY)
def test_holms_rejects_step_by_step(p):
    """A question is answered at level α exactly when all smaller p, and it, are at most α over the questions left."""
    corrected = holm(p)
    order = np.argsort(p, kind="stable")
    worst = 0.0
    for place, question in enumerate(order):
        worst = max(worst, p[question] * (len(p) - place))
        assert corrected[question] == pytest.approx(min(worst, 1))


@given(p=MANY)
def test_one_is_stricter_than_the_other(p):
    assert (np.array(p) <= benjamini_hochberg(p)).all()
    assert (benjamini_hochberg(p) <= holm(p) + 1e-12).all()
    assert (holm(p) <= bonferroni(p) + 1e-12).all()
    assert (bonferroni(p) <= 1).all()


@pytest.mark.parametrize("name", CORRECTIONS)
@given(p=MANY, seed=st.integers(0, 9))
def test_the_order_of_questions_is_nothing(name, p, seed):
    _, correct = CORRECTIONS[name]
    order = np.random.default_rng(seed).permutation(len(p))
    assert correct(np.array(p)[order]) == pytest.approx(correct(p)[order])
    assert (correct(p[:1]) == p[:1]).all()


@pytest.mark.parametrize("name", CORRECTIONS)
def test_what_said_nothing_is_no_question(name):
    _, correct = CORRECTIONS[name]
    p = correct([0.01, math.nan, 0.04])
    assert p[[0, 2]] == pytest.approx(correct([0.01, 0.04]))
    assert math.isnan(p[1])
    assert len(correct([])) == 0


@pytest.mark.parametrize("correction", [holm, bonferroni, benjamini_hochberg])
def test_a_p_above_one_is_refused(correction):
    with pytest.raises(BadInput, match=r"^row 2: p is 1.5; expected a number from 0 to 1$"):
        correction([0.1, 1.5])
