"""The measures of the textbooks, each against its definition written out, one document at a time."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval import BadMeasure, evaluate, parse_measure
from ireval.measures.rankings import ranking
from tests.ireval.builders import qrels_of, run_of

GRADES = st.lists(st.sampled_from([None, -1, 0, 0, 1, 2, 3]), min_size=1, max_size=12)
MISSED = st.lists(st.sampled_from([0, 1, 2, 3]), max_size=4)
CUTOFFS = st.integers(1, 14)


def value(name: str, grades: Sequence[int | None], missed: Sequence[int] = (), relevant_from: int = 1) -> float:
    return float(parse_measure(name)(ranking([*grades, None], [*missed, 0]), relevant_from)[0])


def grade(judgement: int | None) -> int:
    return max(judgement or 0, 0)


def graded_average_precision(grades, missed, chance) -> float:
    """Robertson, Kanoulas and Yilmaz, equation 6: a sum over pairs of documents."""
    up_to = [sum(chance[1 : highest + 1]) for highest in range(len(chance))]
    gains = [grade(judgement) for judgement in grades]
    pairs = sum(
        up_to[min(gains[m], gains[n])] / (n + 1) for n in range(len(gains)) for m in range(n + 1) if gains[m] and gains[n]
    )
    possible = sum(up_to[grade(judgement)] for judgement in [*grades, *missed])
    return pairs / possible if possible else 0


@given(grades=GRADES, missed=MISSED)
def test_graded_average_precision_is_the_papers_sum_over_pairs(grades, missed):
    assert value("GAP", grades, missed) == pytest.approx(graded_average_precision(grades, missed, [0, 1 / 3, 1 / 3, 1 / 3]))
    name = "GAP(g={1:0.2,2:0.5,3:0.3})"
    assert value(name, grades, missed) == pytest.approx(graded_average_precision(grades, missed, [0, 0.2, 0.5, 0.3]))


@given(grades=GRADES, missed=MISSED)
def test_a_reader_who_asks_for_one_grade_has_average_precision(grades, missed):
    assert value("GAP(g={2:1})", grades, missed) == pytest.approx(value("AP(rel=2)", grades, missed))
    assert value("GAP(rel=3)", grades, missed) == pytest.approx(value("AP(rel=3)", grades, missed))


@given(grades=GRADES, missed=MISSED, k=CUTOFFS, b=st.sampled_from([0, 0.5, 1, 3]))
def test_e_is_van_rijsbergens_and_f_the_rest_to_one(grades, missed, k, b):
    precision, recall = value(f"P@{k}", grades, missed), value(f"R@{k}", grades, missed)
    expected = 1 - (1 + b**2) / (b**2 / recall + 1 / precision) if precision else 1
    assert value(f"E(b={b})@{k}", grades, missed) == pytest.approx(expected)
    assert value(f"F(beta={b})@{k}", grades, missed) == pytest.approx(1 - expected)


@given(grades=GRADES, missed=MISSED, k=CUTOFFS, n=st.integers(1, 3))
def test_search_length_is_how_far_a_reader_goes(grades, missed, k, n):
    read = [place for place, judgement in enumerate(grades[:k], start=1) if grade(judgement)]
    assert value(f"SL(n={n})@{k}", grades, missed) == (read[n - 1] if len(read) >= n else k + 1)


@given(grades=GRADES, missed=MISSED, k=CUTOFFS)
def test_a_threshold_takes_reciprocal_ranks_beyond_it(grades, missed, k):
    whole = value("RR", grades, missed)
    assert value(f"RR@{k}", grades, missed) == (whole if whole >= 1 / k else 0)


@given(scores=st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=12), relevant=st.sets(st.integers(0, 11)))
def test_a_tied_run_has_one_reciprocal_rank(scores, relevant):
    run = run_of({"1": {f"d{place}": score for place, score in enumerate(scores)}})
    qrels = qrels_of({"1": {"elsewhere": 1} | {f"d{place}": 1 for place in relevant}})
    for ties in ("profile", "best", "worst"):
        _, whole, first_12 = evaluate(run, qrels, "RR RR@12", ties=ties).values.row(0)
        assert whole == first_12


@given(grades=GRADES, missed=MISSED)
def test_relative_precision_is_precision_up_to_r_and_recall_from_there_on(grades, missed):
    total = sum(1 for judgement in [*grades, *missed] if grade(judgement))
    for k in range(1, 15):
        alike = f"P@{k}" if k <= total else f"R@{k}"
        assert value(f"RelP@{k}", grades, missed) == pytest.approx(value(alike, grades, missed))


@given(grades=GRADES, missed=MISSED)
def test_yet_another_average_precision_grows_with_average_precision(grades, missed):
    total = sum(1 for judgement in [*grades, *missed] if grade(judgement))
    summed = total * value("AP", grades, missed)
    assert value("YAAP", grades, missed) == pytest.approx(math.log((1 + summed) / (1 + total - summed)))


@given(grades=GRADES, k=CUTOFFS)
def test_unjudged_counts_what_nobody_looked_at(grades, k):
    shown = [*grades, None][:k]
    assert value(f"Unj@{k}", grades) == pytest.approx(sum(judgement is None or judgement < 0 for judgement in shown) / k)


def test_inferred_average_precision_takes_a_sampled_pool_for_what_it_is():
    """Yilmaz and Aslam: of two pooled documents above one was judged, and was relevant; so the other is taken to be, too."""
    assert value("infAP", [1, -1, 1]) == pytest.approx((1 + (1 + 2) / 3) / 2, abs=1e-4)
    assert value("infAP", [1, None, 1]) == pytest.approx(value("AP", [1, None, 1]), abs=1e-4)


def test_utility_has_a_price_for_each_of_four_outcomes():
    weighed = "Utility(a=3,b=-2,c=-1,d=0.5,documents=20)"
    # 2 relevant and 3 other documents retrieved, 1 relevant and 14 others missed.
    assert value(weighed, [1, 0, 1, None], missed=[1]) == 3 * 2 - 2 * 3 - 1 + 0.5 * 14


@pytest.mark.parametrize("name", ["GAP(g={1:1.5})", "E(b=-1)@5", "SL", "SL(n=0)@5", "RprecMult", "F", "Unj"])
def test_what_makes_no_sense_is_refused(name):
    with pytest.raises(BadMeasure):
        parse_measure(name)
