"""Tests of differences: known p-values, scipy's, laws, and what a null hypothesis that holds looks like."""

import itertools
import math
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval import BadInput, mean_interval
from ireval.significance import (
    Scores,
    bootstrap_test,
    cohens_d,
    compare,
    difference_interval,
    hedges_g,
    paired_t,
    randomisation,
    sign_test,
    superiority,
    t_interval,
    weights,
    wilcoxon,
)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


# Hundredths, which tie as measures do and whose sums have rounding errors.
DIFFERENCES = st.lists(st.integers(-30, 30), min_size=1, max_size=30).map(lambda values: np.array(values) / 100)
VARYING = DIFFERENCES.filter(lambda values: len(values) > 1 and np.ptp(values) > 0)
TESTS = {
    "t": paired_t,
    "wilcoxon": wilcoxon,
    "sign": sign_test,
    "randomisation": lambda values: randomisation(values, rng(), 500),
    "bootstrap": lambda values: bootstrap_test(values, rng(), 500),
}


OF_DIFFERENCES = TESTS | {
    "d": cohens_d,
    "g": hedges_g,
    "superiority": superiority,
    "t_interval": t_interval,
    "bootstrap_interval": lambda values: difference_interval(values, rng(), samples=500),
}


@pytest.fixture(scope="module")
def known(shared_data) -> np.ndarray:
    """Systems 125 and 126 of TREC 8, whose p-values others have published."""
    frame = pl.read_csv(shared_data / "significance_urbano2019" / "adhoc8_ap.csv")
    return (frame["run125"] - frame["run126"]).to_numpy()


def test_known_p_values(known):
    assert paired_t(known) == pytest.approx(0.0013193972, abs=5e-11)
    # Two sizes are equal as printed and 7e-18 apart as doubles: the published p ranks one above the other.
    ranks = stats.rankdata(np.abs(known)) * np.sign(known)
    assert wilcoxon(ranks) == pytest.approx(0.003445188, abs=5e-10)
    assert wilcoxon(known) == pytest.approx(stats.wilcoxon(known.round(4), correction=True, method="asymptotic").pvalue)
    assert (known > 0).sum() == 16
    assert sign_test(known) == pytest.approx(0.0153, abs=5e-5)


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("function", OF_DIFFERENCES)
def test_a_difference_that_is_not_finite_is_refused(function, value):
    with pytest.raises(BadInput, match=rf"^row 3: the difference is {value}; expected a finite number: leave the topic out$"):
        OF_DIFFERENCES[function]([0.1, 0.2, value, 0.4])
    with pytest.raises(BadInput, match=r"^row 2, pair 3: "):
        OF_DIFFERENCES[function]([[0.1, 0.2, 0.3], [0.1, 0.2, value], [0.1, 0.3, 0.2]])


@pytest.mark.parametrize(("test", "p"), [(randomisation, 0.001188), (bootstrap_test, 0.000586)])
def test_known_p_values_of_resampling_are_within_its_error(known, test, p):
    resamples = 200_000
    error = math.sqrt(p / resamples + p / 1e6)
    assert test(known, rng(), resamples) == pytest.approx(p, abs=4 * error)


@pytest.mark.parametrize("file", ["adhoc8_p10", "web2013_ndcg20", "web2013_err20"])
def test_real_systems_are_tested_as_scipy_tests_them(shared_data, file):
    scores = pl.read_csv(shared_data / "significance_urbano2019" / f"{file}.csv").to_numpy()[:, :12]
    first, second = np.triu_indices(12, 1)
    table = (scores[:, first] - scores[:, second]).round(9)
    assert paired_t(table) == pytest.approx(stats.ttest_1samp(table, 0).pvalue)
    for zeros in ("drop", "pratt"):
        by_hand = [normal_wilcoxon(differences, zeros) for differences in table.T]
        assert wilcoxon(table, method="normal", zeros=zeros) == pytest.approx(by_hand)
    won, lost = (table > 0).sum(axis=0), (table < 0).sum(axis=0)
    assert sign_test(table) == pytest.approx([stats.binomtest(w, w + x).pvalue for w, x in zip(won, lost, strict=True)])


@given(values=VARYING)
def test_students_test_is_scipys(values):
    theirs = stats.ttest_1samp(values, 0)
    assert paired_t(values) == pytest.approx(theirs.pvalue)
    assert t_interval(values) == pytest.approx(tuple(theirs.confidence_interval()))
    assert t_interval(values) == pytest.approx(mean_interval(values)[1:])


