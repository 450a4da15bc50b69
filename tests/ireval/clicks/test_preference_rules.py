"""The five rules on the example by which Joachims explains them, and their laws."""

import pytest
from hypothesis import given

from ireval.clicks import RULES, BadClicks, click_preferences
from tests.ireval.clicks.builders import any_sessions, sessions_from

# Joachims et al. 2007, section 5: l1* l2 l3* l4 l5* l6 l7, clicked in the order 3, 1, 5.
EXAMPLE = "q: 1*2 2 3*1 4 5*3 6 7"


def pairs(sessions, rule):
    return {f"{better}>{worse}" for better, worse in click_preferences(sessions, rule).select("preferred", "over").rows()}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("skip-above", {"3>2", "5>2", "5>4"}),
        ("last-skip-above", {"5>2", "5>4"}),
        ("earlier-click", {"1>3", "5>1", "5>3"}),
        ("skip-previous", {"3>2", "5>4"}),
        ("no-click-next", {"1>2", "3>4", "5>6"}),
    ],
)
def test_joachims_example(rule, expected):
    assert pairs(sessions_from(EXAMPLE), rule) == expected


def test_the_last_click_is_the_last_in_time_and_not_in_rank():
    assert pairs(sessions_from("q: 1 2*2 3 4*1"), "last-skip-above") == {"2>1"}
    assert pairs(sessions_from("q: 1 2* 3 4*", timed=False), "last-skip-above") == {"4>1", "4>3"}


def test_clicks_without_times_have_no_earlier_one():
    assert not pairs(sessions_from("q: 1* 2*", timed=False), "earlier-click")
    assert not pairs(sessions_from("q: 1*5 2*5"), "earlier-click")


def test_a_click_on_the_last_document_has_no_next_one():
    assert not pairs(sessions_from("q: 1 2*", "p: 3"), "no-click-next")


def test_impressions_are_counted_for_and_against_by_query():
    sessions = sessions_from("q: a b*", "q: a b*", "q: b a*", "p: a b*")
    preferences = click_preferences(sessions, "skip-above").rows()
    assert preferences == [("q", "b", "a", 2, 1), ("p", "b", "a", 1, 0), ("q", "a", "b", 1, 2)]


@given(any_sessions())
def test_the_stricter_rules_say_nothing_that_the_laxer_one_does_not(sessions):
    above = pairs(sessions, "skip-above")
    assert pairs(sessions, "last-skip-above") <= above
    assert pairs(sessions, "skip-previous") <= above


def naive(sessions, rule):
    """By the definition, one impression after the other."""
    indices = []
    for start, end in zip(sessions.start[:-1], sessions.start[1:], strict=True):
        clicked, order = sessions.clicked[start:end], sessions.order[start:end]
        every = range(end - start)
        last = max((i for i in every if clicked[i]), key=lambda i: (order[i], i), default=None)
        says = {
            "skip-above": lambda i, j, c=clicked: c[i] and not c[j] and j < i,
            "last-skip-above": lambda i, j, c=clicked, last=last: i == last and not c[j] and j < i,
            "earlier-click": lambda i, j, o=order: o[i] > o[j] > 0,
            "skip-previous": lambda i, j, c=clicked: c[i] and not c[j] and j == i - 1,
            "no-click-next": lambda i, j, c=clicked: c[i] and not c[j] and j == i + 1,
        }[rule]
        indices += [(start + i, start + j) for i in every for j in every if says(i, j)]
    return sorted(indices)


@pytest.mark.parametrize("rule", RULES)
@given(sessions=any_sessions())
def test_rules_are_what_they_are_defined_to_be(rule, sessions):
    better, worse = RULES[rule][1](sessions)
    assert sorted(zip(better.tolist(), worse.tolist(), strict=True)) == naive(sessions, rule)


def test_an_unknown_rule_is_refused():
    with pytest.raises(BadClicks, match="there is no rule guess; expected one of skip-above"):
        click_preferences(sessions_from("q: a*"), "guess")
