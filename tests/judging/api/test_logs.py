"""Sending queries and events over HTTP: by a write key, as JSON or in lines, in gzip, from servers and from browsers."""

import gzip
import json
import time

import pytest
from django.db import OperationalError

from ireval_site import throttle
from judging.logs import keys, request_bodies, site_deletion
from judging.models import Agent, Event, Quarantined, Query, Site
from tests.judging.logs.sent import click, query

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_time_passes(nothing_counted_of_other_tests, monkeypatch):
    """Limits by the second count as on a machine that is quick enough."""
    monkeypatch.setattr(throttle, "own", throttle.Own(clock=lambda: 0.0))


@pytest.fixture
def site(researcher):
    return Site.objects.create(name="Bird shop", slug="bird-shop", owner=researcher)


@pytest.fixture
def key(site, researcher):
    return keys.key_text(keys.make(site, by=researcher))


@pytest.fixture
def send(client, key):
    def send(body, path="/api/v1/log/", with_key=key, **headers):
        body = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        kind = headers.pop("content_type", "application/json")
        headers.setdefault("Authorization", f"Bearer {with_key}")
        return client.post(path, body, content_type=kind, headers=headers)

    return send


def lines(*records) -> str:
    return "\n".join(map(json.dumps, records))


def test_everything_sent_is_answered(send):
    answer = send(
        [query(), click(), click(), {"action_name": "click"}, click("d2", event_id="e"), click("d3", event_id="e")]
    ).json()
    statuses = [record["status"] for record in answer["records"]]
    assert statuses == ["accepted", "accepted", "duplicate", "rejected", "accepted", "conflict"]
    assert answer["sent"] == 6 == sum(answer[status] for status in ("accepted", "duplicate", "conflict", "rejected"))
    assert "timestamp" in answer["records"][3]["why"]


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(click()),
        json.dumps(click(), indent=2),
        json.dumps([click()]),
        lines(click()) + "\n\n",
        "\ufeff" + lines(click()),
        lines({"index": {"_index": "ubi_events"}}, click()),
        lines({"_source": click()}),
        json.dumps(json.dumps(click())),
        lines({"message": json.dumps(click()), "source_type": "kafka", "timestamp": "2026-11-20T10:00:00Z"}),
    ],
)
def test_one_record_in_every_shape(send, body):
    assert send(body).json()["accepted"] == 1
    assert Event.objects.get().object == "d1"


INDENTED = """{
  "user_query": "diet of owls",
  "query_response_hit_ids": [
    "d1",
    "d2"
  ],
  "query_attributes": {"experiments": [
    {"experiment": "ranker", "arm": "new"}
  ]}
}"""


def test_an_indented_query_is_one_record_although_some_of_its_lines_are_json_by_themselves(send):
    answer = send(INDENTED).json()
    assert (answer["sent"], answer["accepted"]) == (1, 1)
    assert (Query.objects.get().hits, Query.objects.get().arms) == (["d1", "d2"], {"ranker": "new"})


BATCHES = {
    "Vector": lambda records: json.dumps([{"message": json.dumps(record), "topic": "clicks", "offset": 7} for record in records]),
    "Vector, parsed, in lines": lambda records: lines(*({**record, "source_type": "http_server"} for record in records)),
    "Kafka Connect, as it is unless told otherwise": lambda records: ",".join(map(json.dumps, records)),
    "Kafka Connect, an array of texts": lambda records: json.dumps([json.dumps(record) for record in records]),
    "Kafka Connect, texts": lambda records: ",".join(json.dumps(json.dumps(record)) for record in records),
}


@pytest.mark.parametrize("sender", BATCHES)
def test_batches_of_pipelines_are_understood(send, sender):
    answer = send(BATCHES[sender]([query(), click(message="a note"), click("d2")]), content_type="text/plain").json()
    assert (answer["sent"], answer["accepted"]) == (3, 3)
    assert {event.object for event in Event.objects.all()} == {"d1", "d2"}


@pytest.mark.parametrize(
    "body", ['{"message": "plain"}', '"plain"', '{"message": "7"}', '{"message": "{\\"a\\": 1}"}', "7, 8", "{a}, {b}"]
)
def test_a_text_that_holds_no_record_is_refused_and_kept(send, body):
    answer = send(body).json()
    assert answer["sent"] == answer["rejected"] > 0
    assert Quarantined.objects.count() == answer["sent"]


