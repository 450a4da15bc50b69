"""Each record that a site sends is accepted, a duplicate, a conflict or rejected, and counts once."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import translation

from judging.logs import pseudonyms
from judging.logs.intake import Unreadable, receive
from judging.logs.pseudonyms import records_key
from judging.logs.refusal_words import refusal
from judging.logs.tags import mark_of, tag_of
from judging.models import Agent, Event, Quarantined, Query, Seen
from tests.judging.logs.sent import click, query

pytestmark = pytest.mark.django_db


def test_queries_and_events_become_rows(site):
    receipt = receive(site, [query(), click("d2")])
    assert receipt.counts == {"accepted": 2, "duplicate": 0, "conflict": 0, "rejected": 0}
    search, event = Query.objects.get(), Event.objects.get()
    assert (search.text, search.hits) == ("diet of owls", ["d1", "d2", "d3"])
    assert (event.action, event.object, event.ordinal) == ("click", "d2", 2)
    assert search.query == event.query
    assert search.client == event.client
    assert event.time == datetime(2026, 11, 20, 10, 0, 5, tzinfo=UTC)


def test_the_same_again_is_a_duplicate_in_whatever_order_its_keys_come(site):
    again = dict(reversed(click().items()))
    assert receive(site, [click()]).statuses == ["accepted"]
    assert receive(site, [again, click(), click("d2")]).statuses == ["duplicate", "duplicate", "accepted"]
    assert Event.objects.count() == Seen.objects.count() == 2


def test_twice_in_one_batch_counts_once(site):
    assert receive(site, [click(), click()]).statuses == ["accepted", "duplicate"]
    assert Event.objects.count() == 1


def test_an_event_id_makes_a_duplicate_or_a_conflict(site):
    first = click(event_id="e1")
    receive(site, [first])
    receipt = receive(site, [first, click("d2", event_id="e1")])
    assert receipt.statuses == ["duplicate", "conflict"]
    assert "event_id" in receipt.why[1]
    assert Event.objects.get().object == "d1"
    assert Quarantined.objects.get().kind == "conflict"


def test_a_conflict_within_a_batch_leaves_the_first(site):
    assert receive(site, [click(event_id="e1"), click("d2", event_id="e1")]).statuses == ["accepted", "conflict"]
    assert Event.objects.get().object == "d1"


def test_event_ids_are_conflicts_however_far_apart_their_times_are(site):
    receive(site, [click(event_id="e1", timestamp="2020-01-01T00:00:00Z")])
    assert receive(site, [click(event_id="e1", timestamp="2026-01-01T00:00:00Z")]).statuses == ["conflict"]


def test_a_query_may_be_told_of_twice(site):
    """By the search engine and by the page: what they say differs, and both is kept."""
    assert receive(site, [query(), query(query_response_hit_ids=["d1"])]).statuses == ["accepted", "accepted"]


def test_what_was_exported_is_known_again_by_its_tag_and_by_no_other_site_s(site, stranger):
    from judging.models import Site

    receive(site, [query(), click()])
    mark = mark_of(records_key(site))
    tags = {seen.identity: tag_of(mark, seen.identity, seen.content) for seen in Seen.objects.all()}
    sent = [query(event_id=tags[Query.objects.get().pk]), click(event_id=tags[Event.objects.get().pk])]
    assert receive(site, sent).statuses == ["duplicate", "duplicate"]
    other = Site.objects.create(name="Other", slug="other", owner=stranger)
    assert receive(other, sent).statuses == ["accepted", "accepted"]
    assert receive(other, sent).statuses == ["duplicate", "duplicate"]


def test_sites_do_not_share_what_they_have_seen(site, stranger):
    from judging.models import Site

    other = Site.objects.create(name="Other", slug="other", owner=stranger)
    receive(site, [click(event_id="e1")])
    assert receive(other, [click(event_id="e1")]).statuses == ["accepted"]
    assert len(set(Event.objects.values_list("client", flat=True))) == 2


def nested(depth):
    """An address at the bottom of it."""
    value = {"ip": "192.0.2.7"}
    for _ in range(depth):
        value = {"in": [value]}
    return value


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({}, "neither user_query"),
        (["a list"], "expected a JSON object"),
        (None, "expected a JSON object"),
        (Unreadable("{"), "not JSON"),
        ({"action_name": "click"}, "no timestamp"),
        ({"action_name": "click", "timestamp": "yesterday"}, "timestamp that is none"),
        ({"action_name": "click", "timestamp": "1492-08-03T08:00:00Z"}, "outside 1970"),
        ({"action_name": "click" * 20, "timestamp": 0}, "action_name longer"),
        ({"query_response_hit_ids": ["d1"]}, "no user_query"),
        ({"user_query": "a\0b"}, "character 0"),
        ({"user_query": "a", "deep": nested(700)}, "nested too deeply"),
        ({"user_query": "a\ud800b"}, "surrogate"),
        ({"user_query": "a", "client_id": "b\ud800"}, "surrogate"),
        ({"user_query": "a", "query_response_hit_ids": r'["a\u0000b"]'}, "character 0"),
        ({"user_query": "a", "query_response_hit_ids": r'["a\ud800b"]'}, "surrogate"),
        (click(event_attributes={"object": r'{"object_id": "a\u0000b"}'}), "character 0"),
        (click(event_attributes={"object": r'{"object_id": "a\ud800b"}'}), "surrogate"),
        ({"user_query": "a", "query_attributes": r'{"experiment": "a\u0000b", "arm": "new"}'}, "character 0"),
        ({"user_query": "a", "query_attributes": {"user_agent": "a\0b"}}, "holds the character 0"),
        ({"user_query": "a", "query_attributes": {"user_agent": "a\ud800b"}}, "no browser"),
        ({"user_query": "a", "price": float("nan")}, "numbers that JSON does not know"),
        ({"user_query": "a" * 10_001}, "longer than 10,000"),
        ({"user_query": "a", "message": "b" * 70_000}, "longer than 65,536"),
        ({"user_query": "a", "query_response_hit_ids": ["d"] * 1001}, "more than 1,000 results"),
        ({"user_query": "a", "query_attributes": {"experiments": {f"e{n}": "a" for n in range(21)}}}, "20 experiments"),
    ],
)
def test_what_cannot_be_understood_is_rejected_with_a_reason_and_kept(site, content, why):
    receipt = receive(site, [content, click()])
    assert receipt.statuses == ["rejected", "accepted"]
    assert why in receipt.why[0]
    assert why in Quarantined.objects.get().why
    with translation.override("de"):
        assert refusal(receipt.why[0]) != receipt.why[0]


def test_what_a_reason_quotes_stays_as_it_was_sent():
    with translation.override("it"):
        assert refusal("has a timestamp that is none: a: b") == "ha un timestamp che non è tale: a: b"
        assert refusal("is longer than 65,536 characters") == "è più lungo di 65,536 caratteri"
        assert refusal("of a version long ago") == "of a version long ago"


def test_what_is_rejected_again_is_kept_once(site):
    for _ in range(3):
        assert receive(site, [{"action_name": "click"}]).statuses == ["rejected"]
    assert Quarantined.objects.count() == 1


def test_the_kind_that_was_asked_for_is_the_only_one(site):
    assert receive(site, [query(), click()], kind="query").statuses == ["accepted", "rejected"]
    assert receive(site, [query(2), click()], kind="event").statuses == ["rejected", "accepted"]


def test_nothing_tells_who_it_was(site):
    secret = {"client_id": "carol", "user_id": "carol@shop.example", "session_id": "carols session", "ip": "192.0.2.7"}
    within = {"event_attributes": {"session_id": "carols session", "client_ip": "192.0.2.7", "object": {"object_id": "d1"}}}
    deep = {"message": "x", "device": {"net": [{"X-Forwarded-For": "192.0.2.7", "kind": "phone"}]}}
    receive(site, [click(**secret, **within), query(**secret, **deep)])
    receive(site, [{**secret, "action_name": "click"}])  # rejected: no timestamp
    rows = [list(model.objects.values_list("raw", flat=True)) for model in (Event, Query, Quarantined)]
    kept = json.dumps(rows)
    assert "carol" not in kept
    assert "192.0.2.7" not in kept
    assert Query.objects.get().raw["device"] == {"net": [{"kind": "phone"}]}
    event = Event.objects.get()
    assert event.raw["client_id"] == "~" + event.client.to_bytes(8, signed=True).hex()
    assert event.raw["event_attributes"]["session_id"] == event.raw["session_id"]


@pytest.mark.parametrize("pack", [dict, json.dumps, lambda record: {"_source": record}])
def test_nothing_tells_who_it_was_in_a_hit_of_opensearch(site, pack):
    accepted = click(client_id="carol", ip="192.0.2.7")
    refused = {"action_name": "click", "client_id": "carol", "ip": "192.0.2.7", "event_attributes": {"session_id": "carols"}}
    sent = [{"_index": "ubi", "_source": pack(record)} for record in (accepted, refused)]
    assert receive(site, sent).statuses == ["accepted", "rejected"]
    kept = Event.objects.get().raw, json.loads(Quarantined.objects.get().raw)
    assert "carol" not in json.dumps(kept)
    assert "192.0.2.7" not in json.dumps(kept)
    assert all(record["client_id"].startswith("~") for record in kept)


def test_without_the_server_s_key_the_database_confirms_no_guess(site, settings):
    """All else of a record being known, its hash would tell whether somebody's name was in it."""
    receive(site, [click()])
    known = Seen.objects.get()
    pseudonym = Event.objects.get().client
    settings.SECRET_KEY = "somebody else's"
    pseudonyms.epoch_key.cache_clear()
    receive(site, [click()])
    assert Seen.objects.exclude(pk=known.pk).get().content != known.content
    assert Event.objects.exclude(pk=known.pk).get().client != pseudonym


