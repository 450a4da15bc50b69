"""Refused records: by their reasons, and sent in again."""

import json
import uuid

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.logs import refusals, resubmission
from judging.logs.intake import Unreadable, receive
from judging.models import AuditEntry, Event, Quarantined, Query
from tests.judging.logs.sent import click, query

pytestmark = pytest.mark.django_db


@pytest.fixture
def refused(site):
    """Puts a record into quarantine as a rule of an earlier day would have."""

    def keep(content, why="was refused by an older rule", **fields):
        raw = content if isinstance(content, str) else json.dumps(content)
        return Quarantined.objects.create(
            site=site, kind="rejected", why=why, raw=raw, identity=uuid.uuid4(), received=timezone.now(), **fields
        )

    return keep


def page(client, site, **fields):
    return client.get(reverse("site_quarantine", args=[site.pk]), fields).content.decode()


def again(client, site, **fields):
    return client.post(reverse("quarantine_replay", args=[site.pk]), fields, follow=True).content.decode()


def replay(site, researcher):
    return resubmission.replay(site, list(refusals.open_of(site).order_by("pk")), by=researcher)


def test_what_would_be_taken_now_is_taken_once(site, researcher, refused):
    kept = [refused(click("d1", client_id="~00000000000000ff")), refused(query())]
    assert replay(site, researcher) == (2, 2, 0, 0, 0)
    assert Event.objects.get().client == 255
    assert Query.objects.get().text == "diet of owls"
    assert Quarantined.objects.filter(replayed__isnull=False).count() == len(kept)
    assert replay(site, researcher) == (0, 0, 0, 0, 0)
    assert resubmission.replay(site, kept, by=researcher) == (2, 0, 2, 0, 0)
    assert Event.objects.count() == Query.objects.count() == 1


def test_what_is_still_refused_stays_as_it_was(site, researcher, refused):
    for content in ({"nothing": 1}, "{not json", "[1, 2]", '"text"', "[" * 10_000, click(timestamp="never")):
        refused(content)
    before = list(Quarantined.objects.order_by("pk").values())
    assert replay(site, researcher) == (6, 0, 0, 0, 6)
    assert list(Quarantined.objects.order_by("pk").values()) == before
    assert not AuditEntry.objects.filter(site=site, deed="replayed").exists()


SENT = [
    click(client_id="carol"),
    click(client_id="carol", event_id="e1"),
    {"_index": "ubi", "_source": click(client_id="carol")},
    click(client_id="carol", user_agent="Owlbot"),
    query(client_id="carol", query_attributes={"user_agent": "Owlbot"}),
]


@pytest.mark.parametrize("content", SENT)
def test_what_its_site_has_sent_again_meanwhile_counts_once(site, researcher, monkeypatch, content):
    """Refused by a rule that is no longer, taken when it came again, and then replayed: by what it was known by."""
    with monkeypatch.context() as older:
        older.setattr("judging.logs.records.LONGEST_OBJECT", 1)
        assert receive(site, [content]).statuses == ["rejected"]
    assert receive(site, [content]).statuses == ["accepted"]
    assert replay(site, researcher) == (1, 0, 1, 0, 0)
    assert Event.objects.count() + Query.objects.count() == 1


@pytest.mark.parametrize("content", SENT)
def test_what_was_replayed_is_a_duplicate_when_its_site_sends_it_again(site, researcher, monkeypatch, content):
    with monkeypatch.context() as older:
        older.setattr("judging.logs.records.LONGEST_OBJECT", 1)
        receive(site, [content])
    assert replay(site, researcher) == (1, 1, 0, 0, 0)
    assert receive(site, [content]).statuses == ["duplicate"]


def test_what_is_there_already_leaves_quarantine_as_a_duplicate(site, researcher, refused):
    content = click(event_id="e1", client_id="~00000000000000ff", session_id=None)
    receive(site, [content])
    kept = refused(content)
    assert replay(site, researcher) == (1, 0, 1, 0, 0)
    kept.refresh_from_db()
    assert kept.replayed
    assert Event.objects.count() == 1


