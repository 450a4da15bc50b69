"""Votes as arrays: what counts, what repeats another, and what is refused."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given

from ireval.preferences import BadVotes, votes_of
from tests.ireval.preferences.builders import any_frame, frame_from, votes_from


def test_a_vote_gives_points_to_the_system_that_comes_first():
    votes = votes_from("q1 a b left x", "q1 b a left y", "q2 b a tie x", "q2 a b both_bad y", "q3 b a right x")
    assert votes.systems == ("a", "b")
    assert votes.points.tolist() == [1, 0, 0.5, 0.5, 1]


def test_the_same_item_the_other_way_round_is_a_repeat_and_no_vote():
    votes = votes_from("q1 a b left x", "q1 b a left y", "q1 b a left x")
    assert (len(votes), votes.repeats.vote.tolist(), votes.repeats.winner.tolist()) == (2, [0], [0])
    assert votes.before.tolist() == [0, 0]


def test_which_one_repeats_the_other_is_decided_by_the_order_of_the_votes():
    frame = frame_from("q1 b a tie x", "q1 a b left x", "q2 a b left x").with_columns(order=pl.Series([9, 3, 5]))
    votes = votes_of(frame)
    assert votes.points.tolist() == [1, 1]
    assert votes.before.tolist() == [0, 1]
    assert votes.repeats.vote.tolist() == [0]


@pytest.mark.parametrize("when", [["10", "9", "8"], ["2026-01-03", "2026-01-02", "2026-01-01"], [3.5, 2.5, None]])
def test_order_is_any_that_sorts_and_what_has_none_comes_last(when):
    votes = votes_of(frame_from("q1 a b left x", "q2 a b left x", "q3 a b left x").with_columns(order=pl.Series(when)))
    assert votes.before.tolist() == ([1, 0, 2] if None in when else [2, 1, 0])


def test_repeats_go_where_their_votes_go():
    votes = votes_from("q1 a b left x", "q1 a c left x", "q1 b c tie x", "q1 c b left x", "q1 c a left x")
    assert votes.between("b", "c").repeats == (np.array([0]), np.array([0]))
    pairs = [
        (pair.systems[pair.low[0]], pair.systems[pair.high[0]], len(pair), len(pair.repeats.vote)) for pair in votes.by_pair()
    ]
    assert pairs == [("a", "b", 1, 0), ("a", "c", 1, 1), ("b", "c", 1, 1)]


def test_an_item_may_be_of_several_pairs():
    votes = votes_from("q1 a b left x", "q1 a c left x", "q1 b a left y")
    assert votes.unit[0] == votes.unit[2] != votes.unit[1]


def test_topic_seconds_and_rows_without_a_winner():
    frame = frame_from("1 a b left x", "2 a b left x", "3 a b left x")
    frame = frame.with_columns(topic=pl.lit("t"), seconds=pl.Series(["3.5", "", "1"]), winner=pl.Series(["tie", "left", None]))
    votes = votes_of(frame)
    assert (votes.topics, votes.left_out, votes.seconds[0]) == (("t",), 1, 3.5)
    assert np.isnan(votes.seconds[1])


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([], "there are no votes"),
        (["q1 a b neither x"], 'the winner is "neither"; expected left, right, tie or both_bad'),
        (["q1 a a left x"], "there are no votes"),
        (["q1 a b left x", "q1 a b tie x"], "worker x votes again on item q1"),
        (["q1 a b left x", "q1 b a tie x", "q1 b a tie x"], "worker x votes again on item q1"),
    ],
)
def test_what_is_refused(rows, complaint):
    with pytest.raises(BadVotes, match=complaint):
        votes_from(*rows)


def test_columns_that_lack_or_hold_what_they_should_not():
    frame = frame_from("q1 a b left x", "q1 a b left y")
    with pytest.raises(BadVotes, match="there is no column winner"):
        votes_of(frame.drop("winner"))
    with pytest.raises(BadVotes, match="column worker has an empty cell"):
        votes_of(frame.with_columns(worker=pl.Series(["x", ""])))
    with pytest.raises(BadVotes, match="item q1 is of two topics, 1 and 2"):
        votes_of(frame.with_columns(topic=pl.Series(["1", "2"])))
    for seconds in (["3", "soon"], [3.0, -1.0], [3.0, float("inf")]):
        with pytest.raises(BadVotes, match="expected a number from 0"):
            votes_of(frame.with_columns(seconds=pl.Series(seconds)))


def test_systems_that_nobody_compared():
    votes = votes_from("q1 a b left x", "q1 c b left x")
    for pair, complaint in ((("a", "c"), "no vote is on a and c"), (("a", "a"), "no vote"), (("a", "z"), "there is no system z")):
        with pytest.raises(BadVotes, match=complaint):
            votes.between(*pair)


@given(any_frame())
def test_every_pair_has_its_votes_once(frame):
    votes = votes_of(frame)
    parts = list(votes.by_pair())
    assert sum(map(len, parts)) == len(votes)
    assert len(parts) == votes.pair_count
    for part in parts:
        names = votes.systems[part.low[0]], votes.systems[part.high[0]]
        assert votes.between(*names).item.tolist() == part.item.tolist()
