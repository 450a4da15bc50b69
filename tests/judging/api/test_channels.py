import pytest

from judging.models import Arrival, Channel, Worker
from judging.recruiting import arrivals, channels
from judging.recruiting.arrivals import Claim
from judging.work import departure

PLACEHOLDERS = "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"


@pytest.fixture
def address(running):
    return f"/api/v1/studies/{running.pk}/channels/"


@pytest.fixture
def came(running, researcher):
    channel = channels.add_channel(running, by=researcher, source="prolific", completed_code="C1")
    return arrivals.consent(channel, Claim("participant1", "submission1", "st1"))


def test_a_channel_leads_in_until_it_is_revoked(rita, client, address):
    made = rita.post(address, {"source": "prolific", "label": "pilot", "completed_code": "C1", "webhook_secret": "sealed"})
    assert made.status_code == 201
    channel = made.json()
    assert channel["address"].endswith(PLACEHOLDERS)
    assert channel["webhook"].endswith(f"/hooks/{channel['id']}/")
    assert (channel["participant_parameter"], channel["came"]) == ("PROLIFIC_PID", 0)
    assert channel["has_webhook_secret"] and "sealed" not in made.content.decode()
    entry = channel["address"].split("?")[0]
    assert client.get(entry + "?PROLIFIC_PID=a&SESSION_ID=b").url.endswith("/not-signed/")
    rita.patch(f"{address}{channel['id']}/", {"signed_links": False})
    assert client.get(entry + "?PROLIFIC_PID=a&SESSION_ID=b").url == "/arrive/"
    revoked = rita.post(f"{address}{channel['id']}/revoke/").json()
    assert revoked["revoked"] and revoked["address"] is None
    assert rita.get(address).json()["count"] == 1


def test_links_are_to_be_signed_wherever_the_marketplace_can(rita, address):
    made = {source: rita.post(address, {"source": source}).json() for source in ("prolific", "connect")}
    assert [channel["signed_links"] for channel in made.values()] == [True, False]
    assert rita.post(address, {"source": "prolific", "signed_links": False}).json()["signed_links"] is False
    for refused in (
        rita.post(address, {"source": "connect", "signed_links": True}),
        rita.patch(f"{address}{made['connect']['id']}/", {"signed_links": True}),
    ):
        assert refused.status_code == 400 and "does not sign links" in str(refused.json()["signed_links"])


def test_only_what_is_sent_is_changed(rita, address):
    channel = rita.post(address, {"source": "connect", "completed_code": "C1", "label": "one"}).json()
    changed = rita.patch(f"{address}{channel['id']}/", {"screened_out_code": "S1", "session_parameter": "aid"}).json()
    assert (changed["completed_code"], changed["screened_out_code"], changed["label"]) == ("C1", "S1", "one")
    assert changed["session_parameter"] == "aid"
    assert changed["address"] == channel["address"]
    moved = rita.patch(f"{address}{channel['id']}/", {"source": "prolific"})
    assert moved.status_code == 400 and "stays with its marketplace" in str(moved.json())


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "source"),
        ({"source": "mturk"}, "source"),
        ({"completed_code": "https://evil.example/"}, "completed_code"),
        ({"no_consent_code": "a b"}, "no_consent_code"),
        ({"participant_parameter": "a=b"}, "participant_parameter"),
        ({"participant_parameter": "STUDY_ID"}, "participant_parameter"),
        ({"keys": [1]}, "keys"),
        ({"keys": {"keys": []}}, "keys"),
        ({"webhook_secret": "x" * 201}, "webhook_secret"),
        ({"label": "x" * 121}, "label"),
    ],
)
def test_what_cannot_be_right_is_refused_by_its_field(rita, address, fields, field):
    answer = rita.post(address, {"source": "prolific", **fields} if fields.keys() - {"source"} else fields)
    assert answer.status_code == 400
    assert field in answer.json()
    assert not Channel.objects.exists()


def test_a_draft_has_no_channels(rita, study):
    refused = rita.post(f"/api/v1/studies/{study.pk}/channels/", {"source": "prolific"})
    assert refused.status_code == 409 and "Launch" in refused.json()["detail"]


def test_a_stranger_makes_sees_and_erases_nothing(sid, address, running, came):
    assert sid.post(address, {"source": "prolific"}).status_code == 404
    assert sid.get(f"{address}{came.channel_id}/").status_code == 404
    arrival_address = f"/api/v1/studies/{running.pk}/arrivals/{came.pk}/"
    assert sid.get(arrival_address).status_code == sid.post(f"{arrival_address}erase/").status_code == 404
    assert Arrival.objects.get().participant == "participant1"


def test_arrivals_say_what_became_of_people_but_not_who_they_are(rita, running, came):
    departure.leave(came.worker, "completed")
    [row] = rita.get(f"/api/v1/studies/{running.pk}/arrivals/").json()["results"]
    assert (row["outcome"], row["code"], row["worker"], row["judgements"]) == ("completed", "C1", str(came.worker), 0)
    assert row["ended"]
    assert not row.keys() & {"participant", "submission", "their_study", "participant_hash", "submission_hash"}


def test_a_member_may_ask_for_the_ids(rita, running, came):
    address = f"/api/v1/studies/{running.pk}/arrivals/"
    [arrival] = rita.get(f"{address}?ids=true").json()["results"]
    assert (arrival["participant"], arrival["submission"], arrival["their_study"]) == ("participant1", "submission1", "st1")
    assert rita.get(f"{address}{came.pk}/?ids=true").json()["participant"] == "participant1"
    assert "participant" not in rita.get(f"{address}{came.pk}/?ids=false").json()


def test_an_admin_who_is_no_member_may_not(as_user, admin, running, came):
    address = f"/api/v1/studies/{running.pk}/arrivals/"
    ada = as_user(admin)
    assert ada.get(address).status_code == 200
    refused = ada.get(f"{address}?ids=true")
    assert refused.status_code == 403 and "members" in refused.json()["detail"]


def test_erasing_keeps_the_worker_and_forgets_the_person(rita, running, came):
    arrival_address = f"/api/v1/studies/{running.pk}/arrivals/{came.pk}/"
    erased = rita.post(f"{arrival_address}erase/")
    assert erased.status_code == 200 and erased.json()["erased"]
    assert rita.get(f"{arrival_address}?ids=true").json()["participant"] == ""
    assert Worker.objects.filter(pk=came.worker_id).exists()


def test_lists_cost_the_same_however_long(rita, running, researcher, django_assert_max_num_queries):
    for number in range(6):
        channel = channels.add_channel(running, by=researcher, source="connect")
        arrivals.consent(channel, Claim(f"p{number}", f"s{number}"))
    rita.get("/api/v1/users/me/")
    for what in ("channels", "arrivals"):
        with django_assert_max_num_queries(8):
            assert rita.get(f"/api/v1/studies/{running.pk}/{what}/").json()["count"] == 6
