"""How often people click, where, and how soon; and clicks beside what was expected."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given

from ireval.agreement import wilson_interval
from ireval.clicks import BadClicks, coec, ctr_by_rank, median_seconds, rates, sessions_of
from tests.ireval.clicks.builders import any_sessions, sessions_from


def named(sessions, k=10):
    return {rate.name: rate for rate in rates(sessions, k)}


def test_rates_worked_by_hand():
    sessions = sessions_from("q: a b*4 c", "q: a*9 b c*2", "q: b a c", "p: d*3")
    by_name = named(sessions, 2)
    assert [by_name[name].value for name in ("ctr@2", "abandonment", "clicks")] == [0.75, 0.25, 1.0]
    assert by_name["first-click-rr"].value == pytest.approx((1 / 2 + 1 / 3 + 1) / 3)
    assert by_name["seconds"].value == 3.0
    assert by_name["seconds"].n == 3
    assert median_seconds(sessions) == 3.0
    assert ctr_by_rank(sessions).select("shown", "clicked").rows() == [(4, 2), (3, 1), (3, 1)]


def test_an_interval_of_seconds_has_no_end_but_its_own():
    quick = named(sessions_from("q: a*0.2", "q: a*1", "q: a*0.9", "q: a*1"))
    assert quick["seconds"].high > 1
    assert named(sessions_from("q: a*", "q: b*", "q: a*", "q: a"))["ctr@10"].high == 1


def test_without_an_order_of_clicks_the_highest_one_is_the_first():
    by_name = named(sessions_from("q: a b* c*", timed=False))
    assert by_name["first-click-rr"].value == 0.5
    assert math.isnan(by_name["seconds"].value)
    assert by_name["seconds"].undefined == "there is nothing to count"


def test_who_clicks_elsewhere_has_not_abandoned():
    row = {"impression": "1", "query": "q", "document": "a", "rank": 1, "clicks": 0, "elsewhere": 2}
    by_name = named(sessions_of(pl.DataFrame([row])))
    assert (by_name["abandonment"].value, by_name["clicks"].value, by_name["ctr@10"].value) == (0, 2, 0)


def test_impressions_of_one_session_make_intervals_wider():
    shown = ["q: a*", "q: a*", "q: a", "q: a"] * 5
    alone = named(sessions_from(*shown))["ctr@10"]
    rows = pl.DataFrame(
        [(str(n), "q", "a", 1, int("*" in text), str(n % 4)) for n, text in enumerate(shown)],
        schema=["impression", "query", "document", "rank", "clicks", "session"],
        orient="row",
    )
    together = named(sessions_of(rows))["ctr@10"]
    assert together.value == alone.value
    assert together.high - together.low > alone.high - alone.low


def shown_in_sessions(clicks, session):
    rows = [(str(n), "q", "a", 1, click, str(code)) for n, (click, code) in enumerate(zip(clicks, session, strict=True))]
    names = ["impression", "query", "document", "rank", "clicks", "session"]
    return sessions_of(pl.DataFrame(rows, schema=names, orient="row"))


def test_a_rank_that_sessions_repeat_says_as_much_as_each_session_once():
    """Four equal impressions a session are one vote a session, but for the n − 1 by which both variances are divided."""
    clicks = [1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    (repeated,) = ctr_by_rank(shown_in_sessions(np.repeat(clicks, 4), np.repeat(np.arange(20), 4))).rows()
    n = 80 / (4 * (20 / 19) / (80 / 79))
    low, high = wilson_interval(n / 4, n)
    assert repeated[1:4] == (80, 20, 0.25)
    assert repeated[4:] == (pytest.approx(float(low)), pytest.approx(float(high)))


def test_sessions_of_one_impression_leave_wilsons_interval():
    (row,) = ctr_by_rank(shown_in_sessions([1, 0, 1, 0, 0, 0], range(6))).rows()
    assert row[4:] == tuple(pytest.approx(float(end)) for end in wilson_interval(2, 6))


def test_sessions_that_are_alike_leave_wilsons_interval():
    (row,) = ctr_by_rank(shown_in_sessions([1, 0, 1, 0, 1, 0], [0, 0, 1, 1, 2, 2])).rows()
    assert row[4:] == tuple(pytest.approx(float(end)) for end in wilson_interval(3, 6))


@pytest.mark.parametrize("clicks", [[0, 0, 0, 0], [1, 1, 1, 1]])
def test_where_nobody_or_everybody_clicks_there_is_nothing_to_be_alike(clicks):
    (row,) = ctr_by_rank(shown_in_sessions(clicks, [0, 0, 1, 1])).rows()
    assert row[4:] == tuple(pytest.approx(float(end)) for end in wilson_interval(sum(clicks), 4))


@given(any_sessions())
def test_shares_stay_shares_and_a_deeper_look_finds_more(sessions):
    shares = [named(sessions, k)[f"ctr@{k}"].value for k in (1, 2, 5)]
    assert shares == sorted(shares)
    assert shares[-1] + named(sessions)["abandonment"].value == pytest.approx(1)
    for rate in rates(sessions):
        assert math.isnan(rate.low) or 0 <= rate.low <= rate.value <= rate.high


def test_clicks_over_expected_clicks_by_hand():
    sessions = sessions_from("q: a* b", "q: a* b*", "q: b a", "q: b a")
    by_document = dict(
        zip(*coec(sessions, shrinkage=0).select("document", "coec").to_dict(as_series=False).values(), strict=True)
    )
    assert by_document == {"a": pytest.approx(2 / (1 / 2 + 1 / 2 + 1 / 4 + 1 / 4)), "b": pytest.approx(1 / 1.5)}
    halfway = coec(sessions, shrinkage=1.5).filter(pl.col("document") == "a")["shrunk"].item()
    assert halfway == pytest.approx((2 + 1.5) / (1.5 + 1.5))


@given(any_sessions())
def test_expected_clicks_add_up_to_clicks_and_shrinking_moves_towards_one(sessions):
    table = coec(sessions)
    assert table["expected"].sum() == pytest.approx(table["clicks"].sum())
    known = table.drop_nulls(["coec", "shrunk"])
    assert (np.abs(known["shrunk"] - 1) <= np.abs(known["coec"] - 1) + 1e-9).all()


def test_more_shrinkage_than_none_is_needed():
    with pytest.raises(BadClicks, match="the shrinkage is -1"):
        coec(sessions_from("q: a*"), shrinkage=-1)
