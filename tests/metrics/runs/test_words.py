"""What a report claims in words: no more than its numbers."""

import pytest

from judging.models import Qrels
from metrics.kinds.runs.results import Estimate, Outcome
from metrics.kinds.runs.words import about_few, about_judged, headline


def outcome(name: str, mean: float | None, half: float | None = 0.1, topics: int = 30, judged: float = 1.0) -> Outcome:
    low, high = (None, None) if mean is None or half is None else (mean - half, mean + half)
    return Outcome(1, name, 1, topics, {"AP": Estimate(mean, low, high)}, judged, [])


@pytest.mark.parametrize(
    ("outcomes", "result"),
    [
        ([outcome("a", 0.5)], "a reaches AP 0.5000 (95 % interval 0.4000 to 0.6000), 30 topics."),
        (
            [outcome("b", 0.3, 0.05), outcome("a", 0.5)],
            "a has the highest AP: 0.5000 (95 % interval 0.4000 to 0.6000), 30 topics.",
        ),
        ([outcome("a", 0.5, None, 1), outcome("b", 0.4, None, 1)], "a has the highest AP: 0.5000, 1 topic."),
        ([outcome("a", None), outcome("b", 0.2)], "b has the highest AP: 0.2000 (95 % interval 0.1000 to 0.3000), 30 topics."),
        ([outcome("a", None)], "No topic of these runs is in the qrels, so there is nothing to average."),
    ],
    ids=["alone", "apart", "one topic", "one without topics", "no topic"],
)
def test_the_headline_says_which_is_highest(outcomes, result):
    assert headline(outcomes, "AP") == result


def test_where_less_is_better_the_lowest_is_the_best():
    outcomes = [
        Outcome(1, name, 1, 30, {"E@5": Estimate(mean, mean - 0.05, mean + 0.05)}, 1.0, [])
        for name, mean in (("b", 0.5), ("a", 0.3))
    ]
    assert headline(outcomes, "E@5").startswith("a has the lowest E@5: 0.3000")


def test_runs_that_are_equal_are_not_said_to_differ():
    summary = headline([outcome("a", 0.5), outcome("b", 0.5)], "AP")
    assert summary.startswith("a and b share the highest AP: 0.5000")


def test_among_several_qrels_it_says_under_which():
    summary = headline([outcome("a", 0.5), outcome("b", 0.1)], "AP", "gold")
    assert summary.startswith("a has the highest AP under “gold”: 0.5000")


@pytest.mark.parametrize(
    ("topics", "says"),
    [
        ([3, 3], "Under “gold” only 3 topics count: intervals of means may be too narrow, 50 are needed."),
        ([1, 1], "Under “gold” only 1 topic counts: intervals of means may be too narrow, 50 are needed."),
        ([4, 30], "Under “gold” only 4 to 30 topics count: intervals of means may be too narrow, 50 are needed."),
        ([50, 70], ""),
        ([0, 0], ""),
    ],
)
def test_few_topics_are_a_reason_for_care(topics, says):
    assert about_few(Qrels(name="gold"), [outcome("a", 0.5, topics=count) for count in topics]) == says


@pytest.mark.parametrize(
    ("shares", "says"),
    [
        ([0.38, 0.9], "only 38 % of run 0's first ten documents are judged. "),
        ([0.5, 0.38], "only 38 % of run 1's first ten documents are judged; 1 other run is below 60 % too. "),
        ([0.5, 0.38, 0.4], "only 38 % of run 1's first ten documents are judged; 2 other runs are below 60 % too. "),
    ],
)
def test_how_little_was_judged_is_said_of_the_worst_and_counted_for_the_others(shares, says):
    rows = [outcome(f"run {place}", 0.5, judged=share) for place, share in enumerate(shares)]
    assert says in about_judged(Qrels(name="gold"), rows)
