"""Experiments by the API: drafted, changed, started, stopped; by whom."""

import pytest

from judging.experiments import lifecycle
from judging.models import Experiment, Site

pytestmark = pytest.mark.django_db
EXPERIMENTS = "/api/v1/experiments/"
ARMS = [{"name": "control", "is_control": True}, {"name": "new", "weight": 3}]


@pytest.fixture
def site(researcher):
    return Site.objects.create(name="Bird shop", slug="bird-shop", owner=researcher)


@pytest.fixture
def made(rita, site):
    """Rita's draft, as the API showed it."""
    response = rita.post(EXPERIMENTS, {"site": site.pk, "name": "new-ranking", "arms": ARMS, "group": "rankings", "traffic": 40})
    assert response.status_code == 201, response.data
    return response.data


def test_a_draft_and_its_whole_life(rita, made):
    address = f"{EXPERIMENTS}{made['id']}/"
    assert (made["state"], made["group"], made["unit"]) == ("draft", "rankings", "client")
    assert [(arm["name"], arm["weight"]) for arm in made["arms"]] == [("control", 1), ("new", 3)]
    changed = rita.patch(address, {"group": None, "segments": ["device"], "arms": [*ARMS, {"name": "newer"}]}).data
    assert (changed["group"], changed["traffic"], len(changed["arms"])) == (None, 40, 3)
    assert rita.post(address + "start/").data["state"] == "running"
    assert rita.post(address + "stop/").data["state"] == "stopped"
    assert [
        experiment["id"] for experiment in rita.get(EXPERIMENTS, {"state": "stopped", "site": made["site"]}).data["results"]
    ] == [made["id"]]
    assert rita.get(EXPERIMENTS, {"state": "draft"}).data["count"] == 0


def test_a_draft_can_be_deleted(rita, made):
    assert rita.delete(f"{EXPERIMENTS}{made['id']}/").status_code == 204
    assert not Experiment.objects.exists()


def test_what_has_started_is_frozen(rita, made):
    address = f"{EXPERIMENTS}{made['id']}/"
    rita.post(address + "start/")
    for ask in (
        lambda: rita.patch(address, {"traffic": 50}),
        lambda: rita.delete(address),
        lambda: rita.post(address + "start/"),
    ):
        response = ask()
        assert (response.status_code, "started" in response.data["detail"]) == (409, True)
    rita.post(address + "stop/")
    assert rita.post(address + "stop/").status_code == 409
    assert Experiment.objects.get().traffic == 40


def test_a_salt_is_given_and_not_taken(rita, made):
    rita.patch(f"{EXPERIMENTS}{made['id']}/", {"salt": "mine", "state": "running"})
    assert (Experiment.objects.get().salt, Experiment.objects.get().state) == (made["salt"], "draft")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"arms": [{"name": "a"}, {"name": "A"}]}, "arms"),
        ({"arms": [{"name": "a", "is_control": True}, {"name": "b", "is_control": True}]}, "arms"),
        ({"arms": [{"name": "a b"}]}, "arms"),
        ({"arms": [{"name": "a", "weight": 0}]}, "arms"),
        ({"traffic": 0}, "traffic"),
        ({"traffic": 101}, "traffic"),
        ({"name": "two words"}, "name"),
        ({"metrics": "ctr"}, "metrics"),
        ({"segments": [""]}, "segments"),
    ],
)
def test_mistakes_stand_with_their_field(rita, made, fields, field):
    response = rita.patch(f"{EXPERIMENTS}{made['id']}/", fields)
    assert (response.status_code, list(response.data)) == (400, [field])


def test_a_name_that_is_taken_is_a_conflict(rita, made, site):
    response = rita.post(EXPERIMENTS, {"site": site.pk, "name": "new-ranking"})
    assert (response.status_code, "already has" in response.data["detail"]) == (409, True)


def test_what_is_unfinished_does_not_start(rita, made):
    address = f"{EXPERIMENTS}{made['id']}/"
    rita.patch(address, {"arms": []})
    assert rita.post(address + "start/").status_code == 409


def test_readers_read_and_strangers_see_nothing(rita, sid, made, site, stranger):
    address = f"{EXPERIMENTS}{made['id']}/"
    assert sid.get(address).status_code == 404
    assert sid.post(EXPERIMENTS, {"site": site.pk, "name": "mine"}).status_code == 400
    site.readers.add(stranger)
    assert sid.get(address).data["name"] == "new-ranking"
    assert sid.post(EXPERIMENTS, {"site": site.pk, "name": "mine"}).status_code == 400
    for ask in (lambda: sid.patch(address, {"traffic": 1}), lambda: sid.delete(address), lambda: sid.post(address + "start/")):
        assert ask().status_code == 404
    lifecycle.start(Experiment.objects.get(), by=None)
    assert sid.post(address + "stop/").status_code == 404