def test_a_damaged_line_spoils_no_other(send):
    answer = send(lines(click()) + "\n{oops\n" + lines(click("d2")), content_type="application/x-ndjson").json()
    assert (answer["accepted"], answer["rejected"]) == (2, 1)
    assert Quarantined.objects.get().raw == "{oops"


def test_gzip(send):
    assert send(gzip.compress(lines(click(), click("d2")).encode()), **{"Content-Encoding": "gzip"}).json()["accepted"] == 2


def test_gzip_of_several_members(send):
    members = [gzip.compress(lines(click(f"d{n}")).encode() + b"\n") for n in range(3)]
    assert send(b"".join(members), **{"Content-Encoding": "gzip"}).json()["accepted"] == 3


@pytest.mark.parametrize(
    ("body", "encoding", "status"),
    [
        (b"", "", 400),
        (b"[]", "", 400),
        (b"[{]", "", 400),
        (b"\xff\xfe", "", 400),
        (b"not gzip", "gzip", 400),
        (gzip.compress(b"[{}]", mtime=0)[:-6], "gzip", 400),
        (gzip.compress(b"{}\n", mtime=0) + gzip.compress(b"{}", mtime=0)[:-6], "gzip", 400),
        (gzip.compress(b"{}\n", mtime=0) + b"not gzip", "gzip", 400),
        (b"{}", "br", 400),
        (gzip.compress(b" " * (request_bodies.MOST_BYTES + 10), mtime=0), "gzip", 413),
        (gzip.compress(b" " * (request_bodies.MOST_BYTES // 2 + 10), mtime=0) * 2, "gzip", 413),
        (json.dumps([{}] * (request_bodies.MOST_RECORDS + 1)).encode(), "", 413),
    ],
)
def test_bodies_without_records(send, body, encoding, status):
    answer = send(body, **({"Content-Encoding": encoding} if encoding else {}))
    assert answer.status_code == status
    assert answer.json()["detail"]
    assert not Quarantined.objects.exists()


def test_queries_and_events_have_addresses_of_their_own(send):
    assert send([query(), click()], "/api/v1/log/queries/").json()["rejected"] == 1
    assert send([query(2), click()], "/api/v1/log/events/").json()["rejected"] == 1


def test_a_key_in_the_address_is_enough_for_a_beacon(client, key):
    answer = client.post(f"/api/v1/log/?key={key}", json.dumps(click()), content_type="text/plain")
    assert answer.json()["accepted"] == 1


@pytest.mark.parametrize("wrong", ["", "w_wrong", "w_\0", "w_ü"])
def test_a_wrong_key_sends_nothing(send, wrong):
    headers = {"Authorization": f"Bearer {wrong}".encode("latin-1", "replace").decode("latin-1")}
    assert send(click(), **headers).status_code == 401
    assert not Event.objects.exists()


def test_a_revoked_key_sends_nothing_once_every_process_has_heard(send, site, researcher, monkeypatch):
    assert send(click()).status_code == 200
    keys.revoke(site.keys.get(), by=researcher)
    later = time.monotonic() + keys.REMEMBERED + 1
    monkeypatch.setattr(keys.time, "monotonic", lambda: later)
    assert send(click("d2")).status_code == 401


def test_a_key_reads_nothing(client, key, site):
    for path in ("/api/v1/collections/", "/api/v1/studies/"):
        assert client.get(path, headers={"Authorization": f"Bearer {key}"}).status_code == 401


def test_the_table_of_keys_does_not_give_them_away(site, key):
    kept = site.keys.get()
    assert key not in (kept.nonce, kept.digest)


def test_any_page_may_send_unless_the_owner_names_pages(send, site):
    answer = send(click(), Origin="https://anywhere.example")
    assert answer["Access-Control-Allow-Origin"] == "*"
    site.origins = "https://shop.example\nhttps://www.shop.example"
    site.save()
    keys.site_cache.clear()
    assert send(click("d2"), Origin="https://anywhere.example").status_code == 403
    assert send(click("d2"), Origin="https://www.shop.example").json()["accepted"] == 1
    assert send(click("d3")).json()["accepted"] == 1  # a server


def test_browsers_ask_before_they_send(client):
    headers = {"Origin": "https://shop.example", "Access-Control-Request-Method": "POST"}
    answer = client.options("/api/v1/log/", headers=headers)
    assert answer.status_code == 204
    assert "Authorization" in answer["Access-Control-Allow-Headers"]


def test_the_browser_of_a_page_is_kept_and_that_of_a_server_is_not(send):
    send(click(), **{"User-Agent": "curl/8", "Origin": "https://shop.example"})
    send(click("d2"), **{"User-Agent": "python-requests"})
    assert [agent.text for agent in Agent.objects.all()] == ["curl/8"]


def test_a_database_that_is_away_is_a_reason_to_send_again(send, monkeypatch):
    from judging.logs import intake

    def away(*args):
        raise OperationalError

    monkeypatch.setattr(intake, "store", away)
    answer = send(click())
    assert answer.status_code == 503
    assert "again" in answer.json()["detail"]


def test_what_comes_too_fast_is_not_stored_and_told_when_to_come_again(send, site, researcher, settings):
    settings.LOG_PER_SECOND = 3
    assert send([click(f"d{number}") for number in range(28)]).status_code == 200
    refused = send([click(f"e{number}") for number in range(10)], Origin="https://shop.example")
    assert (refused.status_code, refused["Retry-After"]) == (429, "3")
    assert refused["Access-Control-Expose-Headers"] == "Retry-After"
    assert "More than 3 records a second" in refused.json()["detail"]
    assert (Event.objects.count(), Quarantined.objects.count()) == (28, 0)
    other = keys.key_text(keys.make(site, by=researcher, label="two"))
    assert send(click("e1"), with_key=other).status_code == 200, "each key has its own"


def test_small_batches_are_counted_exactly_and_mostly_without_asking_redis(key, monkeypatch, settings):
    costs = []
    monkeypatch.setattr(keys, "take", lambda *buckets, cost: costs.append(cost) or 0.0)
    settings.LOG_PER_SECOND = 30_000
    for _ in range(60):
        keys.pay_for("a key", 50)
    assert costs == [300] * 10
    keys.pay_for("a key", 10_000)
    assert costs[10:] == [10_000]


def test_a_batch_larger_than_the_limit_comes_in_once_there_is_rest(send, settings):
    settings.LOG_PER_SECOND = 1
    assert send([click(f"d{number}") for number in range(100)]).json()["accepted"] == 100
    assert send(click("e1")).status_code == 429


def test_lists_to_merge_count_too(send, settings):
    settings.LOG_PER_SECOND = 1
    body = {"experiment": "none", "lists": {"a": ["d1"]}, "user_query": "owls", "client_id": "c"}
    statuses = [send(body, path="/api/v1/interleavings/").status_code for _ in range(12)]
    assert statuses == [404] * 10 + [429] * 2


def test_without_a_limit_anything_comes_in(send, settings):
    settings.LOG_PER_SECOND = 0
    assert {send([click(f"d{number}") for number in range(50)]).status_code for _ in range(3)} == {200}


def test_an_address_that_tries_keys_has_to_wait_and_a_key_that_was_good_goes_on(send, key, client):
    assert send(click("d1")).status_code == 200
    keys.site_cache[keys.digest_of(key)] = (keys.site_of(key), 0.0)  # heard long ago: it is looked up again
    statuses = [send(click(), with_key=f"w_{number}").status_code for number in range(70)]
    assert statuses == [401] * 60 + [429] * 10
    assert send(click("d2")).status_code == 200
    refused = send(click(), with_key="w_x")
    assert (refused.status_code, refused["Retry-After"]) == (429, "1")
    elsewhere = client.post("/api/v1/log/", {}, headers={"Authorization": "Bearer w_y"}, REMOTE_ADDR="192.0.2.7")
    assert elsewhere.status_code == 401


def test_the_same_wrong_key_is_looked_up_once_and_costs_once(send):
    """A page may still have a key that was revoked, in many browsers behind one address."""
    assert {send(click(), with_key="w_old").status_code for _ in range(100)} == {401}


@pytest.mark.django_db(transaction=True)
def test_a_key_still_remembered_opens_no_site_that_is_gone(send, site, researcher):
    """The database refuses what would lie in a quarantine without a site, and does so as it commits."""
    assert send(click()).status_code == 200
    site_deletion.delete_site(site, by=researcher)
    refused = send({"action_name": "click"})
    assert (refused.status_code, "gone" in refused.json()["detail"]) == (401, True)
    assert not Quarantined.objects.exists()
