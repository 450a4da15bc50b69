"""A question has one answer: its outcome, its p and its interval never contradict each other, whatever the correction."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval.significance import CORRECTIONS, Estimate, decide, holm, shares_of_alpha

ESTIMATES = st.lists(
    st.builds(
        Estimate,
        st.floats(-1, 1),
        st.floats(0.001, 1) | st.just(0.0) | st.just(math.nan),
        st.integers(1, 400) | st.just(math.inf),
        st.integers(10, 100_000),
    ),
    min_size=1,
    max_size=8,
)
PLANNED = st.none() | st.integers(1, 100_000)


@given(ESTIMATES, st.sampled_from(sorted(CORRECTIONS)), st.sampled_from([0.0, 0.5]), st.sampled_from([0.01, 0.05, 0.2]), PLANNED)
def test_the_outcome_the_p_and_the_interval_agree(estimates, correction, against, alpha, planned):
    family = decide(estimates, against=against, alpha=alpha, correction=correction, planned=planned)
    for estimate, decision in zip(estimates, family, strict=True):
        if not estimate.error > 0:
            assert decision.outcome == "unknown" and math.isnan(decision.low) and math.isnan(decision.p)
            continue
        assert decision.low <= decision.value <= decision.high
        if math.isclose(decision.p, alpha, rel_tol=1e-6):
            continue  # rounding may take the end of the interval to either side
        assert decision.is_told == (decision.p < alpha) == (not decision.low <= against <= decision.high)
        if decision.is_told:
            assert decision.outcome == ("first" if decision.low > against else "second")
        assert decision.questions == sum(estimate.error > 0 for estimate in estimates)


@given(ESTIMATES, st.sampled_from(sorted(CORRECTIONS)), PLANNED)
def test_seen_from_the_second_it_is_the_same_answer(estimates, correction, planned):
    family = decide(estimates, correction=correction, planned=planned)
    mirrored = decide(
        [estimate._replace(value=-estimate.value) for estimate in estimates], correction=correction, planned=planned
    )
    for decision, other in zip(family, mirrored, strict=True):
        assert repr(decision.turned) == repr(other).replace("-0.0,", "0.0,") or decision.turned == pytest.approx(
            other, nan_ok=True
        )


@given(st.lists(st.floats(1e-12, 1) | st.just(math.nan), min_size=1, max_size=20), st.sampled_from(sorted(CORRECTIONS)))
def test_a_corrected_p_is_below_alpha_where_its_own_is_below_its_share(p, correction):
    corrected, shares = CORRECTIONS[correction][1](p), shares_of_alpha(p, correction)
    assert (shares <= 0.05 * (1 + 1e-12)).all()
    for own, its, share in zip(p, corrected, shares, strict=True):
        if not math.isclose(its, 0.05, rel_tol=1e-9):
            assert (its < 0.05) == (own < share)


def test_a_single_question_is_students():
    sample = np.array([0.1, 0.3, -0.1, 0.25, 0.2, 0.15])
    (decision,) = decide([Estimate(sample.mean(), stats.sem(sample), len(sample) - 1)])
    expected = stats.ttest_1samp(sample, 0)
    interval = expected.confidence_interval(0.95)
    assert (decision.p, decision.low, decision.high) == pytest.approx((expected.pvalue, interval.low, interval.high))
    assert decision.outcome == "first" and decision.level == 0.95


def test_bonferronis_intervals_are_those_of_a_share_each():
    estimates = [Estimate(0.3, 0.1, 20), Estimate(0.1, 0.1, 20), Estimate(0.2, math.nan, 20, undefined="it does not vary")]
    first, second, unknown = decide(estimates, correction="bonferroni")
    half = stats.t.ppf(1 - 0.025 / 2, 20) * 0.1
    assert (first.low, first.high, second.low) == pytest.approx((0.3 - half, 0.3 + half, 0.1 - half))
    assert (unknown.outcome, unknown.undefined, unknown.questions) == ("unknown", "it does not vary", 2)


def test_what_a_share_can_be_is_cut_off_where_shares_end():
    (decision,) = decide([Estimate(0.95, 0.1, 9)], against=0.5, bounds=(0, 1))
    assert decision.high == 1 and decision.outcome == "first"


def test_holm_shares_are_what_holm_means():
    p = [0.001, 0.02, 0.04]
    assert shares_of_alpha(p, "holm").tolist() == pytest.approx([0.05 / 3, 0.05 / 2, 0.05])
    assert holm(p).tolist() == pytest.approx([0.003, 0.04, 0.04])