def normal_wilcoxon(differences, zeros: str) -> float:
    """Wilcoxon (1945) and Pratt (1959) as their papers put it: ranks of sizes, zeros left out before or after ranking."""
    ranked = differences[differences != 0] if zeros == "drop" else differences
    ranks = np.array([(abs(ranked) < abs(value)).sum() + ((abs(ranked) == abs(value)).sum() + 1) / 2 for value in ranked])
    ranks = ranks[ranked != 0]
    off = abs(ranks[ranked[ranked != 0] > 0].sum() - ranks.sum() / 2)
    return min(1, 2 * stats.norm.sf(max(off - 0.5, 0) / (np.sqrt((ranks**2).sum()) / 2)))


@given(values=st.lists(st.integers(-60, 60).filter(bool), min_size=1, max_size=9, unique_by=abs))
def test_the_exact_wilcoxon_test_counts_all_signs(values):
    ranks = stats.rankdata(np.abs(values))
    sums = np.array(list(product((0, 1), repeat=len(values)))) @ ranks
    above = ranks[np.array(values) > 0].sum()
    smaller = min(above, ranks.sum() - above)
    assert wilcoxon(values) == pytest.approx(min(1, 2 * (sums <= smaller).mean()))


TENTHS = [[6, 8, 10, 4, 6, 8, 2, 4, 6, 8], [4, 4, 8, 2, 8, 6, 4, 2, 0, 6]]


def test_sizes_that_only_rounding_tells_apart_share_ranks():
    """Eight of the ten differences are 0.2 or −0.2 as a decimal, in four ways as a double."""
    first, second = np.array(TENTHS) / 10
    assert len(np.unique(np.abs(first - second))) > 3
    assert wilcoxon(first - second) == wilcoxon(np.subtract(*TENTHS)) == pytest.approx(0.0519, abs=5e-5)


@pytest.mark.parametrize("test", [wilcoxon, sign_test, superiority])
def test_a_difference_by_rounding_alone_is_a_draw(test):
    noisy = np.array([0.1 + 0.2 - 0.3, 0.3 - 0.1 - 0.2, 0.2, 0.3, 0.1 + 0.2 - 0.3, -0.1])
    assert test(noisy) == test(noisy.round(9))


@pytest.mark.parametrize("name", ["t", "wilcoxon", "sign", "randomisation", "bootstrap"])
def test_systems_whose_scores_differ_by_rounding_alone_do_not_differ(name):
    first = np.arange(1, 9) / 10
    scores = Scores(tuple("12345678"), ("a", "b"), np.column_stack([first, first + 0.1 - 0.1]))
    assert (scores.values[:, 0] != scores.values[:, 1]).any()
    comparison = compare(scores, test=name)
    assert (comparison.p[0], comparison.superiority[0]) == (1, 0.5)


def test_wilcoxon_is_exact_below_50_topics_only():
    values = rng().normal(0.2, 1, 50)
    assert wilcoxon(values[:49]) == wilcoxon(values[:49], method="exact") != wilcoxon(values[:49], method="normal")
    assert wilcoxon(values) == wilcoxon(values, method="normal")
    with_tie = np.append(values[:20], values[0])
    assert wilcoxon(with_tie) == wilcoxon(with_tie, method="normal")


@given(values=DIFFERENCES.filter(lambda values: len(values) <= 10))
def test_few_topics_are_randomised_exactly(values):
    sums = np.array([np.dot(signs, values) for signs in itertools.product([1, -1], repeat=len(values))])
    assert randomisation(values, rng(), 2 ** len(values) - 1) == np.mean(np.abs(sums) >= abs(values.sum()) - 1e-9)


def test_randomisation_agrees_with_scipys():
    values = rng(4).normal(0.3, 1, (30, 3))
    theirs = stats.permutation_test(
        (values, np.zeros_like(values)),
        lambda x, y, axis: (x - y).mean(axis),
        permutation_type="samples",
        n_resamples=20_000,
        rng=5,
    ).pvalue
    assert randomisation(values, rng(), 20_000) == pytest.approx(theirs, abs=4 * math.sqrt(0.5 / 20_000))


def test_the_studentised_interval_is_as_defined():
    values, n, samples = rng(8).gamma(1, 1, 20), 20, 999
    drawn = values[rng(3).integers(0, n, (samples, n))]
    t = (drawn.mean(axis=1) - values.mean()) / (drawn.std(axis=1, ddof=1) / math.sqrt(n))
    error = values.std(ddof=1) / math.sqrt(n)
    expected = values.mean() - np.quantile(t, [0.975, 0.025]) * error
    assert difference_interval(values, rng(3), method="studentised", samples=samples) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("name", TESTS)
