"""Bounds hold every way to grade what is unjudged; where they claim to be exact, some way reaches each end."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ireval import BadMeasure, Qrels, evaluate, parse_measure, parse_measures
from ireval.pooling.bounds import DifferenceBounds, difference_bounds, largest_ratio
from ireval.pooling.documents import PooledDocuments, pooled_documents
from ireval.significance.pairs import against, all_pairs
from tests.ireval.builders import qrels_of, ranked, run_of

DOCUMENTS = "abcdefg"
TOP = 2
EXACT_NAMES = (
    "P@2 P(rel=2)@3 CG@2 DCG@3 DCG(dcg='exp-log2')@2 DCG(dcg='jk') RBP(p=0.5,max_rel=2) RBP(p=0.8,rel=1)@2 SDCG(max_rel=2)@2 "
    "R@2 RelP@2 nCG@2 nDCG@2 nDCG@3 nDCG nDCG(dcg='exp-log2')@2 nDCG(dcg='jk')@3 nDCG(gains={1:0,2:5})@2"
)
EXACT = [str(measure) for measure in parse_measures(EXACT_NAMES)]
SOUND = ["AP", "AP@2", "AP(rel=2)"]
RANKINGS = st.permutations(list(DOCUMENTS)).flatmap(lambda order: st.integers(1, 3).map(lambda length: order[:length]))
RUNS = st.lists(RANKINGS, min_size=2, max_size=3)
GRADES = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, TOP), min_size=1)


def documents_of(rankings, grades, depth=None) -> PooledDocuments:
    runs = {f"run{number}": {"1": ranked(order)} for number, order in enumerate(rankings)}
    return pooled_documents(runs, qrels_of({"1": grades}), depth=depth)


def bounds_of(rankings, grades, name) -> DifferenceBounds:
    measure = parse_measure(name)
    documents = documents_of(rankings, grades, measure.values.get("cutoff"))
    return difference_bounds(documents, measure, top_grade=TOP)


def differences_of_completions(rankings, grades, name):
    """The difference of each pair under every way to grade, (ways, pairs): `evaluate` sees each way as a topic."""
    documents = documents_of(rankings, grades, parse_measure(name).values.get("cutoff"))
    unjudged = documents.frame.filter(pl.Series(~documents.judged))["docno"].to_list()
    ways = [dict(zip(unjudged, way, strict=True)) for way in itertools.product(range(TOP + 1), repeat=len(unjudged))]
    topics = [str(number) for number in range(len(ways))]
    qrels = Qrels(qrels_of({topic: grades | way for topic, way in zip(topics, ways, strict=True)}))
    runs = [run_of(dict.fromkeys(topics, ranked(order))) for order in rankings]
    values = np.array([evaluate(run, qrels, name).values[name] for run in runs])
    pairs = all_pairs(len(rankings))
    return (values[pairs.first] - values[pairs.second]).T


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=8, deadline=None)
@given(rankings=RUNS, grades=GRADES)
def test_the_ends_are_those_of_all_ways_to_grade(name, rankings, grades):
    bounds, every = bounds_of(rankings, grades, name), differences_of_completions(rankings, grades, name)
    assert bounds.exact
    assert bounds.low.tolist() == pytest.approx(every.min(axis=0).tolist(), abs=1e-9)
    assert bounds.high.tolist() == pytest.approx(every.max(axis=0).tolist(), abs=1e-9)


@pytest.mark.parametrize("name", SOUND)
@settings(max_examples=20, deadline=None)
@given(rankings=RUNS, grades=GRADES)
def test_ends_that_are_not_exact_hold_all_ways_to_grade(name, rankings, grades):
    bounds, every = bounds_of(rankings, grades, name), differences_of_completions(rankings, grades, name)
    assert not bounds.exact
    assert (bounds.low <= every.min(axis=0) + 1e-9).all() and (bounds.high >= every.max(axis=0) - 1e-9).all()


@given(order=RANKINGS, grades=GRADES, name=st.sampled_from(SOUND))
@settings(max_examples=30, deadline=None)
def test_average_precisions_ends_of_one_run_alone_are_exact(order, grades, name):
    """A run that retrieves only a document judged non-relevant has AP 0 whatever is graded."""
    rankings, grades = [[d for d in order if d != "a"] or ["b"], ["a"]], grades | {"a": 0}
    bounds, every = bounds_of(rankings, grades, name), differences_of_completions(rankings, grades, name)
    assert bounds.low[0] == pytest.approx(every.min()) and bounds.high[0] == pytest.approx(every.max())


@given(rankings=RUNS, grades=GRADES, name=st.sampled_from(EXACT + SOUND), seed=st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_a_grade_never_widens_them_and_all_grades_leave_the_value(rankings, grades, name, seed):
    measure, rng = parse_measure(name), np.random.default_rng(seed)
    documents = documents_of(rankings, grades, measure.values.get("cutoff"))
    bounds = difference_bounds(documents, measure, top_grade=TOP)
    for row in rng.permutation(np.flatnonzero(~documents.judged)):
        documents = documents.with_grades(row, rng.integers(TOP + 1))
        narrower = difference_bounds(documents, measure, top_grade=TOP)
        assert (narrower.low >= bounds.low - 1e-9).all() and (narrower.high <= bounds.high + 1e-9).all()
        bounds = narrower
    qrels = documents.frame.with_columns(grade=pl.Series(documents.grade))
    values = [evaluate({"1": ranked(order)}, qrels, name).values[name][0] for order in rankings]
    differences = [first - second for first, second in itertools.combinations(values, 2)]
    assert bounds.low.tolist() == pytest.approx(differences, abs=1e-9) == bounds.high.tolist()
    assert not bounds.is_open.any()


@given(seed=st.integers(0, 10_000), m=st.integers(0, 6), levels=st.integers(1, 3))
@settings(max_examples=200, deadline=None)
def test_the_largest_ratio_is_that_of_all_counts(seed, m, levels):
    """Against every falling list of counts, with ideals that bend and with differences of either sign."""
    rng = np.random.default_rng(seed)
    steps, known, unjudged = rng.uniform(0.1, 2, levels), rng.normal(0, 2, 1), rng.normal(rng.normal(), 1, (m, 1))
    unjudged = -np.sort(-unjudged, axis=0)
    held = np.sort(rng.integers(0, 4, levels))[::-1]
    ideal = np.array([np.minimum(count + np.arange(m + 1), 5) ** rng.uniform(0.3, 1) for count in held])
    known = known if held[0] else np.zeros(1)
    gained = np.concatenate(([0], np.cumsum(unjudged)))
    falling = (counts for counts in itertools.product(range(m + 1), repeat=levels) if list(counts) == sorted(counts)[::-1])
    every = [
        (known[0] + steps @ gained[list(counts)]) / total if (total := steps @ ideal[range(levels), counts]) else 0
        for counts in falling
    ]
    assert largest_ratio(steps, known, unjudged, ideal)[0] == pytest.approx(max(every))


def test_topics_add_up_and_pairs_may_be_chosen():
    runs = {name: {topic: ranked(order) for topic in "12"} for name, order in (("x", "ab"), ("y", "cb"), ("z", "ba"))}
    documents = pooled_documents(runs, {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1}}, depth=2)
    bounds = difference_bounds(documents, parse_measure("P@2"))
    assert bounds.low_by_topic.tolist() == [[0.5, 0, -0.5], [0, 0, -0.5]]
    assert bounds.high_by_topic.tolist() == [[0.5, 0, -0.5], [0.5, 0, 0]]
    assert (bounds.order.tolist(), bounds.is_open.tolist()) == ([1, 0, -1], [False] * 3)
    against_z = difference_bounds(documents, parse_measure("P@2"), pairs=against(2, 3))
    assert (against_z.low.tolist(), against_z.high.tolist()) == ([0, -0.5], [0, -0.25])


def test_a_third_run_moves_the_ideal():
    """x and y retrieve nothing that is unjudged, but what z retrieved may be relevant and lower both."""
    runs = {"x": {"1": ranked("ab")}, "y": {"1": ranked("ba")}, "z": {"1": ranked("cd")}}
    qrels = {"1": {"a": 1, "b": 0}}
    bounds = difference_bounds(pooled_documents(runs, qrels, depth=2), parse_measure("nDCG@2"), pairs=against(0, 2))
    assert bounds.high[0] == pytest.approx(-(1 - 1 / np.log2(3)) / (1 + 1 / np.log2(3)))


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("RR", {}, "RR has no bounds over unjudged documents; expected one of P, CG"),
        ("P(judged_only=True)@2", {}, "has no bounds over unjudged"),
        ("nDCG(average='micro')@2", {}, "does not add up over documents; expected a mean over topics of P"),
        ("nDCG@9", {}, "looks deeper than rank 2, where the pool ends"),
        ("AP", {}, "looks deeper than rank 2"),
        ("RBP@2", {"top_grade": 3}, "which may still rise to 3: give max_rel=3"),
        ("P@2", {"top_grade": 1}, "the top grade is 1, and the qrels have grade 2"),
        ("DCG(gains={1:3,2:1})@2", {}, "fall as grades rise"),
        ("DCG(gains={-1:3})@2", {}, "gains of grade 0 or below"),
        ("P(rel=0)@2", {}, "gains of grade 0 or below"),
        ("AP(rel=0)@2", {}, "AP(rel=0)@2 counts grade 0 as relevant; expected at least 1"),
    ],
)
def test_mistakes_are_explained(name, options, expected):
    with pytest.raises(BadMeasure) as refused:
        difference_bounds(documents_of(["ab", "ba"], {"a": 2}, depth=2), parse_measure(name), **options)
    assert expected in str(refused.value)
