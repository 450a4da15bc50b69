"""Correlations: the documents' examples, what the papers' authors print, scipy's values, and what holds for any orderings."""

import itertools
import math
from importlib.util import find_spec

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ireval import BadInput, read_ordering
from ireval.correlation import rank_correlation
from ireval.correlation.lists import lists_of, overlap, rbo
from ireval.correlation.orderings import METHODS, correlate, correlate_runs, correlation_matrix
from ireval.correlation.rank_correlation import COEFFICIENTS, Paired
from ireval.correlation.rank_tables import rank_table
from ireval.io.rank_order import rank_run
from tests.ireval.builders import ranked, run_of

S1, S2 = range(1, 11), (2, 3, 1, 5, 4, 7, 8, 10, 6, 9)
TIED = st.integers(2, 12).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 6), min_size=n, max_size=n)] * 2))
UNTIED = st.integers(2, 12).flatmap(lambda n: st.tuples(st.permutations(range(n)), st.permutations(range(n))))
LIST = st.lists(st.sampled_from("abcdefghijkl"), unique=True, min_size=1)


def value(name: str, first, second) -> float:
    (coefficient,) = COEFFICIENTS[name](Paired(first, second))
    return float(coefficient)


def test_the_documents_examples():
    assert value("spearman", S1, S2) == pytest.approx(1 - 144 / 990)
    assert f"{value('spearman', S1, S2):.6f}" == "0.854545"
    assert value("kendall", S1[:5], S2[:5]) == pytest.approx(0.4)
    assert value("kendall", S1, S2) == pytest.approx(31 / 45)
    assert f"{value('kendall', S1, S2):.4f}" == "0.6889"


def test_spearmans_squares_reach_their_maximum_where_the_order_is_reversed():
    squares = [sum((rank - other) ** 2 for rank, other in zip(S1, ordering, strict=True)) for ordering in (S2, S1[::-1])]
    assert squares == [24, 330]
    assert value("spearman", S1, S2) == pytest.approx(1 - 2 * 24 / 330)
    assert value("spearman", S1, S1[::-1]) == pytest.approx(1 - 2 * 330 / 330)


def test_kendall_counts_each_discordant_pair_in_both_orders_or_once():
    """Δ = 6 over K(K − 1) in the book is Δ = 3 unordered pairs over K(K − 1) / 2."""
    unordered = sum(S2[i] > S2[j] for i in range(5) for j in range(i + 1, 5))
    assert unordered == 3
    assert value("kendall", S1[:5], S2[:5]) == pytest.approx(1 - 2 * 6 / (5 * 4)) == pytest.approx(1 - 2 * 3 / (5 * 4 / 2))


@pytest.mark.parametrize("method", METHODS)
def test_a_score_that_is_no_number_is_of_a_thing_that_the_ordering_lacks(method):
    first, second = {"a": 3.0, "b": 2.0, "c": 1.0, "d": math.nan}, {"a": 1.0, "b": 3.0, "c": math.nan, "d": 2.0}
    lacking = [{thing: score for thing, score in ordering.items() if not math.isnan(score)} for ordering in (first, second)]
    assert correlate(first, second, method, depth=2) == correlate(*lacking, method, depth=2)
    table = [[first[thing], second[thing]] for thing in first]
    if method in COEFFICIENTS:
        assert correlate(first, second, method).value == correlation_matrix(table, method)[0, 1]
    assert rank_table(first, second).rows() == [("a", 1, 3, -2), ("b", 2, 1, 1)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([1, 2, 3], [3, 2, 1]),
        ({1: 0.3, 2: 0.2, 3: 0.1}, {"1": 0.1, "2": 0.2, "3": 0.3}),
        (np.array([1, 2, 3]), (3, 2, 1)),
        (pl.Series([1, 2, 3]), range(3, 0, -1)),
    ],
)
def test_things_may_be_numbers(first, second):
    assert correlate(first, second).value == -1


@pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed")
def test_a_series_of_pandas_is_an_ordering_by_its_index():
    import pandas

    first = pandas.Series([0.3, 0.2, None], index=["bm25", "rm3", "dense"])
    assert correlate(first, {"bm25": 0.1, "rm3": 0.2, "dense": 0.9}) == (-1.0, 2, 0, 1)


def test_a_score_that_cannot_be_read_is_named():
    with pytest.raises(ValueError, match=r"the score of rm3 is 'high', of type str; expected a number"):
        correlate({"bm25": 1, "rm3": "high"}, ["bm25", "rm3"])


