"""What sites ask over HTTP with their write key: arms, and merged lists."""

import json
from collections import Counter
from itertools import count

import pytest

from ireval.experiments import assign, sample_ratio
from judging.experiments import drafts, lifecycle
from judging.logs import keys
from judging.models import Arm, Event, Experiment, Query, Site

pytestmark = pytest.mark.django_db
LISTS = {"control": ["a", "b", "c"], "new": ["b", "d", "a"]}
numbers = count(1)


@pytest.fixture
def site(researcher):
    return Site.objects.create(name="Bird shop", slug="bird-shop", owner=researcher)


@pytest.fixture
def authorised(site, researcher):
    return {"Authorization": f"Bearer {keys.key_text(keys.make(site, by=researcher))}"}


@pytest.fixture
def begin(site, researcher):
    def begin(name="new-ranking", kind="ab", **settings):
        arms = [Arm(name="control", weight=1, is_control=True), Arm(name="new", weight=3)]
        made = drafts.create(site, by=researcher, name=name, kind=kind, arms=arms, **settings)
        lifecycle.start(made, by=researcher)
        return made

    return begin


@pytest.fixture
def arm_of(client, authorised):
    """What the service says of a client or user."""

    def ask(**who):
        return client.get("/api/v1/assignments/", who, headers=authorised)

    return ask


@pytest.fixture
def merge(client, authorised):
    def merge(body=None, **other):
        body = {"experiment": "lists", "lists": LISTS, "user_query": "owls", "client_id": "c1"} | other if body is None else body
        body = body if isinstance(body, bytes) else json.dumps(body)
        return client.post("/api/v1/interleavings/", body, content_type="application/json", headers=authorised)

    return merge


def test_assignments_as_they_belong_into_records(arm_of, begin, client, authorised):
    begin()
    begin("signed-in", unit="user")
    response = arm_of(client_id="c1", user_id="u1")
    arms = {name: assignment["arm"] for name, assignment in response.json()["assignments"].items()}
    assert set(arms) == {"new-ranking", "signed-in"}
    assert response.json()["query_attributes"] == {"experiments": arms}
    assert response["Cache-Control"] == "no-store"
    record = {"user_query": "owls", "query_attributes": response.json()["query_attributes"]}
    assert client.post("/api/v1/log/", record, content_type="application/json", headers=authorised).json()["accepted"] == 1
    assert Query.objects.get().arms == arms


def test_over_http_arms_are_the_engine_s_and_have_their_weights(arm_of, begin):
    salt = begin().salt
    clients = [f"c{number}" for number in range(300)]
    arms = [arm_of(client_id=client).json()["assignments"]["new-ranking"]["arm"] for client in clients]
    assert arms == [("control", "new")[assign(client, salt, [1, 3])] for client in clients]
    counts = Counter(arms)
    assert not sample_ratio([counts["control"], counts["new"]], [1, 3]).mismatch


def test_who_is_in_nothing_gets_nothing(arm_of):
    assert arm_of(client_id="c1").json() == {"assignments": {}, "query_attributes": {}}


@pytest.mark.parametrize("who", [{}, {"client_id": " "}, {"user_id": ""}])
def test_somebody_has_to_be_named(arm_of, who):
    response = arm_of(**who)
    assert (response.status_code, "?client_id=" in response.json()["detail"]) == (400, True)


def test_both_need_a_write_key(client, begin, rita):
    begin()
    for ask in (client.get, rita.get):
        assert ask("/api/v1/assignments/?client_id=c1").status_code == 401
    assert client.post("/api/v1/interleavings/", {}, content_type="application/json").status_code == 401


def test_a_key_tells_of_its_own_site_only(client, begin, researcher):
    begin()
    other = Site.objects.create(name="Fish shop", slug="fish-shop", owner=researcher)
    key = keys.key_text(keys.make(other, by=researcher))
    assert client.get(f"/api/v1/assignments/?client_id=c1&key={key}").json()["assignments"] == {}


