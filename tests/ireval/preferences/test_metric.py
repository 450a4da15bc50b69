"""Do people prefer what a measure says is better?"""

import math

import numpy as np
import pytest
from scipy import stats

from ireval.agreement import wilson_interval
from ireval.preferences import agreement_with_metric


def by_topic(values):
    return {f"q{place}": float(value) for place, value in enumerate(values)}


def related(seed, topics, strength=0.6):
    rng = np.random.default_rng(seed)
    difference = rng.normal(0, 1, topics)
    latent = strength * difference + math.sqrt(1 - strength**2) * rng.normal(0, 1, topics)
    return latent, difference


def test_coefficients_are_scipys():
    latent, difference = related(1, 40)
    score = np.clip(np.round(latent + 2) / 4, 0, 1)
    agreement = agreement_with_metric(by_topic(score), by_topic(difference))
    assert agreement.topics == 40
    assert agreement.pearson.mean == pytest.approx(stats.pearsonr(score, difference).statistic)
    assert agreement.spearman.mean == pytest.approx(stats.spearmanr(score, difference).statistic)
    assert agreement.kendall.mean == pytest.approx(stats.kendalltau(score, difference).statistic)
    expected = stats.pearsonr(score, difference).confidence_interval()
    assert (agreement.pearson.low, agreement.pearson.high) == pytest.approx((expected.low, expected.high))


def test_signs_agree_on_topics_that_both_decide():
    agreement = agreement_with_metric(by_topic([1, 0.75, 0.5, 0.25, 0, 0.9]), by_topic([0.1, -0.1, 0.3, -0.2, 0, 0.4]))
    assert (agreement.decided, agreement.agreeing, agreement.share.mean) == (4, 3, 0.75)
    assert agreement.share[1:] == pytest.approx([float(end) for end in wilson_interval(3, 4)])


def test_topics_that_one_side_lacks_do_not_count():
    agreement = agreement_with_metric({"1": 1, "2": 0.5, "3": 0, "4": 1}, {"2": 0.1, "3": -0.1, "4": math.nan, "5": 1})
    assert (agreement.topics, agreement.decided) == (2, 1)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_intervals_hold_the_truth(name):
    """Bivariate normal with a correlation of .6: ρ and τ by their formulas; 1,000 samples of 30 topics, ± 3.3 deviations."""
    truth = {"pearson": 0.6, "spearman": 6 / math.pi * math.asin(0.3), "kendall": 2 / math.pi * math.asin(0.6)}[name]
    held = 0
    for seed in range(1000):
        latent, difference = related(seed, 30)
        interval = getattr(agreement_with_metric(by_topic(latent), by_topic(difference)), name)
        held += interval.low <= truth <= interval.high
    assert 0.927 < held / 1000 < 0.975


def test_what_cannot_be_said_is_nan():
    agreement = agreement_with_metric({}, {})
    assert np.isnan([*agreement.pearson, *agreement.kendall, *agreement.share]).all()
    agreement = agreement_with_metric(by_topic([0.5, 0.5, 0.5, 0.5, 0.5]), by_topic([1, 2, 3, 4, 5]))
    assert np.isnan([*agreement.pearson, *agreement.share]).all()
    agreement = agreement_with_metric(by_topic([0, 0.5, 1]), by_topic([1, 2, 1]))
    assert not math.isnan(agreement.spearman.mean)
    assert math.isnan(agreement.spearman.low)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("topics", [5, 9])
def test_a_perfect_relation_has_no_interval(name, direction, topics):
    """Of few topics chance makes one, also where a coefficient is 1 but for rounding."""
    score = np.linspace(0.1, 0.7, topics)
    interval = getattr(agreement_with_metric(by_topic(score), by_topic(direction * (score - 0.3))), name)
    assert interval.mean == pytest.approx(direction)
    assert np.isnan([interval.low, interval.high]).all()
