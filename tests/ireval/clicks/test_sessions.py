"""What was shown and clicked, as arrays."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given

from ireval.clicks import BadClicks, click_preferences, coec, ctr_by_rank, fit, sessions_of
from tests.ireval.clicks.builders import any_sessions, sessions_from

NEEDED = ["impression", "query", "document", "rank", "clicks"]


def frame_of(*rows) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=NEEDED, orient="row")


def test_documents_stand_in_the_order_of_their_ranks_whichever_row_comes_first():
    sessions = sessions_of(frame_of(("2", "q", "b", 7, 1), ("1", "q", "c", 1, 0), ("2", "q", "a", 3, 0)))
    assert [sessions.documents[code] for code in sessions.document] == ["a", "b", "c"]
    assert sessions.start.tolist() == [0, 2, 3]
    assert sessions.spread(sessions.clicks, -1).tolist() == [[0, 1], [0, -1]]


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [3, 0, 4, 1, 2]])
def test_names_are_coded_in_the_order_of_impressions_and_ranks(order):
    rows = [("1", "q", "c", 2, 0), ("1", "q", "a", 1, 0), ("2", "p", "b", 1, 1), ("2", "p", "c", 2, 0), ("2", "p", "a", 3, 0)]
    sessions = sessions_of(frame_of(*rows)[order])
    assert (sessions.queries, sessions.documents) == (
        (("q", "p"), ("a", "c", "b")) if order[0] == 0 else (("p", "q"), ("b", "c", "a"))
    )
    assert [sessions.documents[code] for code in sessions.document] == (list("acbca") if order[0] == 0 else list("bcaac"))


def test_clicks_are_in_the_order_of_their_seconds_if_all_have_them():
    assert sessions_from("q: a*9 b c*2").order.tolist() == [2, 0, 1]
    rows = frame_of(("1", "q", "a", 1, 1), ("1", "q", "b", 2, 1)).with_columns(seconds=pl.Series([3.0, None]))
    assert sessions_of(rows).order.tolist() == [0, 0]


def test_an_impression_is_a_session_and_a_user_of_its_own_unless_told():
    rows = frame_of(("1", "q", "a", 1, 0), ("2", "q", "a", 1, 0))
    assert sessions_of(rows).session.tolist() == [0, 1]
    together = sessions_of(rows.with_columns(session=pl.lit("s"), user=pl.lit("ann")))
    assert (together.session.tolist(), together.users) == ([0, 0], ("ann",))


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([("1", "q", "a", 1, 0), ("1", "q", "a", 2, 0)], "impression 1 shows document a twice"),
        ([("1", "q", "a", 1, 0), ("1", "p", "b", 2, 0)], "impression 1 has two queries"),
        ([("1", "q", "a", 1, -1)], "row 1: column clicks is -1; expected a whole number from 0"),
        ([("1", "q", None, 1, 1)], "column document has an empty cell"),
        ([], "nothing was shown"),
    ],
)
def test_what_cannot_be_is_refused(rows, complaint):
    with pytest.raises(BadClicks, match=complaint):
        sessions_of(frame_of(*rows))


def test_a_missing_column_is_named():
    with pytest.raises(BadClicks, match="there is no column rank"):
        sessions_of(frame_of(("1", "q", "a", 1, 0)).drop("rank"))


@given(any_sessions())
def test_two_parts_have_every_session_once(sessions):
    training, held_out = sessions.split(0.5, seed=3)
    both = np.r_[training.session, held_out.session]
    assert sorted(both) == sorted(sessions.session)
    assert training.clicks.sum() + held_out.clicks.sum() == sessions.clicks.sum()


def test_taken_impressions_keep_what_they_showed():
    sessions = sessions_from("q: a b*", "p: c* d e", "q: e*")
    taken = sessions.take(np.array([2, 1]))
    assert [taken.documents[code] for code in taken.document] == ["e", "c", "d", "e"]
    assert taken.total_clicks.tolist() == [1, 1]


def test_a_single_session_cannot_be_split():
    with pytest.raises(BadClicks, match=r"too few sessions \(1\) to hold out 0.5"):
        sessions_from("q: a").split(0.5)


@pytest.mark.parametrize("column", ["clicks", "order", "elsewhere"])
@pytest.mark.parametrize("value", [-1, 1e300, float("inf")])
def test_counts_are_whole_and_within_bounds(column, value):
    frame = frame_of(("1", "q", "a", 1, 1), ("1", "q", "b", 2, 1)).with_columns(pl.Series(column, [1.0, value]))
    with pytest.raises(BadClicks, match=rf"^row 2: column {column} is (.*; expected a whole number|inf: fill it in)"):
        sessions_of(frame)


def test_verbs_take_a_frame():
    frame = frame_of(("1", "q", "a", 1, 1), ("1", "q", "b", 2, 0), ("2", "q", "a", 1, 0))
    sessions = sessions_of(frame)
    assert ctr_by_rank(frame).equals(ctr_by_rank(sessions))
    assert coec(frame, shrinkage=1).equals(coec(sessions, shrinkage=1))
    assert click_preferences(frame, "skip-above").equals(click_preferences(sessions, "skip-above"))
    assert fit(frame, "cascade").pairs.equals(fit(sessions, "cascade").pairs)
