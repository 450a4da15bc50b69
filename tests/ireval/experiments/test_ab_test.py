"""Means, proportions and ratios of arms against a control: scipy, the jackknife, real data and laws."""

import dataclasses
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval.experiments import (
    BadExperiment,
    Observed,
    arm_effects,
    arm_means,
    experiment_from,
    experiment_from_counts,
    experiment_of,
    homogeneity,
    proportion_test,
    sample_ratio,
)
from ireval.significance import benjamini_hochberg, holm
from tests.ireval.experiments.builders import any_frame, searchers, two_arms


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_means_are_welchs_t(rng):
    control, other = rng.normal(10, 3, 40), rng.normal(11, 6, 70)
    values = np.concatenate([control, other])
    (effect,) = arm_effects(two_arms(np.repeat([0, 1], [40, 70]), Observed(values)), "a", confidence=0.9)
    expected = stats.ttest_ind(other, control, equal_var=False)
    assert effect.p == pytest.approx(expected.pvalue)
    assert effect.freedom == pytest.approx(expected.df)
    assert (effect.low, effect.high) == pytest.approx(tuple(expected.confidence_interval(0.9)))
    pooled = math.sqrt((39 * control.var(ddof=1) + 69 * other.var(ddof=1)) / 108)
    assert effect.d == pytest.approx((other.mean() - control.mean()) / pooled)
    first, second = arm_means(two_arms(np.repeat([0, 1], [40, 70]), Observed(values)), confidence=0.9)
    assert (first.n, first.mean, first.sd) == pytest.approx((40, control.mean(), control.std(ddof=1)))
    assert (second.low, second.high) == pytest.approx(stats.t.interval(0.9, 69, other.mean(), stats.sem(other)))


def test_ratios_have_the_errors_of_the_jackknife(rng):
    arm, clicks = searchers(rng, 4000, lift=0.1)
    (effect,) = arm_effects(two_arms(arm, clicks), adjust=False)
    ratio, variance = [], []
    for number in (0, 1):
        values, per = clicks.values[arm == number], clicks.per[arm == number]
        without = (values.sum() - values) / (per.sum() - per)
        ratio.append(values.sum() / per.sum())
        variance.append((len(values) - 1) / len(values) * ((without - without.mean()) ** 2).sum())
    assert effect.kind == "ratio"
    assert effect.difference == pytest.approx(ratio[1] - ratio[0])
    assert effect.error == pytest.approx(math.sqrt(sum(variance)), rel=2e-3)


def test_adjusting_is_a_regression_on_the_time_before(rng):
    before = rng.gamma(2, 3, 2000)
    arm = np.tile([0, 1], 1000)
    values = 0.8 * before + rng.normal(0, 1, 2000) + 0.2 * arm
    plain, adjusted = (arm_effects(two_arms(arm, Observed(values, before=before)), adjust=adjust)[0] for adjust in (False, True))
    design = np.stack([np.ones(2000), arm, before], axis=1)
    coefficients, residual, *_ = np.linalg.lstsq(design, values, rcond=None)
    error = math.sqrt(residual[0] / 1997 * np.linalg.inv(design.T @ design)[1, 1])
    assert adjusted.difference == pytest.approx(coefficients[1], abs=1e-4)
    assert adjusted.error == pytest.approx(error, rel=1e-2)
    assert adjusted.reduction == pytest.approx(np.corrcoef(values - 0.2 * arm, before)[0, 1] ** 2, abs=1e-3)
    assert adjusted.error == pytest.approx(plain.error * math.sqrt(1 - adjusted.reduction))
    assert math.isnan(plain.reduction) and not plain.adjusted and adjusted.adjusted


