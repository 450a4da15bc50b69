"""What workers do: sides, mirrored repeats, agreement, learning."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval.agreement import Resampling, wilson_interval
from ireval.preferences import consistency, learning, side_bias, vote_agreement, vote_labels, votes_of
from tests.ireval.preferences.builders import any_frame, frame_from, swapped, votes_from

ONCE = Resampling(resamples=1)


def test_the_share_of_left_among_decided_votes():
    votes = votes_from(*(f"q{n} a b {'left' if n < 15 else 'right'} w{n % 2}" for n in range(20)), "q99 b a tie w0")
    bias = side_bias(votes)
    assert (bias.decided, bias.left, bias.share) == (20, 15, 0.75)
    assert (bias.low, bias.high) == pytest.approx([float(end) for end in wilson_interval(15, 20)])
    assert bias.p == pytest.approx(stats.binomtest(15, 20).pvalue)
    assert bias.by_worker.select("worker", "decided", "left").rows() == [("w0", 10, 8), ("w1", 10, 7)]
    assert bias.by_worker["p"].to_list() == pytest.approx([stats.binomtest(8, 10).pvalue, stats.binomtest(7, 10).pvalue])


def test_without_decided_votes_there_is_no_share():
    bias = side_bias(votes_from("q1 a b tie x"))
    assert (bias.decided, bias.p, len(bias.by_worker)) == (0, 1, 0)
    assert np.isnan([bias.share, bias.low, bias.high]).all()


@given(any_frame())
def test_sides_changed_round_turn_the_bias(frame):
    bias, other = side_bias(votes_of(frame)), side_bias(votes_of(swapped(frame, [True] * len(frame))))
    assert (bias.decided, bias.left) == (other.decided, other.decided - other.left)
    assert bias.p == pytest.approx(other.p)


def test_mirrored_repeats():
    """The same system, the same side, a tie twice, a choice that becomes a tie, and a tie that becomes a choice."""
    votes = votes_from(
        *("q1 a b left x", "q2 a b left x", "q3 a b tie x", "q4 a b right x", "q5 a b both_bad x", "q6 a b left x"),
        *("q1 b a right x", "q2 b a left x", "q3 b a both_bad x", "q4 b a tie x", "q5 b a left x"),
    )
    repeats = consistency(votes, ONCE)
    assert repeats[:7] == (5, 1, 1, 1, 1, 1, 0.4)
    assert (repeats.low, repeats.high) == pytest.approx([float(end) for end in wilson_interval(2, 5)])
    # First a a t b t, then a b t t b: two of five agree, by chance 2/5 · 1/5 + 2/5 · 2/5 + 1/5 · 2/5 do.
    assert repeats.kappa.value == pytest.approx((0.4 - 0.32) / (1 - 0.32))


def test_without_repeats_there_is_no_consistency():
    repeats = consistency(votes_from("q1 a b left x"))
    assert repeats.n == 0
    assert np.isnan([repeats.share, repeats.low, repeats.kappa.value]).all()
    assert repeats.kappa.undefined


def test_who_always_chooses_the_left_side_is_never_consistent():
    rows = [f"q{n} {pair} left x" for n in range(10) for pair in ("a b", "b a")]
    repeats = consistency(votes_from(*rows))
    assert (repeats.same_side, repeats.same_system, repeats.share) == (10, 0, 0)


def test_labels_are_seen_from_the_system_and_not_from_the_side():
    votes = votes_from("q1 a b left x", "q1 b a right y", "q1 b a tie z", "q2 a b left x", "q1 a c right x")
    labels = vote_labels(votes)
    assert labels.values == ("second", "tie", "first")
    assert dict(zip(labels.items, labels.counts.tolist(), strict=True)) == {
        "q1 a b": [0, 1, 2],
        "q1 a c": [1, 0, 0],
        "q2 a b": [0, 0, 1],
    }


def test_agreement_is_that_of_systems():
    coefficients = {
        coefficient.name: coefficient
        for coefficient in vote_agreement(votes_from("q1 a b left x", "q1 b a right y", "q2 a b left x", "q2 b a left y"))
    }
    assert coefficients["percent"].value == 0.5
    assert coefficients.keys() == {"percent", "cohen", "fleiss", "alpha", "alpha-ordinal"}


def test_more_pairs_of_systems_on_the_same_topics_make_agreement_no_surer():
    """On each topic the workers agree on all pairs or on none, so that every pair after the first adds nothing."""

    def width(systems):
        rows = [
            f"{system}{topic} {system} z {'left' if topic % 3 or worker == 'x' else 'right'} {worker}"
            for system in systems
            for topic in range(40)
            for worker in "xy"
        ]
        frame = frame_from(*rows).with_columns(topic=pl.col("item").str.slice(1))
        (percent,) = (row for row in vote_agreement(votes_of(frame)) if row.name == "percent")
        assert percent.topics == 40
        return percent.high - percent.low

    assert width("abcdef") == pytest.approx(width("a"))


@given(any_frame(), st.data())
def test_agreement_does_not_depend_on_sides(frame, data):
    other = swapped(frame, data.draw(st.lists(st.booleans(), min_size=len(frame), max_size=len(frame))))
    for coefficient, again in zip(vote_agreement(votes_of(frame), ONCE), vote_agreement(votes_of(other), ONCE), strict=True):
        assert coefficient.value == pytest.approx(again.value, nan_ok=True)


def test_who_learns_says_what_the_others_say():
    """Two agree throughout; the third is against them in the first half and with them in the second, and twice as fast."""
    rows = [f"q{n:02} a b left {worker}" for worker in "xy" for n in range(20)]
    rows += [f"q{n:02} a b {'right' if n < 10 else 'left'} z" for n in range(20)]
    seconds = [8.0] * 40 + [8.0] * 10 + [4.0] * 10
    progress = learning(votes_of(frame_from(*rows).with_columns(seconds=pl.Series(seconds))))
    # In the first half x and y agree with one of two others, which ties: half each; z with none.
    assert progress.tenths["agreement"].to_list() == pytest.approx([1 / 3] * 5 + [1] * 5)
    assert progress.tenths["votes"].to_list() == [6] * 10
    assert progress.tenths["seconds"].to_list() == [8] * 10
    assert progress.agreement.value == pytest.approx(2 / 3)
    assert progress.pace.value == pytest.approx(2 ** (-1 / 3))
    assert progress.pace.low < progress.pace.value < progress.pace.high


def test_the_interval_of_the_change_is_over_workers():
    """Each worker's votes are alike within halves, so that the change is the mean of one number a worker."""
    changes = [0.5, -0.25, 1.0, 0.0]
    rows = [f"q{n}{worker} a b left w{worker}" for worker in range(4) for n in range(10)]
    seconds = [math.exp(changes[worker] * (n >= 5)) for worker in range(4) for n in range(10)]
    pace = learning(votes_of(frame_from(*rows).with_columns(seconds=pl.Series(seconds)))).pace
    low, high = stats.t.interval(0.95, 3, np.mean(changes), np.std(changes, ddof=1) / 2)
    assert (pace.value, pace.low, pace.high) == pytest.approx(tuple(np.exp([np.mean(changes), low, high])))
    assert pace.freedom == 3


def test_learning_goes_by_the_order_of_votes_and_not_of_rows():
    frame = frame_from(*(f"q{n} a b left {worker}" for n in range(6) for worker in "xy"))
    frame = frame.with_columns(order=pl.int_range(12), seconds=pl.Series([float(12 - n // 2) for n in range(12)]))
    progress, other = learning(votes_of(frame)), learning(votes_of(frame.reverse()))
    assert progress.pace[:3] == pytest.approx(other.pace[:3], nan_ok=True)
    assert progress.tenths.equals(other.tenths)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (["q1 a b left x"], "no worker has votes in both halves to compare"),
        (["q1 a b left x", "q2 a b left x", "q1 a b left y"], "no worker has votes in both halves to compare"),
        (["q1 a b left x", "q2 a b left x", "q1 a b left y", "q2 a b left z"], "there is a single worker"),
    ],
)
def test_what_cannot_be_said_of_learning_says_why(rows, reason):
    progress = learning(votes_from(*rows))
    assert progress.agreement.undefined == reason
    assert progress.pace.undefined == "no worker has votes in both halves to compare"
    assert len(progress.tenths) == 10
