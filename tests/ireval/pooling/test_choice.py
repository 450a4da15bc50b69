"""What to judge next follows from weights and predicted grades; values predicted meanwhile end where evaluate does."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from ireval import BadInput, BadMeasure, evaluate, parse_measure
from ireval.pooling import next_documents, predict_grades, predicted_scores
from ireval.pooling.additive_measures import additive
from ireval.pooling.average_precision_bounds import expected_average_precision
from ireval.pooling.choice import closeness, mean_squares
from ireval.pooling.grade_prediction import OF_TOPIC, expected_ideals, fit
from ireval.significance.pairs import all_pairs
from tests.ireval.builders import ranked
from tests.ireval.pooling.test_bounds import EXACT, GRADES, RUNS, SOUND, TOP, documents_of


@given(st.integers(0, 99), st.integers(2, 5))
def test_squares_are_those_of_every_pair(seed, systems):
    rng = np.random.default_rng(seed)
    weights, pairs = rng.normal(size=(6, systems)), all_pairs(systems)
    chances = rng.random(len(pairs))
    every = (weights[:, pairs.first] - weights[:, pairs.second]) ** 2
    assert mean_squares(weights, pairs, chances) == pytest.approx(np.average(every, axis=1, weights=chances))


def test_pairs_that_are_close_to_a_draw_count_most():
    """Half of what is uncertain counts for all alike, half for the one close pair; the last pair is not uncertain at all."""
    weights, variance, pairs = np.eye(3)[:, [0, 1, 2, 2]], np.ones(3), all_pairs(4)
    counted = closeness(np.array([0.0, 0.5, 20, 20]), weights, variance, pairs)
    assert counted.tolist() == pytest.approx([1 / 2 + 1 / 10, *[1 / 10] * 5])
    assert closeness(np.zeros(2), np.eye(2), np.zeros(2), all_pairs(2)).tolist() == [1]


def test_change_is_weight_times_the_spread_of_the_gain():
    """Nothing is known, so that every document is relevant with a chance of one half."""
    documents = documents_of(["ab", "cb"], {"z": 0}, depth=2)
    assert next_documents(documents, parse_measure("DCG@2")).rows() == [("1", "a", 0.5), ("1", "c", 0.5)]
    graded = next_documents(documents, parse_measure("P(rel=2)@2"), 1, top_grade=2)
    assert graded.rows() == [("1", "a", 0.25)]


def test_the_third_run_of_a_pair_is_not_chosen_for():
    documents = documents_of(["ab", "ba", "cd"], {"z": 0}, depth=2)
    of_two = next_documents(documents, parse_measure("DCG@2"), pairs=all_pairs(2))
    assert set(of_two["docno"]) == {"a", "b"}


def test_close_pairs_are_told_apart_first():
    """x and y are equal so far, z is far behind: d tells x from y, while the others' documents would place z."""
    runs = ["abcd", "abce", "fghi"]
    documents = documents_of(runs, dict.fromkeys("abc", 1) | dict.fromkeys("fg", 0), depth=4)
    measure = parse_measure("DCG@4")
    assert next_documents(documents, measure)["docno"][0] == "h"
    assert next_documents(documents, measure, close_pairs=True)["docno"][0] in "de"


@given(rankings=RUNS, grades=GRADES, name=st.sampled_from(EXACT + SOUND))
@settings(max_examples=60, deadline=None)
def test_predicted_values_are_evaluates_once_all_is_judged(rankings, grades, name):
    measure = parse_measure(name)
    documents = documents_of(rankings, grades, measure.values.get("cutoff"))
    documents = documents.with_grades(np.flatnonzero(~documents.judged), 1)
    qrels = documents.frame.with_columns(grade=pl.Series(documents.grade))
    values = [evaluate({"1": ranked(order)}, qrels, name).values[name][0] for order in rankings]
    assert predicted_scores(documents, measure, top_grade=TOP).values[0].tolist() == pytest.approx(values)