def test_the_relative_interval_is_fiellers(rng):
    """Published for paired estimates in Franz 2007; here held against its definition: just what a test would not reject."""
    arm, clicks = searchers(rng, 600, lift=0.2)
    for adjust in (False, True):
        (effect,) = arm_effects(two_arms(arm, clicks), adjust=adjust)
        assert effect.relative == pytest.approx(effect.difference / effect.mean_control)
        assert effect.relative_low < effect.relative < effect.relative_high
    control, other = rng.normal(5, 2, 50), rng.normal(6, 2, 60)
    (effect,) = arm_effects(two_arms(np.repeat([0, 1], [50, 60]), Observed(np.concatenate([control, other]))))
    critical = stats.t.ppf(0.975, effect.freedom)
    for end in (effect.relative_low, effect.relative_high):
        apart = other.mean() - (1 + end) * control.mean()
        error = math.sqrt(other.var(ddof=1) / 60 + (1 + end) ** 2 * control.var(ddof=1) / 50)
        assert abs(apart) / error == pytest.approx(critical)


def test_of_a_control_that_may_be_nothing_no_relative_interval_is_told(rng):
    values = np.concatenate([np.linspace(-1, 1.1, 50), rng.normal(1, 1, 50)])
    (effect,) = arm_effects(two_arms(np.repeat([0, 1], 50), Observed(values)))
    assert math.isnan(effect.relative_low) and not math.isnan(effect.low)


def test_more_of_a_negative_mean_is_more(rng):
    values = rng.normal(-10, 1, 100) + np.repeat([0, 2], 50)
    (effect,) = arm_effects(two_arms(np.repeat([0, 1], 50), Observed(values)))
    assert effect.difference > 0 and 0 < effect.relative_low < effect.relative < effect.relative_high


def test_hillstroms_emails_come_out_as_published(shared_data):
    raw = pl.read_csv(shared_data / "ab_email_hillstrom" / "email_3arm.csv.gz").with_row_index("unit")
    experiment = experiment_of(raw.select("unit", "conversion", "history", arm="offer"))
    assert dict(zip(experiment.arms, experiment.n.tolist(), strict=True)) == {
        "Buy One Get One": 21387,
        "Discount": 21307,
        "No Offer": 21306,
    }
    assert round(sample_ratio(experiment.n).p, 3) == 0.904
    test = homogeneity([21306, 21307, 21387], [2262, 3894, 3238])
    assert round(test.chi2, 2) == 504.46 and f"{test.p:.1e}" == "2.9e-110"
    effects = {(effect.metric, effect.arm): effect for effect in arm_effects(experiment, "No Offer")}
    assert len(effects) == 4
    discount = effects["conversion", "Discount"]
    assert discount.kind == "proportion"
    assert discount.difference == pytest.approx(3894 / 21307 - 2262 / 21306)
    assert discount.holm < 1e-50 < effects["history", "Discount"].holm
    counts = experiment_from_counts(experiment.arms, experiment.n, {"conversion": [3238, 3894, 2262]})
    for effect in arm_effects(counts, "No Offer"):
        same = effects["conversion", effect.arm]
        assert (effect.low, effect.high, effect.p) == pytest.approx((same.low, same.high, same.p))


@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_proportions_are_those_of_scipy(n, n_control, data):
    yes, yes_control = data.draw(st.integers(0, n)), data.draw(st.integers(0, n_control))
    table = [[yes, n - yes], [yes_control, n_control - yes_control]]
    test = proportion_test(n, yes, n_control, yes_control)
    assert test.exact == pytest.approx(stats.fisher_exact(table).pvalue)
    assert test.low <= test.difference <= test.high and test.low >= -1 and test.high <= 1
    if 0 < yes + yes_control < n + n_control:
        expected = stats.chi2_contingency(table, correction=False)
        assert (test.chi2, test.p) == pytest.approx((expected.statistic, expected.pvalue))
    else:
        assert math.isnan(test.chi2) and math.isnan(test.p)


@pytest.mark.parametrize(
    ("counts", "ends"),
    [((70, 56, 80, 48), (0.0524, 0.3339)), ((10, 9, 10, 3), (0.1705, 0.8090)), ((10, 10, 10, 0), (0.6075, 1.0))],
)
def test_newcombes_interval_is_as_he_printed_it(counts, ends):
    """Newcombe 1998, table II, method 10: contrasts a, b and h."""
    test = proportion_test(*counts)
    assert (round(test.low, 4), round(test.high, 4)) == ends