@given(values=DIFFERENCES)
def test_laws_of_every_test(name, values):
    p = TESTS[name](values)
    assert math.isnan(p) or 0 < p <= 1
    assert TESTS[name](-values) == pytest.approx(p, nan_ok=True)
    with np.errstate(all="raise"):
        assert TESTS[name](1000 * values) == pytest.approx(p, nan_ok=True)


@pytest.mark.parametrize("name", ["t", "wilcoxon", "sign"])
@given(values=DIFFERENCES, seed=st.integers(0, 9))
def test_the_order_of_topics_is_nothing(name, values, seed):
    assert TESTS[name](rng(seed).permutation(values)) == pytest.approx(TESTS[name](values), nan_ok=True)


@given(values=DIFFERENCES.filter(lambda values: len(values) <= 8), seed=st.integers(0, 9))
def test_the_order_of_topics_is_nothing_to_an_exact_randomisation(values, seed):
    assert randomisation(rng(seed).permutation(values), rng(), 255) == randomisation(values, rng(), 255)


@pytest.mark.parametrize("name", TESTS)
def test_where_nothing_can_be_said(name):
    test = TESTS[name]
    assert math.isnan(test([]))
    assert test([0.0, 0.0, 0.0]) == 1
    if name in {"t", "bootstrap"}:
        assert math.isnan(test([0.3]))
        assert math.isnan(test([0.1 + 0.2, 0.3, 0.3]))  # all equal, but for rounding
    else:
        assert test([0.3]) == 1
    assert test(np.empty((5, 0))).shape == (0,)


def test_a_p_below_the_smallest_number_is_not_0():
    assert paired_t(np.linspace(1, 1.001, 1000)) > 0


@pytest.mark.parametrize("name", TESTS)
def test_all_pairs_at_once_are_each_alone(name, monkeypatch):
    table = rng(2).integers(-20, 25, (17, 9)) / 100
    alone = [TESTS[name](column) for column in table.T]
    assert TESTS[name](table) == pytest.approx(alone)
    monkeypatch.setattr(weights, "BLOCK", 1500)
    assert TESTS[name](table) == pytest.approx(alone)


@pytest.mark.parametrize("name", TESTS)
def test_without_a_difference_tests_raise_their_alarm_as_often_as_they_say(name):
    """2,000 pairs of like systems: at 5 %, false alarms stay within four binomial deviations (exact tests may stay below)."""
    table = rng(20).normal(0, 1, (40, 2000)) * rng(21).gamma(2, 1, 40)[:, None]
    rate = (TESTS[name](table) <= 0.05).mean()
    assert rate <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 2000)
    assert rate >= (0.02 if name == "sign" else 0.05 - 4 * math.sqrt(0.05 * 0.95 / 2000))


@given(values=VARYING)
def test_effect_sizes(values):
    n = len(values)
    d = values.mean() / values.std(ddof=1)
    assert cohens_d(values) == pytest.approx(d)
    if n > 2:
        factor = math.exp(math.lgamma((n - 1) / 2) - math.lgamma((n - 2) / 2)) / math.sqrt((n - 1) / 2)
        assert hedges_g(values) == pytest.approx(d * factor)
        assert factor == pytest.approx(1 - 3 / (4 * (n - 1) - 1), abs=0.04)  # the approximation in the books
    assert superiority(values) == pytest.approx(((values > 0).sum() + (values == 0).sum() / 2) / n)
    assert superiority(values) + superiority(-values) == pytest.approx(1)


def test_effect_sizes_where_nothing_can_be_said():
    for effect in (cohens_d, hedges_g, superiority):
        assert math.isnan(effect([]))
        assert effect([0.0, 0.0, 0.0]) == (0.5 if effect is superiority else 0)
    assert math.isnan(cohens_d([0.3, 0.3, 0.3]))
    assert math.isnan(hedges_g([0.1, 0.4]))
    assert superiority([0.3]) == 1


@pytest.mark.parametrize("method", ["bca", "percentile", "studentised"])
def test_intervals_where_nothing_can_be_said(method):
    for interval in (t_interval, lambda values: difference_interval(values, rng(), method=method, samples=50)):
        assert np.isnan(interval([])).all()
        assert np.isnan(interval([0.2])).all()
        assert interval([0.25, 0.25, 0.25]) == (0.25, 0.25)
