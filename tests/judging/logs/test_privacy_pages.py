"""A site's owner forgets a user, takes the log away and says what is a program, on pages and through the API."""

import json

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from judging.logs.intake import receive
from judging.models import AuditEntry, BotFilter, Event, Query
from tests.judging.logs.sent import click, query

pytestmark = pytest.mark.django_db


def address(site, name):
    return reverse(name, args=[site.pk])


def test_a_user_is_looked_for_and_then_erased(rita, site, researcher):
    receive(site, [query(), click(), query(2, client_id="c2")])
    assert "client_id" in rita.get(address(site, "site_erase")).content.decode()
    page = rita.post(address(site, "site_erase"), {"client_id": " c1 "}).content.decode()
    assert '<span class="value">1</span>' in page
    assert Query.objects.count() == 2
    done = rita.post(address(site, "site_erase"), {"client_id": "c1", "confirm": "1"}, follow=True).content.decode()
    assert "Erased: 1 queries, 1 events, 0 records in quarantine." in done
    assert (Query.objects.count(), Event.objects.count()) == (1, 0)
    assert AuditEntry.objects.get().by == researcher


def test_nobody_found_is_said_and_nobody_named_is_a_mistake(rita, site):
    assert "There is nothing of them" in rita.post(address(site, "site_erase"), {"user_id": "carol"}).content.decode()
    answer = rita.post(address(site, "site_erase"), {"user_id": " "})
    assert (answer.status_code, "Name a client_id" in answer.content.decode()) == (422, True)


def test_the_api_erases_for_the_owner_only(site, researcher, stranger):
    receive(site, [query(user_id="carol"), click()])
    api, path = APIClient(), f"/api/v1/sites/{site.pk}/erase/"
    site.readers.add(stranger)
    api.force_authenticate(stranger)
    assert api.post(path, {"user_id": "carol"}, format="json").status_code == 404
    api.force_authenticate(researcher)
    assert api.post(path, {}, format="json").status_code == 400
    assert api.post(path, {"user_id": "carol"}, format="json").json() == {"queries": 1, "events": 1, "quarantined": 0}
    assert "carol" not in AuditEntry.objects.get().about


def test_the_log_can_be_taken_away(rita, site):
    receive(site, [query(), click()])
    answer = rita.get(address(site, "site_export"))
    assert answer["Content-Disposition"] == 'attachment; filename="bird-shop-log.ndjson"'
    lines = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert receive(site, lines).statuses == ["duplicate", "duplicate"]
    assert AuditEntry.objects.get().deed == "exported"


def test_limits_are_previewed_and_then_saved_as_a_version(rita, site, researcher):
    receive(site, [query(), click()], agent="Owlbot/1.0")
    receive(site, [query(2, client_id="c2")], agent="Mozilla/5.0")
    page = rita.get(address(site, "site_bots")).content.decode()
    assert "Mozilla/5.0" in page
    assert 'id="preview"' not in page
    limits = {"agents": "owlbot", "records_a_minute": "", "searches_a_day": "9", "note": "owls"}
    page = rita.post(address(site, "site_bots"), limits).content.decode()
    assert '<span class="value">1</span> of 2' in page
    assert '<span class="value">2</span> of 3' in page
    assert BotFilter.objects.count() == 1
    rita.post(address(site, "site_bots"), {**limits, "save": "1"})
    saved = BotFilter.objects.get(version=2)
    assert (saved.agents, saved.records_a_minute, saved.searches_a_day, saved.note) == ("owlbot", None, 9, "owls")
    assert saved.created_by == researcher


@pytest.mark.parametrize(("field", "value"), [("agents", "bot("), ("records_a_minute", "0"), ("searches_a_day", "-1")])
def test_limits_that_are_none_are_refused(rita, site, field, value):
    limits = {"agents": "owlbot", "records_a_minute": "5", "searches_a_day": "9", "save": "1", field: value}
    answer = rita.post(address(site, "site_bots"), limits)
    assert answer.status_code == 422
    assert "has-error" in answer.content.decode()
    assert BotFilter.objects.count() == 1


def test_readers_have_none_of_these_pages(client, site, stranger):
    site.readers.add(stranger)
    client.force_login(stranger)
    for name in ("site_erase", "site_export", "site_bots"):
        assert client.get(address(site, name)).status_code == 404