def test_ap_correlation_is_that_of_its_authors():
    """What ircor prints for the example of its manual."""
    x = np.array([0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54])
    y = np.array([0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84])
    assert value("tau_ap", x, y) == pytest.approx(0.3928571, abs=5e-8)
    assert value("tau_ap", x, y.round(1)) == pytest.approx(0.39903, abs=5e-6)
    assert value("tau_ap_b", x, y.round(1)) == pytest.approx(0.3317019, abs=5e-8)
    assert value("tau_ap_b", x.round(1), y.round(1)) == pytest.approx(0.339418, abs=5e-7)


@given(scores=TIED)
def test_scipy_agrees(scores):
    first, second = scores
    if len(set(first)) > 1 < len(set(second)):
        assert value("kendall_b", first, second) == pytest.approx(stats.kendalltau(first, second).statistic)
        assert value("spearman", first, second) == pytest.approx(stats.spearmanr(first, second).statistic)
        assert value("pearson", first, second) == pytest.approx(stats.pearsonr(first, second).statistic)


def by_definition(truth, scores) -> float:
    """τ_AP as its paper words it."""
    order = sorted(range(len(scores)), key=lambda thing: -scores[thing])
    correct = [sum(truth[above] > truth[thing] for above in order[:place]) / place for place, thing in enumerate(order) if place]
    return 2 / (len(scores) - 1) * sum(correct) - 1


@given(scores=UNTIED)
def test_without_ties_ap_correlation_is_as_defined(scores):
    first, second = scores
    assert value("tau_ap", first, second) == pytest.approx(by_definition(first, second))
    both_ways = (by_definition(first, second) + by_definition(second, first)) / 2
    assert value("tau_ap_b", first, second) == pytest.approx(both_ways)
    assert value("kendall", first, second) == pytest.approx(value("kendall_b", first, second))


def orders(scores):
    """All orders of what is tied."""
    places = [tuple(zip(scores, jitter, strict=True)) for jitter in itertools.permutations(range(len(scores)))]
    return {tuple(sorted(row).index(pair) for pair in row) for row in places}


@pytest.mark.parametrize("name", ["kendall", "tau_ap"])
@settings(max_examples=15)  # up to 576 orders each
@given(first=st.lists(st.integers(0, 2), min_size=4, max_size=4), second=st.lists(st.integers(0, 2), min_size=4, max_size=4))
def test_a_tie_counts_as_the_mean_over_its_orders(name, first, second):
    every = [value(name, *pair) for pair in itertools.product(orders(first), orders(second))]
    assert value(name, first, second) == pytest.approx(np.mean(every))


@pytest.mark.parametrize("name", COEFFICIENTS)
@given(scores=TIED)
def test_laws_of_every_coefficient(name, scores):
    first, second = scores
    coefficient = value(name, first, second)
    assert math.isnan(coefficient) or -1 - 1e-12 <= coefficient <= 1 + 1e-12
    if COEFFICIENTS[name].symmetric:
        assert value(name, second, first) == pytest.approx(coefficient, nan_ok=True)
    order = np.random.default_rng(0).permutation(len(first))
    assert value(name, np.array(first)[order], np.array(second)[order]) == pytest.approx(coefficient, nan_ok=True)


@pytest.mark.parametrize("name", COEFFICIENTS)
@given(order=st.permutations(range(7)))
def test_equal_orders_correlate_by_1_and_turned_ones_by_minus_1(name, order):
    assert value(name, order, order) == pytest.approx(1)
    assert value(name, order, [-score for score in order]) == pytest.approx(-1)


@pytest.mark.parametrize("name", ["spearman", "footrule", "kendall_b", "tau_ap_b", "pearson"])
@given(scores=st.lists(st.integers(0, 4), min_size=2, max_size=9).filter(lambda scores: len(set(scores)) > 1))
def test_equal_orders_with_equal_ties_correlate_by_1(name, scores):
    assert value(name, scores, scores) == pytest.approx(1)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_where_nothing_can_be_said(name):
    assert math.isnan(value(name, [], []))
    assert math.isnan(value(name, [0.3], [0.4]))
    tied = value(name, [0.3, 0.3, 0.3], [1, 2, 3])
    assert tied == 0 if name in {"footrule", "kendall", "tau_ap"} else math.isnan(tied)


