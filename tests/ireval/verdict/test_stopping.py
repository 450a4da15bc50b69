"""Looking after every topic finds a wrong order no more often than alpha says, and a right one long before the end."""

import math

import numpy as np
import polars as pl
import pytest

from ireval.significance.decision import Estimate
from ireval.verdict import line_of_topics, orders_of, orders_so_far
from tests.ireval.rates import experiments

PLANNED, FIRST_LOOK = 50, 10


def found(rng, means, deviation=0.2):
    """What looks after every topic ever say of three systems, and after how many topics they first say something of the first
    pair."""
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    values = rng.normal(means, deviation, (PLANNED, 3))
    said, first = set(), None
    for n in range(FIRST_LOOK, PLANNED + 1):
        differences = [
            line_of_topics("grades", "P@5", values[:n, "abc".index(b)] - values[:n, "abc".index(a)], margin=1).difference
            for a, b in pairs
        ]
        orders = orders_of(pairs, differences, planned=PLANNED)
        said |= {(order.first, order.second, order.better) for order in orders if order.better}
        first = first or (n if orders[0].better else None)
    return said, first


@pytest.mark.soak(short=True)
def test_systems_alike_are_told_apart_at_some_look_in_one_study_of_twenty_at_most():
    rng, studies = np.random.default_rng(1), experiments(200)
    wrong = sum(bool(found(rng, [0.5, 0.5, 0.5])[0]) for _ in range(studies))
    assert wrong <= studies * 0.05 + 3.3 * math.sqrt(studies * 0.05 * 0.95)


def test_a_large_difference_is_found_early_and_never_the_other_way_round():
    rng, early = np.random.default_rng(2), []
    for _ in range(40):
        said, first = found(rng, [0.3, 0.6, 0.6])
        assert said <= {("a", "b", "b"), ("a", "c", "c")}
        early.append(first)
    assert np.median([first for first in early if first]) < PLANNED / 2
    assert early.count(None) == 0


@pytest.mark.parametrize("seed", range(20))
def test_as_many_topics_as_are_foreseen_settle_it_if_all_stays_as_it_is(seed):
    rng = np.random.default_rng(seed)
    estimate = Estimate(value=rng.uniform(0.005, 0.05), error=0.03, freedom=19, n=20)
    (order,) = orders_of([("a", "b")], [estimate], planned=PLANNED)
    if order.needed is None:
        assert estimate.value < 0.01
        return
    for topics, settled in ((order.needed, True), (order.needed - 1, order.needed == 20)):
        later = estimate._replace(error=0.03 * math.sqrt(20 / topics), freedom=topics - 1, n=topics)
        (then,) = orders_of([("a", "b")], [later], planned=PLANNED)
        assert (then.better == "b") is settled


def test_nothing_is_foreseen_where_all_topics_say_the_same():
    (order,) = orders_of([("a", "b")], [Estimate(0.0, math.nan, math.nan, 12)], planned=PLANNED)
    assert (order.better, order.needed) == (None, None)


def test_runs_are_compared_on_the_topics_that_have_grades():
    topics = [str(number) for number in range(30)]
    runs = {
        "good": pl.DataFrame({"topic": topics * 2, "docno": ["x"] * 30 + ["y"] * 30, "score": [2.0] * 30 + [1.0] * 30}),
        "bad": pl.DataFrame({"topic": topics * 2, "docno": ["y"] * 30 + ["x"] * 30, "score": [2.0] * 30 + [1.0] * 30}),
    }
    graded = topics[:24]
    right = ["y" if number % 8 == 0 else "x" for number in range(24)]
    qrels = pl.DataFrame({"topic": graded, "docno": right, "grade": [1] * 24})
    (order,) = orders_so_far(runs, qrels, "P@1", planned=30)
    assert (order.first, order.second, order.better, order.decision.value) == ("good", "bad", "good", -0.75)
