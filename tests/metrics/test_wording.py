"""What a report claims in words: no more than its numbers."""

import pytest

from metrics.results import Estimate, Outcome
from metrics.wording import headline


def outcome(name: str, mean: float | None, half: float | None = 0.1, topics: int = 30) -> Outcome:
    low, high = (None, None) if mean is None or half is None else (mean - half, mean + half)
    return Outcome(1, name, 1, topics, {"AP": Estimate(mean, low, high)}, 1.0, [])


@pytest.mark.parametrize(
    ("found", "result", "rivals"),
    [
        ([outcome("a", 0.5)], "a reaches AP 0.5000 (95 % interval 0.4000 to 0.6000), 30 topics.", ""),
        (
            [outcome("b", 0.3, 0.05), outcome("a", 0.5)],
            "a has the highest AP: 0.5000 (95 % interval 0.4000 to 0.6000), 30 topics.",
            "No other run's interval reaches into its interval.",
        ),
        (
            [outcome("a", 0.5), outcome("b", 0.45), outcome("c", 0.1)],
            "a has the highest AP: 0.5000 (95 % interval 0.4000 to 0.6000), 30 topics.",
            "The interval of b overlaps with it, so this alone does not tell them apart.",
        ),
        (
            [outcome("a", 0.5), outcome("b", 0.45), outcome("c", 0.4)],
            "a has the highest AP: 0.5000 (95 % interval 0.4000 to 0.6000), 30 topics.",
            "The intervals of 2 other runs overlap with it, so this alone does not tell them apart.",
        ),
        ([outcome("a", 0.5, None, 1), outcome("b", 0.4, None, 1)], "a has the highest AP: 0.5000, 1 topic.", ""),
        (
            [outcome("a", None), outcome("b", 0.2)],
            "b has the highest AP: 0.2000 (95 % interval 0.1000 to 0.3000), 30 topics.",
            None,
        ),
        ([outcome("a", None)], "No topic of these runs is in the qrels, so there is nothing to average.", ""),
    ],
    ids=["alone", "apart", "one rival", "two rivals", "one topic", "one without topics", "no topic"],
)
def test_the_headline_says_how_clear_the_best_is(found, result, rivals):
    said = headline(found, "AP")
    assert said.result == result
    if rivals is not None:
        assert said.rivals == rivals


def test_runs_that_are_equal_are_not_said_to_differ():
    said = headline([outcome("a", 0.5), outcome("b", 0.5)], "AP")
    assert said.result.startswith("a and b share the highest AP: 0.5000")