def test_pseudonyms_change_with_the_epoch_and_not_before(site):
    site.rotate_days = 30
    start = datetime.fromtimestamp(30 * 86_400 * 690, UTC)
    moments = [start - timedelta(seconds=1), start, start + timedelta(days=29)]
    now = start + timedelta(days=29, hours=1)
    receive(site, [click(timestamp=moment.isoformat()) for moment in moments], now=now)
    clients = list(Event.objects.order_by("time").values_list("client", flat=True))
    assert clients[0] != clients[1] == clients[2]


def test_wild_clocks_do_not_make_epochs(site):
    years = [f"{year}-01-01T00:00:00Z" for year in range(1972, 2199, 5)]
    receive(site, [click(timestamp=year) for year in years])
    assert site.epochs.count() == 1
    assert Event.objects.count() == len(years)
    assert Event.objects.order_by("time").first().time.year == 1972


def test_both_times_are_kept(site):
    now = datetime(2026, 11, 21, tzinfo=UTC)
    receive(site, [click()], now=now)
    event = Event.objects.get()
    assert (event.received, event.time) == (now, datetime(2026, 11, 20, 10, 0, 5, tzinfo=UTC))


def test_a_query_without_a_time_happened_when_it_came(site):
    now = datetime(2026, 11, 21, tzinfo=UTC)
    sent = query()
    del sent["timestamp"]
    receive(site, [sent], now=now)
    assert Query.objects.get().time == now


