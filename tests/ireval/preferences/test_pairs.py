"""Two systems: counts, the score's interval by its definition, topics that vote once, and laws."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from ireval.preferences import preference, preferences, topic_table, votes_of
from ireval.significance.clusters import variance
from tests.ireval.preferences.builders import any_frame, swapped, votes_from

VOTES = votes_from(
    *("q1 a b left x", "q1 b a right y", "q1 a b tie z"),
    *("q2 a b left x", "q2 b a left y", "q2 b a both_bad z"),
    *("q3 b a right x", "q3 a b left y", "q4 b a left z", "q5 a b tie x"),
)


def test_everything_is_counted():
    comparison = preference(VOTES, "a", "b")
    assert (comparison.n, comparison.wins, comparison.ties, comparison.losses, comparison.both_bad) == (10, 5, 3, 2, 1)
    assert (comparison.items, comparison.topics, comparison.workers) == (5, 5, 3)
    assert comparison.score.value == 0.65


def test_a_topic_votes_once_by_what_its_votes_say_together():
    """Of the five the first and third are won, the second and fifth tied, the fourth lost."""
    assert preference(VOTES, "a", "b").by_topics[:4] == ("topics", 2, 2, 1)
    assert preference(VOTES, "a", "b").by_votes[:4] == ("votes", 5, 3, 2)


def test_topics_one_by_one():
    rows = topic_table(VOTES, "b", "a").rows()
    assert rows[0] == ("q1", 3, 0, 1, 2, 0, pytest.approx(1 / 6))
    assert rows[1] == ("q2", 3, 1, 1, 1, 1, 0.5)
    assert [row[0] for row in rows] == ["q1", "q2", "q3", "q4", "q5"]


def variance_by_definition(influence, first, second):
    """Sums over all pairs of votes that share a cluster, each kind with its own factor."""

    def part(cluster):
        g = len(set(cluster))
        n = len(cluster)
        return g / (g - 1) * sum(influence[i] * influence[j] for i in range(n) for j in range(n) if cluster[i] == cluster[j])

    return part(first) + part(second) - part(list(zip(first, second, strict=True)))


def test_the_interval_is_that_of_cameron_gelbach_and_miller():
    score = preference(VOTES, "a", "b").score
    influence = (VOTES.points - 0.65) / 10
    expected = variance_by_definition(influence.tolist(), VOTES.topic.tolist(), VOTES.worker.tolist())
    assert score.error == pytest.approx(math.sqrt(expected))
    assert score.freedom == 2
    assert score.p == pytest.approx(2 * stats.t.sf(0.15 / score.error, 2))
    wide = stats.t.ppf(0.975, 2) * score.error
    assert (score.low, score.high) == (pytest.approx(max(0, 0.65 - wide)), pytest.approx(min(1, 0.65 + wide)))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.floats(-1, 1)), min_size=4, max_size=20))
def test_a_variance_is_no_less_than_that_of_independent_votes(rows):
    first, second, parts = (np.array(column) for column in zip(*rows, strict=True))
    assume(min(len(set(first)), len(set(second))) > 1)
    parts = parts - parts.mean()
    expected = variance_by_definition(parts.tolist(), first.tolist(), second.tolist())
    both = [f"{topic} {worker}" for topic, worker in zip(first, second, strict=True)]
    alone = variance_by_definition(parts.tolist(), both, both)
    independent = len(parts) / (len(parts) - 1) * float(parts @ parts)
    assert variance(parts, first, second) == pytest.approx(max(expected, alone, independent), abs=1e-12)


def test_one_vote_a_topic_by_many_workers_is_the_usual_standard_error():
    votes = votes_from(*(f"q{n} a b {'left' if n % 3 else 'right'} w{n}" for n in range(30)))
    points = votes.points
    assert preference(votes, "a", "b").score.error == pytest.approx(points.std(ddof=1) / math.sqrt(30))


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (["q1 a b left x", "q1 a b right y"], "there is a single topic"),
        (["q1 a b left x", "q2 a b right x"], "there is a single worker"),
        (["q1 a b tie x", "q2 a b both_bad y"], "all votes say the same"),
    ],
)
def test_what_cannot_be_said_says_why(rows, reason):
    score = preference(votes_from(*rows), "a", "b").score
    assert score.undefined == reason
    assert np.isnan([score.low, score.high, score.error, score.p]).all()


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(("topics", "workers"), [(2, 2), (9, 4), (6, 6), (30, 3), (5, 40)])
def test_workers_who_all_say_the_same_are_no_surer_than_a_sign_test_over_their_votes(topics, workers, side):
    votes = votes_from(*(f"q{topic} a b {side} w{worker}" for topic in range(topics) for worker in range(workers)))
    result = preference(votes, "a", "b")
    assert result.score.value in (0, 1) and result.score.error == pytest.approx(0.5 / math.sqrt(topics * workers))
    assert result.score.p >= result.by_votes.dropped
    assert 0 <= result.score.low < result.score.high <= 1


def same(comparison, other):
    """Two preferences, but for rounding."""
    assert comparison[:10] == other[:10]
    assert comparison.score[:5] == pytest.approx(other.score[:5], nan_ok=True)
    assert comparison.by_topics[1:] == pytest.approx(other.by_topics[1:])
    assert comparison.by_votes[1:] == pytest.approx(other.by_votes[1:])


@given(any_frame(), st.data())
def test_sides_and_the_order_of_rows_do_not_matter(frame, data):
    other = swapped(frame, data.draw(st.lists(st.booleans(), min_size=len(frame), max_size=len(frame))))
    other = other[data.draw(st.permutations(range(len(frame))))]
    ours, theirs = preferences(votes_of(frame)), preferences(votes_of(other))
    for comparison, again in zip(ours, theirs, strict=True):
        same(comparison, again)


@given(any_frame(systems=2))
def test_seen_from_the_other_system_everything_is_turned_round(frame):
    votes = votes_of(frame)
    comparison, other = preference(votes, "a", "b"), preference(votes, "b", "a")
    assert (comparison.wins, comparison.ties, comparison.losses) == (other.losses, other.ties, other.wins)
    assert comparison.score.value == pytest.approx(1 - other.score.value)
    assert comparison.score.low == pytest.approx(1 - other.score.high, nan_ok=True)
    assert comparison.by_topics[4:] == pytest.approx(other.by_topics[4:])


@given(any_frame())
def test_names_of_systems_do_not_matter(frame):
    names = {"a": "z", "b": "c", "c": "b", "d": "a"}
    renamed = frame.with_columns(pl.col("left", "right").replace(names))
    for comparison in preferences(votes_of(frame)):
        same(
            preference(votes_of(renamed), names[comparison.first], names[comparison.second])._replace(
                first=comparison.first, second=comparison.second
            ),
            comparison,
        )


@given(any_frame(systems=2))
def test_the_topics_table_adds_up(frame):
    votes = votes_of(frame)
    table, comparison = topic_table(votes, "a", "b"), preference(votes, "a", "b")
    assert table.select(pl.col("n", "wins", "ties", "losses", "both_bad").sum()).row(0) == comparison[2:7]
    assert (table["score"] * table["n"]).sum() / comparison.n == pytest.approx(comparison.score.value)
    assert [int((table["score"] > 0.5).sum()), int((table["score"] < 0.5).sum())] == [
        comparison.by_topics.wins,
        comparison.by_topics.losses,
    ]