def test_pages_of_other_addresses_may_ask(client, begin, authorised):
    begin()
    response = client.get("/api/v1/assignments/?client_id=c1", headers=authorised | {"Origin": "https://shop.example"})
    assert response["Access-Control-Allow-Origin"] == "*"


def test_a_merged_list_and_the_click_that_follows(merge, begin, client, authorised):
    begin("lists", "interleaving")
    answer = merge(session_id="s1", timestamp="2026-11-20T10:00:00Z").json()
    assert (answer["logged"], set(answer["ranking"])) == (True, {"a", "b", "c", "d"})
    click = {"action_name": "click", "query_id": answer["query_id"], "client_id": "c1", "timestamp": "2026-11-20T10:00:09Z"}
    client.post("/api/v1/log/", click, content_type="application/json", headers=authorised)
    assert Event.objects.get().query == Query.objects.get().query
    assert merge(query_id=answer["query_id"], session_id="s1", timestamp="2026-11-20T10:00:00Z").json() == answer
    assert Query.objects.count() == 1


def test_ids_may_be_numbers_and_blanks_around_them_do_not_count(merge, begin):
    begin("lists", "interleaving")
    assert set(merge(lists={"control": [1, " 2"], "new": [2, 3.0]}).json()["ranking"]) == {"1", "2", "3"}
    assert set(Query.objects.get().hits) == {"1", "2", "3"}


def test_of_a_stopped_experiment_the_control_s_list(merge, begin, researcher):
    lifecycle.stop(begin("lists", "interleaving"), by=researcher)
    answer = merge(query_id="q1").json()
    assert answer == {"query_id": "q1", "ranking": ["a", "b", "c"], "logged": False, "why": "it is not running"}


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        (b"[]", "Send a JSON object"),
        (b"{", "JSON parse error"),
        ({}, "There is no experiment"),
        ({"client_id": ""}, "There is no client_id"),
        ({"client_id": {}}, "client_id is neither text nor a number"),
        ({"user_query": "\0"}, '{"user_query":["Null characters are not allowed."]}'),
        ({"experiment": "a\0"}, '{"experiment":["Null characters are not allowed."]}'),
        ({"lists": ["a"]}, "lists is no object"),
        ({"lists": {"control": "a", "new": []}}, "The list of control is none"),
        ({"lists": {"control": ["a"] * 1001, "new": []}}, "longer than 1,000"),
        ({"lists": {"control": ["a", None], "new": []}}, "holds what is no id of 1 to 200 characters"),
        ({"lists": {"control": ["a" * 201], "new": []}}, "holds what is no id"),
        ({"lists": {"control": ["\0"], "new": []}}, '{"lists":["Null characters are not allowed."]}'),
        ({"lists": {"\0": []}}, '{"lists":["Null characters are not allowed."]}'),
        ({"lists": {"control": ["a"]}}, "expected control, new"),
        ({"timestamp": "soon"}, "timestamp that is none"),
    ],
)
def test_errors_that_teach(merge, begin, sent, says):
    begin("lists", "interleaving")
    response = merge(sent) if isinstance(sent, bytes) or not sent else merge(**sent)
    assert (response.status_code, says in response.content.decode()) == (400, True), response.json()
    assert not Query.objects.exists()


def test_an_unknown_experiment_is_not_found_and_others_are_named(merge, begin):
    begin("other", "interleaving")
    response = merge()
    assert (response.status_code, "There is: other." in response.json()["detail"]) == (404, True)
    begin("lists")
    assert "A/B test" in merge().json()["detail"]


def test_what_is_asked_most_asks_the_database_little(arm_of, merge, begin, django_assert_max_num_queries):
    begin()
    begin("lists", "interleaving")
    arm_of(client_id="c1")
    merge()
    with django_assert_max_num_queries(0):
        arm_of(client_id="c2")
    with django_assert_max_num_queries(4):
        merge()
    assert Experiment.objects.count() == 2