def test_two_with_one_event_id_are_a_conflict_in_replay_too(site, researcher, refused):
    refused(click("d1", event_id="e1"))
    other = refused(click("d2", event_id="e1"))
    assert replay(site, researcher) == (2, 1, 0, 1, 0)
    assert Event.objects.get().object == "d1"
    assert list(refusals.open_of(site)) == [other]


def test_an_event_that_was_sent_where_queries_belong(site, researcher):
    receive(site, [click()], kind="query", agent="Firefox")
    assert replay(site, researcher).accepted == 1
    assert Event.objects.get().agent is not None


def test_a_query_without_a_time_keeps_that_of_its_receipt(site, researcher, refused):
    content = query()
    del content["timestamp"]
    kept = refused(content)
    replay(site, researcher)
    assert Query.objects.get().time == kept.received


def test_conflicts_are_not_sent_in_and_shown_beside_the_first(rita, site):
    receive(site, [click("d1", event_id="e1"), click("d2", event_id="e1")])
    shown = page(rita, site)
    assert "The record that was first" in shown or "The record that came first counts" in shown
    assert shown.index("&quot;d2&quot;") < shown.index("&quot;d1&quot;")
    assert "Send all rejected in again" not in shown
    assert "Nothing was left to send in." in again(rita, site)
    assert Event.objects.get().object == "d1"


def test_reasons_are_counted_whatever_stands_behind_their_colon(rita, site):
    receive(site, [click(timestamp=f"never {n}") for n in range(5)] + [Unreadable("{"), {"nothing": 1}])
    summary = refusals.reasons_of(site)
    assert (summary.reasons[0].why, summary.reasons[0].records) == ("has a timestamp that is none", 5)
    shown = page(rita, site)
    assert "5 records" in shown
    assert "never 4" in shown


def test_more_than_is_counted_is_said(rita, site, monkeypatch):
    monkeypatch.setattr(refusals, "MOST", 3)
    receive(site, [click(timestamp=f"never {n}") for n in range(5)])
    assert "There are more than 3" in page(rita, site)


def test_one_reason_is_sent_in_without_the_others(rita, site, refused):
    refused(click("d1"), why="is odd: one")
    refused(click("d2"), why="is odd")
    refused(click("d3"), why="is oddly shaped")
    shown = again(rita, site, why="is odd")
    assert "2 sent: 2 accepted" in shown
    assert sorted(Event.objects.values_list("object", flat=True)) == ["d1", "d2"]
    assert "2 accepted" in AuditEntry.objects.get(site=site, deed="replayed").about


def test_many_are_sent_in_a_part_at_a_time(rita, site, refused, monkeypatch):
    monkeypatch.setattr(resubmission, "MOST", 2)
    rows = [refused({"nothing": n}) for n in range(3)] + [refused(click())]
    shown = again(rita, site)
    assert f'name="after" value="{rows[1].pk}"' in shown
    assert "1 accepted" in again(rita, site, after=rows[1].pk)
    assert not Quarantined.objects.filter(pk=rows[-1].pk, replayed__isnull=True).exists()


@pytest.mark.parametrize("after", ["x", "-1", "9" * 30, "\0"])
def test_numbers_that_are_none_begin_at_the_start(rita, site, refused, after):
    refused(click())
    assert "1 accepted" in again(rita, site, after=after)


def test_markup_in_a_refused_record_is_text(rita, site):
    bad = "<script>alert(1)</script>"
    receive(site, [Unreadable(bad), click(timestamp=bad)])
    assert bad not in page(rita, site)


def test_an_empty_quarantine_says_what_it_is_for(rita, site):
    assert "Nothing is in quarantine" in page(rita, site)


def test_readers_send_nothing_in(site, reader, refused):
    refused(click())
    assert reader.post(reverse("quarantine_replay", args=[site.pk])).status_code == 404
    assert not Event.objects.exists()
