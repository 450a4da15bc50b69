"""Sites, their keys, records and quarantine, by the API: for their owners, and for nobody else."""

import pytest

from judging.logs import keys, record_list, resubmission, sites
from judging.logs.intake import receive
from judging.models import Event, Site, WriteKey
from tests.judging.api.conftest import V1
from tests.judging.logs.sent import click, query


@pytest.fixture
def site(researcher):
    return sites.make(by=researcher, name="Bird shop")


@pytest.fixture
def address(site):
    return f"{V1}/sites/{site.pk}"


def test_a_site_is_made_with_a_key_and_can_be_sent_to_at_once(rita, client):
    made = rita.post(f"{V1}/sites/", {"name": "Bird shop", "origins": "https://Shop.example/"}).json()
    assert (made["slug"], made["owner"], made["origins"]) == ("bird-shop", "rita", "https://shop.example")
    key = rita.post(f"{V1}/sites/{made['id']}/keys/", {"label": "nightly"}).json()["key"]
    sent = client.post(f"{V1}/log/", click(), content_type="application/json", headers={"Authorization": f"Bearer {key}"})
    assert sent.json()["accepted"] == 1
    assert Event.objects.get().site_id == made["id"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "name"),
        ({"name": "A", "slug": "not a slug"}, "slug"),
        ({"name": "A", "origins": "shop.example"}, "origins"),
        ({"name": "A", "has_page": True}, "has_page"),
        ({"name": "A", "readers": ["nobody"]}, "readers"),
        ({"name": "A", "collection": 10**9}, "collection"),
        ({"name": "A", "first_ordinal": 2}, "first_ordinal"),
        ({"name": "A", "keep_days": 0}, "keep_days"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(rita, fields, field):
    refused = rita.post(f"{V1}/sites/", fields)
    assert refused.status_code == 400
    assert list(refused.json()) == [field]
    assert not Site.objects.exists()


@pytest.mark.parametrize("fields", [{"name": "BIRD SHOP"}, {"name": "Other", "slug": "bird-shop"}])
def test_what_is_taken_is_a_conflict(rita, site, fields):
    assert rita.post(f"{V1}/sites/", fields).status_code == 409
    assert Site.objects.count() == 1


def test_some_settings_are_changed(rita, address, stranger):
    changed = rita.patch(f"{address}/", {"readers": ["sid"], "keep_days": 30}).json()
    assert (changed["readers"], changed["keep_days"], changed["name"]) == (["sid"], 30, "Bird shop")


def test_a_collection_that_its_page_searches_is_not_taken_away(rita, site, address, collection):
    assert rita.patch(f"{address}/", {"collection": collection.pk, "has_page": True}).status_code == 200
    assert rita.patch(f"{address}/", {"collection": None}).status_code == 400
    assert rita.patch(f"{address}/", {"collection": None, "has_page": False}).status_code == 200


def test_readers_find_nothing_here(sid, site, address, stranger):
    site.readers.add(stranger)
    assert sid.get(f"{V1}/sites/").json()["count"] == 0
    for path in ("", "keys/", "records/", "quarantine/"):
        assert sid.get(f"{address}/{path}").status_code == 404


def test_the_list_of_keys_shows_none(rita, site, address):
    key = keys.key_text(site.keys.get())
    listed = rita.get(f"{address}/keys/")
    assert key not in listed.content.decode()
    assert listed.json()["results"][0]["ends"] == key[-4:]


def test_a_revoked_key_is_revoked(rita, site, address):
    key = site.keys.get()
    assert rita.post(f"{address}/keys/{key.pk}/revoke/").json()["revoked"]
    assert keys.site_of(keys.key_text(key)) is None
    assert rita.post(f"{V1}/sites/{site.pk + 1}/keys/{key.pk}/revoke/").status_code == 404


def test_records_come_a_page_at_a_time(rita, site, address, monkeypatch):
    receive(site, [query(), *(click(event_id=f"e{n}") for n in range(record_list.A_PAGE + 1))])
    first = rita.get(f"{address}/records/").json()
    second = rita.get(f"{address}/records/", {"after": first["next"]}).json()
    assert (len(first["records"]), len(second["records"]), second["next"]) == (record_list.A_PAGE, 1, None)
    assert not {record["place"] for record in first["records"]} & {record["place"] for record in second["records"]}
    shown = rita.get(f"{address}/records/", {"kind": "queries"}).json()["records"]
    assert shown[0]["record"]["user_query"] == "diet of owls"
    assert shown[0]["record"]["client_id"].startswith("~")
    assert rita.get(f"{address}/records/", {"action": "buy"}).json()["records"] == []


@pytest.mark.parametrize("choice", [{"kind": "x"}, {"after": "1"}, {"after": "\0"}, {"action": "\0"}])
def test_odd_questions_for_records(rita, address, choice):
    assert rita.get(f"{address}/records/", choice).status_code == 400


def test_refused_records_are_listed_and_sent_in_again(rita, site, address, monkeypatch):
    monkeypatch.setattr(resubmission, "MOST", 2)
    receive(site, [{"nothing": 1}, {"nothing": 2}])
    receive(site, [click()], kind="query")
    listed = rita.get(f"{address}/quarantine/").json()
    assert (listed["count"], listed["results"][0]["kind"]) == (3, "rejected")
    first = rita.post(f"{address}/quarantine/replay/").json()
    assert (first["sent"], first["rejected"]) == (2, 2)
    rest = rita.post(f"{address}/quarantine/replay/", {"after": first["next"]}).json()
    assert rest == {"sent": 1, "accepted": 1, "duplicate": 0, "conflict": 0, "rejected": 0, "next": None}
    assert rita.get(f"{address}/quarantine/").json()["count"] == 2


def test_one_reason_alone(rita, site, address):
    receive(site, [{"nothing": 1}])
    receive(site, [click()], kind="query")
    done = rita.post(f"{address}/quarantine/replay/", {"why": "has neither user_query (a query) nor action_name (an event)"})
    assert done.json()["sent"] == 1
    assert not Event.objects.exists()


def test_a_deleted_site_is_gone(rita, address):
    assert rita.delete(f"{address}/").status_code == 204
    assert not WriteKey.objects.exists()
