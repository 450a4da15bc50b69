"""Merged lists: logged once with what gives clicks their credit, and the control's list where nothing is to be merged."""

from collections import Counter

import numpy as np
import pytest

from ireval.experiments import sample_ratio
from ireval.interleaving import Interleaved, credit
from judging.experiments import lifecycle
from judging.experiments.interleaving import BadLists, NoExperiment, merge
from judging.models import Quarantined, Query

pytestmark = pytest.mark.django_db
LISTS = {"control": ["a", "b", "c", "d"], "new": ["b", "e", "a", "f"]}


@pytest.fixture
def begin(draft, researcher):
    def begin(**settings):
        made = draft(**{"kind": "interleaving", "depth": 4, **settings})
        lifecycle.start(made, by=researcher)
        return made

    return begin


@pytest.fixture
def ask(site):
    def ask(lists=LISTS, name="new-ranking", client_id="c1", **other):
        return merge(site, name, lists, user_query="owls", client_id=client_id, **other)

    return ask


def logged_ranking(query, lists):
    """What the engine makes of the record alone."""
    kept = query.raw["query_attributes"]["interleaving"]
    rankings = tuple(tuple(lists[arm]) for arm in kept["arms"])
    shown = Interleaved(kept["method"], rankings, tuple(query.hits), np.array(kept["shares"]))
    assert [list(places) for places in shown.depths] == kept["places"]
    return shown


@pytest.mark.parametrize("method", ["team_draft", "balanced", "probabilistic"])
def test_what_is_shown_is_logged_with_what_gives_credit(begin, ask, method):
    begin(method=method)
    answer = ask(session_id="s1", user_id="u1", query_id="q1", timestamp="2026-11-20T10:00:00Z")
    query = Query.objects.get()
    assert answer == ("q1", query.hits, "")
    assert (query.text, query.arms, query.time.isoformat()) == (
        "owls",
        {"new-ranking": "interleaved"},
        "2026-11-20T10:00:00+00:00",
    )
    assert None not in (query.client, query.person, query.session)
    shown = logged_ranking(query, LISTS)
    for document in answer.ranking:
        expected = shown.shares[answer.ranking.index(document)] if method != "balanced" else None
        worth = credit(shown, [document])
        assert (worth == expected).all() if expected is not None else worth.max() == 1


def test_each_search_has_a_lot_of_its_own_and_both_lead_as_often(begin, ask):
    begin()
    first = Counter(ask().ranking[0] for _ in range(200))
    assert not sample_ratio([first["a"], first["b"]]).mismatch
    assert Query.objects.values("query").distinct().count() == 200


def test_asked_again_it_is_the_same_and_logged_once(begin, ask):
    begin()
    answers = [ask(query_id="q1") for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0].logged
    assert Query.objects.count() == 1
    assert not Quarantined.objects.exists()


def test_many_lists(begin, ask):
    arms = ("control", "new", "newer")
    begin(arms=arms)
    lists = {arm: [f"{arm}-{rank}" for rank in range(9)] for arm in arms}
    answer = ask(lists)
    shown = logged_ranking(Query.objects.get(), lists)
    assert len(answer.ranking) == 4
    assert (shown.shares.sum(axis=1) == 1).all()
    assert all(document.startswith(arms[team]) for document, team in zip(answer.ranking, shown.teams, strict=True))


@pytest.mark.parametrize("state", ["draft", "stopped"])
def test_of_what_does_not_run_the_control_s_list_is_shown(begin, draft, ask, researcher, state):
    if state == "draft":
        draft(kind="interleaving", depth=3)
    else:
        lifecycle.stop(begin(depth=3), by=researcher)
    answer = ask(query_id="q1")
    assert answer == ("q1", ["a", "b", "c"], "it is not running")
    assert not answer.logged
    assert not Query.objects.exists()


def test_outside_the_share_the_control_s_list_is_shown(begin, ask):
    begin(traffic=25)
    answers = [ask(client_id=f"c{number}") for number in range(200)]
    inside = sum(answer.logged for answer in answers)
    assert not sample_ratio([inside, 200 - inside], [25, 75]).mismatch
    assert {tuple(answer.ranking) for answer in answers if not answer.logged} == {("a", "b", "c", "d")}
    assert Query.objects.count() == inside


def test_where_users_count_nobody_without_a_name_is_in_it(begin, ask):
    begin(unit="user")
    assert ask().why == "the unit is not in it"
    assert ask(user_id="u1").logged


@pytest.mark.parametrize(
    ("lists", "says"),
    [
        ({}, "lists names no arm; expected control, new"),
        ({"control": ["a"]}, "lists names control; expected control, new"),
        ({**LISTS, "newer": ["a"]}, "expected control, new"),
        ({**LISTS, "new": ["a", "a"]}, "ranking 2 has a document twice. Rankings are those of control, new"),
    ],
)
def test_lists_that_cannot_be_merged(begin, ask, lists, says):
    begin()
    with pytest.raises(BadLists, match=says):
        ask(lists)
    assert not Query.objects.exists()


def test_lists_without_results_are_merged_too(begin, ask):
    begin()
    assert ask({"control": [], "new": []}).ranking == []
    assert ask({"control": [], "new": ["b"]}).ranking == ["b"]


def test_a_search_that_cannot_be_logged_is_said(begin, ask):
    begin()
    with pytest.raises(BadLists, match="timestamp that is none: tomorrow"):
        ask(timestamp="tomorrow")


def test_other_experiments_are_named(begin, ask, draft):
    with pytest.raises(NoExperiment, match=r"“new-ranking” that has arms\. There is none"):
        ask()
    begin(name="other")
    with pytest.raises(NoExperiment, match="There is: other"):
        ask()
    draft()
    with pytest.raises(NoExperiment, match="A/B test"):
        ask()