@given(rankings=RUNS, grades=GRADES)
@settings(max_examples=30, deadline=None)
def test_chances_fall_from_grade_to_grade_and_judged_ones_are_sure(rankings, grades):
    documents = documents_of(rankings, grades)
    reaching = predict_grades(documents, TOP).reaching
    assert ((reaching >= 0) & (reaching <= 1)).all() and (np.diff(reaching, axis=0) <= 0).all()
    sure = documents.grade[documents.judged] >= np.arange(1, TOP + 1)[:, None]
    assert (reaching[:, documents.judged] == sure).all()


def test_coefficients_are_the_most_likely_ones():
    rng = np.random.default_rng(1)
    features, topic = rng.normal(size=(60, 3)), np.sort(rng.integers(0, 4, 60))
    reached, precision = rng.random(60) < 0.3, np.array([0.1, 1, 2])

    def loss(both):
        score = features @ both[:3] + both[3:][topic]
        prior = (precision * both[:3] ** 2).sum() + OF_TOPIC * (both[3:] ** 2).sum()
        return np.logaddexp(0, score).sum() - score[reached].sum() + prior / 2

    model = fit(features, topic, reached, precision, 4)
    best = minimize(loss, np.zeros(7), tol=1e-9)
    assert np.concatenate([model.features, model.topics]) == pytest.approx(best.x, abs=1e-4)


def test_what_many_runs_agree_on_is_thought_relevant_once_grades_say_so():
    rankings = ["abcdefg", "acbdegf", "bacgdfe"]
    documents = documents_of(rankings, {"a": 1, "b": 1, "f": 0, "e": 0}, depth=7)
    c, d, g = predict_grades(documents, 1).reaching[0, [2, 3, 6]]
    assert c > d > g


def test_values_are_predicted_from_a_pool_that_is_deep_enough():
    with pytest.raises(BadMeasure, match="nDCG@3 looks deeper than rank 2"):
        predicted_scores(documents_of(["ab", "ba"], {"a": 1}, depth=2), parse_measure("nDCG@3"))


def test_an_ideal_between_whole_numbers_lies_on_a_line():
    documents = documents_of(["ab", "ba"], {"a": 1}, depth=2)
    sums = additive(parse_measure("nDCG@2"), 1)
    chance = predict_grades(documents, 1).reaching[0, 1]
    assert expected_ideals(documents, sums, predict_grades(documents, 1)).tolist() == pytest.approx([1 + chance / np.log2(3)])


@given(rankings=RUNS, grades=GRADES, name=st.sampled_from(SOUND), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_average_precision_moves_as_its_slopes_say(rankings, grades, name, seed):
    """Of a product of chances the slope in each is exact; R is kept, since it is the same for all systems."""
    documents, cutoff = documents_of(rankings, grades), parse_measure(name).values["cutoff"]
    chance = np.random.default_rng(seed).uniform(0.1, 1, len(documents))
    values, slopes = expected_average_precision(documents, chance, cutoff)
    for row in range(len(documents)):
        moved = chance.copy()
        moved[row] += 0.05
        after, _ = expected_average_precision(documents, moved, cutoff)
        grown = after[0] * moved.sum() - values[0] * chance.sum()
        assert grown.tolist() == pytest.approx((slopes[row] * chance.sum() * 0.05).tolist())


def test_a_number_below_one_is_refused():
    with pytest.raises(BadInput, match=r"^n is 0; expected a whole number from 1$"):
        next_documents(documents_of(["ab", "ba"], {"a": 1}, depth=2), parse_measure("P@2"), 0)


def test_all_of_a_pool_is_chosen_in_the_end():
    documents, measure = documents_of(["abc", "dae"], {"a": 1}, depth=3), parse_measure("nDCG@3")
    for _ in itertools.count():
        table = next_documents(documents, measure, 2)
        if table.is_empty():
            break
        rows = documents.frame.with_row_index("row").join(table, on=["topic", "docno"])["row"].to_numpy()
        documents = documents.with_grades(rows, np.zeros(len(rows), int))
    assert documents.judged.all()