@pytest.mark.parametrize(
    ("timestamp", "read"),
    [
        (1763632805, datetime(2025, 11, 20, 10, 0, 5, tzinfo=UTC)),
        (1763632805000, datetime(2025, 11, 20, 10, 0, 5, tzinfo=UTC)),
        ("1763632805000", datetime(2025, 11, 20, 10, 0, 5, tzinfo=UTC)),
        ("2025-11-20T10:00:05", datetime(2025, 11, 20, 10, 0, 5, tzinfo=UTC)),
        ("2025-11-20T12:00:05.25+02:00", datetime(2025, 11, 20, 10, 0, 5, 250_000, tzinfo=UTC)),
        ("2025-11-20 10:00:05Z", datetime(2025, 11, 20, 10, 0, 5, tzinfo=UTC)),
    ],
)
def test_times_are_read_as_producers_write_them(site, timestamp, read):
    receive(site, [click(timestamp=timestamp)])
    assert Event.objects.get().time == read


@pytest.mark.parametrize(
    ("attributes", "arms"),
    [
        ({"experiment": "ranker", "arm": "new"}, {"ranker": "new"}),
        ({"experiments": {"ranker": "new", "page": "old"}}, {"ranker": "new", "page": "old"}),
        (
            {"experiments": [{"experiment": "ranker", "arm": "new"}, {"experiment": "page", "arm": "old"}]},
            {"ranker": "new", "page": "old"},
        ),
        ('{"experiment": "ranker", "arm": "new"}', {"ranker": "new"}),
        ({"experiment": "ranker"}, {}),
        ({"arm": "new"}, {}),
    ],
)
def test_arms_stand_in_the_attributes_of_the_query(site, attributes, arms):
    receive(site, [query(query_attributes=attributes)])
    assert Query.objects.get().arms == arms