def test_p_are_corrected_for_metrics_and_arms(rng):
    metrics = {name: Observed(rng.normal(0, 1, 300)) for name in "xyz"}
    effects = arm_effects(experiment_from(rng.integers(0, 3, 300), ["a", "b", "c"], metrics))
    p = [effect.p for effect in effects]
    assert [(effect.metric, effect.arm) for effect in effects] == [(name, arm) for name in "xyz" for arm in "bc"]
    assert [effect.holm for effect in effects] == holm(p).tolist()
    assert [effect.bh for effect in effects] == benjamini_hochberg(p).tolist()


@pytest.mark.parametrize(
    ("observed", "why"),
    [
        (Observed([0.1, 0.1, 0.1, 0.1]), "units of an arm do not differ"),
        (Observed([1, 2, 3, 5], per=[3, 6, 9, 15]), "units of an arm do not differ"),
        (Observed([1, 3, 0.7, 4.9], per=[3, 9, 2.1, 14.7]), "units of an arm do not differ"),
        (Observed([0, 0, 1, 2], per=[0, 0, 1, 1]), "an arm's denominators are all 0"),
        (Observed([1, 2, 3, 5], before=[2, 4, 6, 10]), "the time before tells all that units differ by"),
    ],
)
def test_what_cannot_be_known_says_why(observed, why):
    (effect,) = arm_effects(two_arms([0, 0, 1, 1], observed))
    assert effect.undefined == why
    assert all(
        math.isnan(number) for number in (effect.low, effect.high, effect.p, effect.holm, effect.relative_low, effect.always_p)
    )


def test_one_unit_has_no_error():
    (effect,) = arm_effects(two_arms([0, 1, 1], Observed([1, 2, 3])))
    assert effect.undefined == "an arm has fewer than two units" and effect.difference == 1.5


@pytest.mark.parametrize("searches_before", [[0] * 8, [4, 4, 4, 4, 0, 0, 0, 0], [0, 0, 0, 0, 4, 4, 4, 4]])
def test_without_a_time_before_in_both_arms_nothing_is_adjusted(searches_before):
    before = [clicks if searches else 0 for clicks, searches in zip([0, 2, 1, 1] * 2, searches_before, strict=True)]
    observed = Observed([1, 3, 2, 2, 1, 3, 2, 3], before=before, before_per=searches_before)
    (effect,), (plain,) = (arm_effects(two_arms(np.repeat([0, 1], 4), observed), adjust=adjust) for adjust in (True, False))
    assert effect == pytest.approx(plain, nan_ok=True)
    assert effect.difference == 0.25 and not effect.adjusted


def test_an_unknown_control_is_refused():
    with pytest.raises(BadExperiment, match="no arm c; expected one of a, b"):
        arm_effects(two_arms([0, 0, 1, 1], Observed([1, 2, 3, 5])), "c")


NUMBERS = (
    "difference",
    "low",
    "high",
    "p",
    "d",
    "relative",
    "relative_low",
    "relative_high",
    "always_low",
    "always_p",
    "reduction",
)


def close(effect, other, names=NUMBERS):
    pairs = [(getattr(effect, name), getattr(other, name)) for name in names]
    assert effect.undefined == other.undefined
    assert all(a == pytest.approx(b, rel=1e-6, abs=1e-8, nan_ok=True) for a, b in pairs), (effect, other)


@given(any_frame())
def test_changing_arms_round_changes_the_sign(frame):
    experiment = experiment_of(frame)
    for effect, other in zip(arm_effects(experiment, "a"), arm_effects(experiment, "b"), strict=True):
        turned = other._replace(difference=-other.difference, low=-other.high, high=-other.low, d=-other.d)
        close(effect, turned, ("difference", "low", "high", "p", "d", "always_p", "reduction"))


