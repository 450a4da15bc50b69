"""The report of interleaving: lists merged by the service, clicks as a site sends them, credit as the engine gives it."""

import math
from collections import defaultdict
from datetime import timedelta

import pytest

from ireval.interleaving import Credits, compare_interleaved
from judging.experiments.arms import forget
from judging.experiments.interleaving import merge
from judging.logs.intake import receive
from judging.models import Arm, Experiment
from metrics.kinds.interleaving import evidence, parts
from tests.metrics.logs.conftest import START

pytestmark = pytest.mark.django_db
LISTS = {"control": ["a", "b", "c", "d"], "new": ["c", "e", "a", "f"]}


@pytest.fixture(params=["team_draft", "balanced", "probabilistic"])
def experiment(request, site, researcher):
    experiment = Experiment.objects.create(
        site=site,
        name="merged",
        kind="interleaving",
        method=request.param,
        depth=4,
        created_by=researcher,
        state="running",
        started=START,
        salt="0123456789abcdef",
    )
    for name in LISTS:
        Arm.objects.create(experiment=experiment, name=name, is_control=name == "control")
    forget(site)
    return experiment


def click(client, at, query, document):
    about = {"event_attributes": {"object": {"object_id": document}}}
    return {"action_name": "click", "client_id": client, "timestamp": at, "query_id": query} | about


def search(site, client, number, clicked):
    """A merged list is asked for, and of what is shown those documents are clicked."""
    moment = START + timedelta(days=1, minutes=number)
    query = f"{client}-{number}"
    shown = merge(site, "merged", LISTS, user_query="Owls", client_id=client, query_id=query, timestamp=moment.isoformat())
    assert shown.logged
    at = (moment + timedelta(seconds=9)).isoformat()
    receive(site, [click(client, at, query, document) for document in clicked])
    return query


def credit_of(site, experiment, clicks):
    """By the engine, impression by impression, from what the service merged."""
    from ireval.interleaving import credit, interleave
    from judging.experiments.arms import running_on
    from judging.experiments.interleaving import seed_of

    running, worths = running_on(site)["merged"], defaultdict(list)
    for query, clicked in clicks.items():
        merged = interleave(running.method, [LISTS[arm] for arm in running.arms], running.depth, seed_of(running, query))
        for arm, worth in zip(running.arms, credit(merged, clicked), strict=True):
            worths[arm].append(worth)
    return worths


@pytest.fixture
def clicks(site, experiment):
    """Of eight clients, some clicks each, by the query's id."""
    wanted = [["a"], ["c"], ["e", "c"], [], ["a", "b"], ["c", "a"], ["e"], ["b", "e"]]
    return {search(site, f"u{n % 5}", n, documents): documents for n, documents in enumerate(wanted)}


def test_credit_is_what_the_engine_gives(site, experiment, clicks, compute):
    wanted = credit_of(site, experiment, clicks)
    by = "credit" if experiment.method == "probabilistic" else "wins"
    users = [query.split("-")[0] for query in clicks]
    expected = compare_interleaved(Credits(users, ["owls"] * len(users), wanted), systems=["control", "new"], by=by)
    result = compute(experiment).result
    comparison = result["whole"]["pairs"][0]["analysis"]
    for name in ("wins", "ties", "losses", "without_credit", "users"):
        assert comparison[name] == getattr(expected, name), name
    assert comparison["delta"] == pytest.approx(expected.delta)
    p = comparison["score"]["p"]
    assert (math.isnan(expected.score.p) and p is None) or p == pytest.approx(expected.score.p)
    (query,) = result["queries"]
    assert query["query"] == "owls"
    assert (query["impressions"], query["users"]) == (8, 5)
    assert query["credit_0"] == pytest.approx(sum(wanted["control"]))
    assert query["credit_1"] == pytest.approx(sum(wanted["new"]))


def test_parts_make_the_same_whole(site, experiment, clicks, compute, monkeypatch):
    whole = compute(experiment).result
    monkeypatch.setattr(evidence, "ROWS_A_PART", 3)
    report = compute(experiment)
    assert report.parts.count() > 2
    assert report.result["whole"] == whole["whole"]
    assert report.result["counts"]["impressions"] == whole["counts"]["impressions"] == 8


def test_programs_give_no_credit(site, experiment, clicks, compute):
    before = compute(experiment).result
    merge(site, "merged", LISTS, user_query="owls", client_id="bot", query_id="b1", agent="Examplebot/1.0")
    receive(site, [click("bot", (START + timedelta(days=2)).isoformat(), "b1", "a")])
    result = compute(experiment).result
    assert result["whole"] == before["whole"]
    assert (result["counts"]["impressions"], result["counts"]["kept"], result["counts"]["bots"]) == (9, 8, 1)


def test_without_a_click_there_is_nothing_to_say(site, experiment, compute):
    search(site, "u1", 1, [])
    result = compute(experiment).result
    assert result["whole"] is None
    assert result["counts"]["impressions"] == 1


def test_without_an_impression_too(experiment, compute):
    assert compute(experiment).result["counts"]["impressions"] == 0


def test_of_each_impression_nothing_is_kept_in_the_end(site, experiment, clicks, compute):
    assert not compute(experiment).tables.exists()


@pytest.mark.parametrize("most", [1, parts.LISTS_A_PIECE])
def test_a_search_that_was_logged_badly_first_counts_as_it_was_logged_well(site, experiment, compute, monkeypatch, most):
    """Whether both are read at once or not."""
    monkeypatch.setattr(parts, "LISTS_A_PIECE", most)
    search(site, "ada", 1, [])
    at = (START + timedelta(days=2)).isoformat()
    about = {"query_id": "twice", "client_id": "bob", "user_query": "owls", "query_response_hit_ids": ["a", "c"]}
    for minutes, shares in enumerate(([[1, 0]], [[1, 0], [0, 1]], [[0, 1], [1, 0]])):
        made = {"method": experiment.method, "arms": list(LISTS), "shares": shares, "places": [[1, None], [None, 1]]}
        moment = (START + timedelta(days=2, minutes=minutes)).isoformat()
        attributes = {"experiment": "merged", "arm": "interleaved", "interleaving": made}
        receive(site, [{**about, "timestamp": moment, "query_attributes": attributes}])
    receive(site, [click("bob", at, "twice", "a")])
    result = compute(experiment).result
    assert (result["counts"]["impressions"], result["counts"]["kept"]) == (2, 2)
    assert [(query["credit_0"], query["credit_1"]) for query in result["queries"]] == [(1, 0)]
