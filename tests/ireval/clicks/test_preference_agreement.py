"""How often each rule is right about two documents, by hand and on simulated logs."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given

from ireval.clicks import RULES, BadClicks, blind, click_preferences, ctr_by_rank, preference_agreement, sessions_of
from tests.ireval.clicks.builders import any_sessions, judged_log, sessions_from


def rules_of(sessions):
    return {rule: click_preferences(sessions, rule) for rule in RULES}


def judged(**grades):
    """Grades of documents of query q, or of others: q_a=2."""
    rows = [(*(("q", name) if "_" not in name else name.split("_")), grade) for name, grade in grades.items()]
    return pl.DataFrame(rows, schema=["query", "document", "grade"], orient="row")


def one_rule(sessions, rule="skip-above", **given_labels):
    (agreement,) = preference_agreement({rule: click_preferences(sessions, rule)}, **given_labels)
    return agreement


def test_shares_by_hand():
    """c over a and b, b over a: workers say so of the first and of the last, and that c is worse than b."""
    agreement = one_rule(sessions_from("q: a b c*", "q: a b* c", "q: a b c*"), judged=judged(a=0, b=2, c=1, d=3))
    assert (agreement.pairs, agreement.right.value, agreement.coverage) == (3, pytest.approx(2 / 3), 3 / 6)
    assert (agreement.impressions, agreement.impressions_right.value) == (2 + 2 + 1, pytest.approx(3 / 5))
    assert (agreement.rule, agreement.title, agreement.tied) == ("skip-above", "click > skip above", 0)
    assert agreement.right.undefined == "there is a single query"


def test_as_many_for_as_against_say_nothing_and_equal_grades_are_counted_apart():
    sessions = sessions_from("q: a b*", "q: b a*", "q: a c*")
    assert one_rule(sessions, judged=judged(a=0, b=1)).pairs == 0
    agreement = one_rule(sessions, judged=judged(a=1, b=0, c=1))
    assert (agreement.pairs, agreement.tied) == (0, 1)
    assert math.isnan(agreement.right.value)
    assert agreement.coverage == 0


def test_the_majority_of_impressions_decides_of_a_pair_and_each_counts_in_what_was_said():
    agreement = one_rule(sessions_from("q: a b*", "q: a b*", "q: b a*"), judged=judged(a=1, b=0))
    assert (agreement.pairs, agreement.right.value, agreement.impressions, agreement.impressions_right.value) == (
        1,
        0,
        3,
        pytest.approx(1 / 3),
    )


def test_what_workers_preferred_side_by_side_counts_before_their_grades():
    sessions = sessions_from("q: a b*", "q: c d*")
    votes = pl.DataFrame({"query": ["q"] * 4, "first": [*"abcd"], "second": [*"badc"], "score": [-1.0, -0.5, 2.0, 2.0]})
    agreement = one_rule(sessions, judged=judged(a=1, b=0), side_by_side=votes)
    assert (agreement.pairs, agreement.right.value, agreement.tied) == (1, 1, 1)
    assert one_rule(sessions, side_by_side=votes.filter(pl.col("first") == "a")).right.value == 1


def test_intervals_are_robust_to_queries():
    frame, workers = judged_log(2, queries=30, impressions=100)
    sessions = sessions_of(frame)
    agreements = preference_agreement(rules_of(sessions), workers)
    assert [agreement.rule for agreement in agreements] == list(RULES)
    for agreement in agreements:
        if agreement.rule != "earlier-click":
            assert agreement.right.freedom == agreement.queries - 1
            assert agreement.right.low < agreement.right.value < agreement.right.high
    earlier = {agreement.rule: agreement for agreement in agreements}["earlier-click"]
    assert (earlier.pairs, earlier.coverage, earlier.right.undefined) == (0, 0, "there is too little to compare")


def test_rules_are_right_more_often_than_of_people_who_see_nothing_but_ranks():
    frame, workers = judged_log(2, queries=40, impressions=200)
    sessions = sessions_of(frame)
    seeing, blindly = (preference_agreement(rules_of(log), workers) for log in (sessions, blind(sessions)))
    for agreement, other in zip(seeing, blindly, strict=True):
        if agreement.pairs:
            assert agreement.right.low > other.right.high
    # Even so half is no measure: what stands lower is worse more often than not.
    assert blindly[0].right.high < 0.5


def test_blind_people_click_as_often_at_every_rank():
    sessions = sessions_from(*["q: a b* c", "q: a* b c"] * 2000)
    rates = ctr_by_rank(blind(sessions, seed=4))["ctr"].to_numpy()
    assert rates == pytest.approx(np.array([0.5, 0.5, 0]), abs=0.03)
    assert blind(sessions).clicks.tolist() == blind(sessions).clicks.tolist() != blind(sessions, seed=1).clicks.tolist()
    assert blind(sessions_from("q: a*2 b*1")).order.tolist() == [1, 2]


@given(any_sessions())
def test_workers_who_say_what_a_rule_says_make_it_right(sessions):
    preferences = click_preferences(sessions, "no-click-next")
    votes = preferences.select("query", first="preferred", second="over", score=pl.col("count") - pl.col("against"))
    agreed = preference_agreement({"no-click-next": preferences}, side_by_side=votes)[0]
    decided = preferences.filter(pl.col("count") > pl.col("against"))
    assert agreed.pairs == len(decided)
    assert agreed.tied == 0
    if agreed.pairs:
        assert agreed.right.value == agreed.coverage == 1


@given(any_sessions())
def test_turning_all_grades_round_turns_what_is_right(sessions):
    grades = judged(**{f"{query}_{name}": ord(name) % 4 for query in ("owls", "swifts") for name in "abcdef"})
    turned = grades.with_columns(grade=3 - pl.col("grade"))
    for agreement, other in zip(
        *(preference_agreement(rules_of(sessions), given_labels) for given_labels in (grades, turned)), strict=True
    ):
        assert (agreement.pairs, agreement.impressions, agreement.tied) == (other.pairs, other.impressions, other.tied)
        if agreement.pairs:
            assert agreement.right.value + other.right.value == pytest.approx(1)
            assert agreement.impressions_right.value + other.impressions_right.value == pytest.approx(1)


def test_what_cannot_be_is_refused():
    with pytest.raises(BadClicks, match="there is no rule guess"):
        preference_agreement({"guess": pl.DataFrame()}, judged(a=1))
    with pytest.raises(BadClicks, match="neither grades nor preferences"):
        preference_agreement({})
    with pytest.raises(BadClicks, match="document a is compared to itself"):
        preference_agreement({}, side_by_side=pl.DataFrame({"query": ["q"], "first": ["a"], "second": ["a"], "score": [1]}))
    with pytest.raises(BadClicks, match="there is no column score"):
        preference_agreement({}, side_by_side=pl.DataFrame({"query": ["q"], "first": ["a"], "second": ["b"]}))