@given(any_frame(), st.sampled_from([0.125, 4.0, 1000.0]))
def test_another_unit_changes_nothing_but_the_unit(frame, factor):
    scaled = frame.with_columns(pl.col("time", "time__before", "clicks") * factor)
    for effect, other in zip(arm_effects(experiment_of(frame)), arm_effects(experiment_of(scaled)), strict=True):
        by = 1 if effect.metric == "bought" else factor
        close(effect, other, ("p", "d", "relative", "relative_low", "relative_high", "always_p", "reduction"))
        assert other.difference == pytest.approx(effect.difference * by, abs=1e-9 * by)
        assert other.high == pytest.approx(effect.high * by, abs=1e-9 * by, nan_ok=True)


@given(any_frame(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_the_files_they_are_in_change_nothing(frame, random):
    order = list(range(len(frame)))
    random.shuffle(order)
    whole = experiment_of(frame)
    parts = [experiment_from_part(frame[rows]) for rows in (order[:3], order[3:])]
    for changed in (experiment_of(frame[order]), parts[0].merged(parts[1])):
        assert changed.n.tolist() == whole.n.tolist()
        for effect, other in zip(arm_effects(whole), arm_effects(changed), strict=True):
            close(effect, other)


def experiment_from_part(frame):
    """A part may have units of one arm only; the arms are those of the whole."""
    arm = (frame["arm"] == "b").cast(pl.Int64).to_numpy()
    column = {name: frame[name].to_numpy() for name in frame.columns}
    observed = {
        "time": Observed(column["time"], before=column["time__before"]),
        "clicks": Observed(column["clicks"], per=column["clicks__per"]),
        "bought": Observed(column["bought"]),
    }
    return experiment_from(arm, ["a", "b"], observed)


@given(any_frame())
def test_adjusting_never_adds_variance_and_intervals_agree_with_tests(frame):
    for effect in arm_effects(experiment_of(frame)):
        if effect.undefined:
            continue
        if effect.adjusted:
            assert 0 <= effect.reduction <= 1
        assert (effect.p < 0.05) == (effect.low > 0 or effect.high < 0)
        if not math.isnan(effect.relative_low):
            assert (effect.p < 0.05) == (effect.relative_low > 0 or effect.relative_high < 0)
        assert effect.always_low <= effect.low <= effect.difference <= effect.high <= effect.always_high
        assert effect.p <= effect.holm and effect.p <= effect.bh <= effect.holm + 1e-12


def test_parts_of_other_experiments_do_not_fit():
    experiment = two_arms([0, 1], Observed([1, 2]))
    with pytest.raises(BadExperiment, match="same arms and metrics"):
        experiment.merged(dataclasses.replace(experiment, arms=("a", "c")))


def test_of_a_thousand_experiments_with_nothing_to_find_one_in_twenty_finds_something():
    """Within 3 standard deviations of a binomial. Clicks of a user are alike: a test over searches finds what is not there."""
    rng = np.random.default_rng(11)
    rejections = {True: 0, False: 0}
    naive = 0
    for _ in range(1000):
        arm, clicks = searchers(rng, 400)
        experiment = two_arms(arm, clicks)
        for adjust in rejections:
            rejections[adjust] += arm_effects(experiment, adjust=adjust)[0].p <= 0.05
        sums = [(clicks.per[arm == number].sum(), clicks.values[arm == number].sum()) for number in (0, 1)]
        naive += homogeneity(*zip(*sums, strict=True)).p <= 0.05
    assert all(29 <= count <= 74 for count in rejections.values())
    assert naive > 150


def test_intervals_hold_the_truth():
    rng = np.random.default_rng(12)
    truth = 2 / 7 * 0.15
    held = {True: 0, False: 0}
    relative = 0
    for _ in range(1000):
        arm, clicks = searchers(rng, 400, lift=0.15)
        for adjust in held:
            (effect,) = arm_effects(two_arms(arm, clicks), adjust=adjust)
            held[adjust] += effect.low <= truth <= effect.high
            relative += effect.relative_low <= 0.15 <= effect.relative_high
    assert all(926 <= count <= 971 for count in held.values())
    assert 1852 <= relative <= 1942