@pytest.mark.parametrize(
    ("attributes", "value"),
    [({"value": 3}, 3.0), ({"price": "12.5"}, 12.5), ({"value": "nan"}, None), ({}, None), ({"revenue": 0}, 0.0)],
)
def test_what_an_event_was_worth(site, attributes, value):
    receive(site, [click(event_attributes=attributes)])
    assert Event.objects.get().value == value


@pytest.mark.parametrize(
    "attributes",
    [
        {"position": {"ordinal": 3}},
        {"ordinal": 3},
        {"position": {"index": {"ordinal": 3}}},
        {"index": {"ordinal": 3}},
        '{"ordinal": 3}',
    ],
)
def test_positions_are_found_where_producers_put_them(site, attributes):
    receive(site, [click(event_attributes=attributes)])
    assert Event.objects.get().ordinal == 3


def test_browsers_are_kept_once(site):
    receive(site, [click()], agent="Mozilla/5.0")
    receive(site, [click("d2")], agent="Mozilla/5.0")
    assert Agent.objects.count() == 1
    assert set(Event.objects.values_list("agent", flat=True)) == {Agent.objects.get().pk}


@pytest.mark.parametrize(
    "record",
    [
        click(event_attributes={"user_agent": "Owlbot", "ordinal": 3}),
        click(event_attributes='{"user_agent": "Owlbot"}'),
        click(user_agent="Owlbot"),
        query(query_attributes={"user_agent": "Owlbot", "experiment": "ranker", "arm": "new"}),
    ],
)
def test_a_server_may_name_the_browser_that_it_sends_for(site, record):
    """Kept apart from the record: with many others, it would tell a browser from all others."""
    receive(site, [record], agent="a server's own")
    row = (Event.objects.first() or Query.objects.first()).__dict__
    assert Agent.objects.get(text="Owlbot").pk == row["agent"]
    assert "Owlbot" not in json.dumps(row["raw"])


def test_who_only_searches_for_user_agent_names_none(site):
    receive(site, [query(user_query="user_agent")], agent="Mozilla/5.0")
    assert Agent.objects.get().pk == Query.objects.get().agent


def test_odd_texts_come_back_as_they_were(site):
    odd = 'back\\slash "quoted" {braces}, comma, NULL, \'; -- ü 🦉 \n tab\t'
    receive(site, [query(user_query=odd + "x", query_response_hit_ids=[odd + "x"])])
    search = Query.objects.get()
    assert (search.text, search.hits) == (odd + "x", [odd + "x"])
    assert search.raw["user_query"] == odd + "x"


def test_nothing_is_kept_of_a_batch_that_failed(site, monkeypatch):
    from judging.logs import intake

    def broken(*args):
        raise RuntimeError

    monkeypatch.setattr(intake, "keep", broken)
    with pytest.raises(RuntimeError):
        receive(site, [click()])
    assert Event.objects.count() == Seen.objects.count() == 0