def test_many_orderings_at_once_are_each_alone(monkeypatch):
    monkeypatch.setattr(rank_correlation, "CHUNK", 50)
    rng = np.random.default_rng(3)
    sizes = [1, 30, 0, 70, 2, 40]
    topic = np.repeat(np.arange(len(sizes)), sizes)
    first, second = rng.integers(0, 20, (2, len(topic)))
    for name, coefficient in COEFFICIENTS.items():
        alone = [value(name, first[topic == number], second[topic == number]) for number in range(len(sizes))]
        assert coefficient(Paired(first, second, topic, len(sizes))) == pytest.approx(alone, nan_ok=True)


def rbo_by_definition(first, second, p: float) -> float:
    """Webber, Moffat and Zobel's equation 32."""
    shorter, longer = sorted((first, second), key=len)
    s, l = len(shorter), len(longer)  # noqa: E741
    shared = [len(set(shorter[:depth]) & set(longer[:depth])) for depth in range(l + 1)]
    head = sum(shared[d] / d * p**d for d in range(1, l + 1))
    beyond = sum(shared[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * (head + beyond) + ((shared[l] - shared[s]) / l + shared[s] / s) * p**l


@given(first=LIST, second=LIST, p=st.sampled_from([0.5, 0.9, 0.98]), depth=st.integers(1, 14))
def test_lists_share_what_the_definitions_say(first, second, p, depth):
    assert rbo(lists_of(first, second), p)[0] == pytest.approx(rbo_by_definition(first, second, p))
    k = min(depth, max(len(first), len(second)))
    assert overlap(lists_of(first, second), depth)[0] == pytest.approx(len(set(first[:k]) & set(second[:k])) / k)


@given(first=LIST, p=st.floats(0.01, 0.99))
def test_equal_lists_share_everything_and_disjoint_ones_nothing(first, p):
    assert rbo(lists_of(first, first), p)[0] == pytest.approx(1)
    assert rbo(lists_of(first, "xyz"), p)[0] == 0
    assert (overlap(lists_of(first, first))[0], overlap(lists_of(first, "xyz"))[0]) == (1, 0)


def test_empty_lists_are_unlike_nothing():
    assert np.isnan([rbo(lists_of("", "")), rbo(lists_of("ab", "")), overlap(lists_of("", ""))]).all()
    assert overlap(lists_of("ab", "")) == 0


def test_tied_things_share_the_best_rank_in_lists():
    """Down to depth 1 one side holds a and b, the other a: 2 · 1 / (2 + 1); from depth 2 on they agree."""
    first, second = {"a": 2, "b": 2, "c": 1}, {"a": 3, "b": 2, "c": 1}
    assert correlate(first, second, "overlap", depth=1).value == pytest.approx(2 / 3)
    assert correlate(first, second, "rbo", p=0.5).value == pytest.approx(2 / 3 * 0.5 + 0.5)
    assert correlate(first, first, "rbo").value == pytest.approx(1)


@pytest.mark.parametrize("p", [0, 1, -0.5, math.nan])
def test_p_is_between_0_and_1(p):
    with pytest.raises(ValueError, match="expected a number between 0 and 1"):
        correlate(["a", "b"], ["b", "a"], "rbo", p=p)


def test_orderings_of_different_things():
    correlation = correlate(["d1", "d2", "d3", "d4"], ["d9", "d3", "d1"], "kendall")
    assert correlation == (-1, 2, 2, 1)
    assert correlate(["d1", "d2"], ["d3"], "kendall")[1:] == (0, 2, 1)
    assert math.isnan(correlate(["d1", "d2"], ["d2", "d3"], "spearman").value)
    assert math.isnan(correlate([], [], "rbo").value)
    with pytest.raises(ValueError, match="d1 is listed twice"):
        correlate(["d1", "d1"], ["d1"])
    with pytest.raises(ValueError, match="there is no method 'tau'; choose one of pearson"):
        correlate(["d1"], ["d1"], "tau")


def test_a_list_is_a_dictionary_of_falling_scores():
    for method in METHODS:
        as_scores = correlate({"a": 3, "b": 2, "c": 1}, {"b": 3, "a": 2, "c": 1}, method)
        assert correlate(["a", "b", "c"], ["b", "a", "c"], method) == as_scores


def test_runs_are_compared_topic_by_topic_in_the_evaluators_order():
    first = rank_run(run_of({"1": ranked("abcd"), "2": ranked("ab"), "3": ranked("a")}))
    second = rank_run(run_of({"2": {"x": 2.0, "y": 1.0}, "1": {"b": 2.0, "a": 2.0, "c": 1.0}, "4": ranked("a")}))
    table = correlate_runs(first, second, ["kendall", "rbo", "overlap", "pearson"], p=0.5, depth=2)
    first_topic, second_topic = table.rows(named=True)
    assert (first_topic["topic"], first_topic["n"], first_topic["only_first"], first_topic["only_second"]) == ("1", 3, 1, 0)
    assert first_topic["kendall"] == pytest.approx(1 / 3)  # the tie of a and b is broken: b first
    assert first_topic["rbo"] == pytest.approx(rbo_by_definition("abcd", "bac", 0.5))
    assert first_topic["overlap"] == 1
    assert first_topic["pearson"] == pytest.approx(stats.pearsonr([4, 3, 2], [2, 2, 1]).statistic)
    assert (second_topic["n"], second_topic["only_first"], second_topic["rbo"]) == (0, 2, 0)
    assert math.isnan(second_topic["kendall"])


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_matrix_has_every_two_columns(name, monkeypatch):
    monkeypatch.setattr("ireval.correlation.orderings.CHUNK", 60)
    table = np.random.default_rng(5).integers(0, 8, (9, 6)).astype(float)
    table[2, 1] = np.nan
    matrix = correlation_matrix(table, name)
    for i, j in itertools.product(range(6), repeat=2):
        there = ~np.isnan(table[:, [i, j]]).any(axis=1)
        assert matrix[i, j] == pytest.approx(value(name, table[there, i], table[there, j]), nan_ok=True)


def test_a_matrix_of_one_or_no_ordering():
    assert correlation_matrix(np.array([[1.0], [2.0]])).tolist() == [[1.0]]
    assert correlation_matrix(np.empty((3, 0))).shape == (0, 0)


def test_systems_of_a_track_by_two_measures(shared_data):
    folder = shared_data / "significance_urbano2019"
    ap, p10 = (pl.read_csv(folder / f"adhoc8_{name}.csv").mean().row(0) for name in ("ap", "p10"))
    assert value("kendall_b", ap, p10) == pytest.approx(stats.kendalltau(ap, p10).statistic)
    assert correlation_matrix(np.transpose([ap, p10]), "kendall_b")[0, 1] == pytest.approx(0.8, abs=0.1)


NAMED = {"system": ["bm25", "rm3", "dense"], "score": [0.3, 0.4, 0.5]}


@pytest.mark.parametrize(
    "frame", [pl.DataFrame(NAMED), pl.LazyFrame(NAMED), pl.DataFrame(NAMED).rename({"system": "run", "score": "value"})]
)
def test_a_frame_of_systems_and_scores_is_an_ordering(frame):
    assert correlate(frame, ["dense", "rm3", "bm25"]) == (1.0, 3, 0, 0)


@pytest.mark.parametrize(
    ("ordering", "reason"),
    [
        (
            {"a", "b"},
            "^an ordering is .*, of type set; expected a path, a frame, a dictionary of scores, or a list with the best",
        ),
        (b"a.csv", "^an ordering is b'a.csv', of type bytes; expected a path"),
        (None, "^an ordering is None"),
        (5, "^an ordering is 5"),
        (
            pl.DataFrame({"topic": ["1"], "docno": ["a"], "score": [1.0]}),
            "^this orders documents, .*correlate_runs compares",
        ),
        (pl.DataFrame({"system": ["a"]}), "^an ordering has the columns system; expected also score: rename yours$"),
        (pl.DataFrame({"system": ["a", "a"], "score": [1.0, 2.0]}), "^row 2: a is listed twice; row 1 has it: keep one$"),
        (pl.DataFrame({"system": ["a", None], "score": [1.0, 2.0]}), "^a thing is empty"),
        (pl.DataFrame({"system": ["a"], "score": [None]}), "^the score of a is None"),
        (["a", None], "^a thing is empty"),
    ],
)
def test_what_is_no_ordering_is_refused(ordering, reason):
    for first, second in ((ordering, ["a", "b"]), (["a", "b"], ordering)):
        with pytest.raises(BadInput, match=reason):
            correlate(first, second)


def test_runs_from_files_are_for_correlate_runs(tmp_path):
    run = tmp_path / "bm25.run"
    run.write_text("1 Q0 a 1 2 bm25\n1 Q0 b 2 1 bm25\n")
    with pytest.raises(BadInput, match="correlate_runs compares two runs topic by topic"):
        correlate(read_ordering(run), read_ordering(run))
