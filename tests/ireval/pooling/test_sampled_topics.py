"""Whole topics in random order: what the first of them say of all is rarely wrong, whenever one looks, and exact in the end."""

import itertools

import numpy as np
import pytest

from ireval import BadInput, Scores, sampled_topics
from ireval.pooling.bets import AIMS, log_wealth
from ireval.pooling.sampled_topics import topics_as_draws
from ireval.significance import BadComparison

ORDER = tuple("abcdefgh")


def scores_of_topics(values, topics=ORDER, largest=1.0) -> Scores:
    values = np.asarray(values, float)
    return Scores(
        tuple(topics)[: len(values)], tuple(f"s{n}" for n in range(values.shape[1])), values, largest_difference=largest
    )


def test_bets_against_the_truth_win_nothing_on_average_over_all_orders():
    differences = np.array([[0.9], [-0.2], [0.4], [0.0], [-1.0]])
    truth, orders = differences.mean(axis=0), list(itertools.permutations(range(5)))
    for shift, win in ((0.0, pytest.approx(1)), (-0.1, None), (0.1, None)):
        worth = np.mean(
            [
                np.exp(log_wealth(topics_as_draws(differences[list(order)], 5, 1.0), truth + shift, AIMS[:, None])[3])
                for order in orders
            ]
        )
        assert worth == win if win is not None else (worth > 1) == (shift < 0)


def test_each_topic_is_unbiased_for_the_mean_of_all():
    differences = np.array([[0.9], [-0.2], [0.4], [0.0]])
    orders = [list(order) for order in itertools.permutations(range(4))]
    mean = np.mean([topics_as_draws(differences[order], 4, 1.0).value for order in orders], axis=0)
    assert mean[:, 0].tolist() == pytest.approx([differences.mean()] * 4)


def test_intervals_narrow_to_the_mean_of_all_topics():
    values = np.random.default_rng(1).random((8, 3))
    low, high = -np.ones(3), np.ones(3)
    for n in range(9):
        result = sampled_topics(scores_of_topics(values[:n].reshape(n, 3)), ORDER)
        assert result.n == n
        assert (result.low >= low - 1e-9).all() and (result.high <= high + 1e-9).all()
        assert (result.low <= result.estimate).all() and (result.estimate <= result.high).all()
        low, high = result.low, result.high
    truth = result.pairs.differences(values).mean(axis=0)
    assert low.tolist() == pytest.approx(truth.tolist()) == high.tolist() == result.estimate.tolist()


def test_topics_after_a_gap_wait():
    values = np.array([[0.9, 0.1], [0.8, 0.3], [0.2, 0.7]])
    with_gap = sampled_topics(scores_of_topics(values, "abd"), ORDER)
    assert with_gap.n == 2
    assert with_gap.table.equals(sampled_topics(scores_of_topics(values[:2], "ab"), ORDER).table)


def test_the_order_decides_and_not_the_rows():
    values = np.array([[0.9, 0.1], [0.8, 0.3], [0.2, 0.7]])
    shuffled = sampled_topics(scores_of_topics(values[::-1], "cba"), ORDER)
    assert shuffled.table.equals(sampled_topics(scores_of_topics(values, "abc"), ORDER).table)


def test_orders_are_settled_early_and_hardly_ever_wrongly():
    """Two systems on 150 topics in 200 orders, looked at after every topic, at a confidence of 0.8; one is better by 0.04."""
    rng = np.random.default_rng(5)
    wrong, needed = 0, []
    for number in range(200):
        values = np.clip(rng.normal((0.5, 0.54) if number % 2 else (0.5, 0.502), 0.12, (150, 2)), 0, 1)
        truth = np.sign(np.diff(values.mean(axis=0))[0])
        draws = topics_as_draws(np.diff(values, axis=1), 150, 1.0)
        sides = [log_wealth(each, np.zeros(1), AIMS[:, None])[:, 0] >= -np.log(0.1) for each in (draws, draws.reversed())]
        wrong += sides[0].any() if truth < 0 else sides[1].any()
        needed += [sides[0].argmax() if sides[0].any() else 150] if number % 2 else []
    assert wrong <= 40
    assert np.mean(needed) < 100


def test_intervals_that_hold_together_are_wider():
    order, values = [str(number) for number in range(60)], np.random.default_rng(2).random((40, 3)) * 0.3
    apart, together = (sampled_topics(scores_of_topics(values, order), order, together=each) for each in (False, True))
    assert (together.low < apart.low).all() and (together.high > apart.high).all()


def test_mistakes_are_explained():
    scores = scores_of_topics([[0.9, 0.1], [0.8, 0.3]])
    with pytest.raises(BadInput, match="the order of the topics names one twice"):
        sampled_topics(scores, "abca")
    with pytest.raises(BadInput, match="topic b has values and is not in the order"):
        sampled_topics(scores, "ac")
    with pytest.raises(BadComparison, match="the measure has no largest value"):
        sampled_topics(scores_of_topics([[0.9, 0.1]], largest=np.inf), ORDER)
