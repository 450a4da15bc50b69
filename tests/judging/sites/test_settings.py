"""What a site's owner changes: names, keys; and its end."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.collections.deletion import InUse
from judging.errors import BadFields
from judging.logs import keys, site_deletion, sites
from judging.logs.intake import receive
from judging.logs.origins import origins_in
from judging.models import Allotment, AuditEntry, Event, Experiment, Group, Outbox, Quarantined, Query, Seen, Site, WriteKey
from tests.judging.logs.sent import click, query

pytestmark = pytest.mark.django_db
DAYS = {"keep_days": 396, "keep_quarantine_days": 30, "rotate_days": 92}
USUAL = {"name": "Bird shop", "slug": "bird-shop", "first_ordinal": 1, **DAYS}


def save(client, site, **fields):
    return client.post(reverse("site_settings", args=[site.pk]), USUAL | fields)


def test_what_changed_is_written_down_and_nothing_else(rita, site):
    assert save(rita, site).status_code == 302
    assert not AuditEntry.objects.filter(site=site).exclude(about__contains="write key").exists()
    save(
        rita,
        site,
        name="Birds & more",
        keep_days=30,
        origins="https://Shop.example/\nhttp://localhost:3000",
    )
    site.refresh_from_db()
    assert (site.name, site.keep_days, site.origins) == ("Birds & more", 30, "https://shop.example\nhttp://localhost:3000")
    changed = AuditEntry.objects.filter(site=site)[0]
    assert "keep days: 396 → 30" in changed.about
    assert "origins: none → https://shop.example, http://localhost:3000" in changed.about


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"slug": "not a slug"},
        {"keep_days": 0},
        {"rotate_days": 6},
        {"first_ordinal": 2},
        {"origins": "shop.example"},
        {"origins": "https://shop.example/path"},
        {"has_page": "on"},
    ],
)
def test_wrong_settings_are_said_at_their_field(rita, site, fields):
    refused = save(rita, site, **fields)
    assert refused.status_code == 422
    assert "Nothing was saved yet" in refused.content.decode()
    assert Site.objects.values(*USUAL, "origins", "has_page").get() == {**USUAL, "origins": "", "has_page": False}


def test_a_collection_that_the_owner_may_not_read_any_more_stays(browser_of, site, admin, collection):
    Site.objects.filter(pk=site.pk).update(collection=collection, owner=admin)
    collection.owner = admin
    collection.save()
    assert save(browser_of(admin), site, collection=collection.pk, has_page="on").status_code == 302
    site.refresh_from_db()
    assert site.has_page


def test_names_that_somebody_takes_meanwhile(site, researcher):
    with pytest.raises(sites.NameTaken):
        sites.make(by=researcher, name="bird SHOP")
    other = sites.make(by=researcher, name="Other")
    with pytest.raises(sites.NameTaken):
        sites.change(other, {"slug": site.slug}, by=researcher)
    assert Site.objects.count() == WriteKey.objects.count() == 2


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("", ""),
        (" https://shop.example/ \n\n", "https://shop.example"),
        ("HTTPS://SHOP.example:443\nhttps://shop.example", "https://shop.example"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://[::1]:80", "http://[::1]"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
    ],
)
def test_origins_are_kept_as_browsers_write_them(text, origins):
    assert origins_in(text) == origins


@pytest.mark.parametrize(
    "text", ["*", "shop.example", "ftp://shop.example", "https://", "https://a/b", "https://a?x", "https://u@a"]
)
@pytest.mark.parametrize("around", ["{}", "https://shop.example\n{}\n"])
def test_what_is_no_origin(text, around):
    with pytest.raises(BadFields, match="is no origin"):
        origins_in(around.format(text))


@pytest.mark.parametrize("text", ["https://a:99999", "https://a b", "javascript:1", f"https://{'é' * 300}", "https://[::1"])
def test_odd_addresses(text):
    with pytest.raises(BadFields):
        origins_in(text)


def test_too_many_origins():
    with pytest.raises(BadFields, match="At most 100"):
        origins_in("\n".join(f"https://a{number}" for number in range(101)))


def test_keys_are_made_and_revoked_after_a_question(rita, site):
    rita.post(reverse("key_new", args=[site.pk]), {"label": "nightly"})
    key = WriteKey.objects.get(label="nightly")
    shown = keys.key_text(key)
    listed = rita.get(reverse("site_settings", args=[site.pk])).content.decode()
    assert f"…{shown[-4:]}" in listed
    assert shown not in listed
    address = reverse("key_revoke", args=[site.pk, key.pk])
    assert "cannot be undone" in rita.get(address).content.decode()
    assert keys.site_of(shown) == site
    rita.post(address)
    keys.site_cache.clear()
    assert keys.site_of(shown) is None
    assert rita.get(reverse("key_revoke", args=[site.pk + 1, key.pk])).status_code == 404


def test_a_label_that_is_too_long_makes_no_key(rita, site):
    page = rita.post(reverse("key_new", args=[site.pk]), {"label": "x" * 121}, follow=True).content.decode()
    assert "No key was made." in page
    assert WriteKey.objects.count() == 1


def test_a_deleted_site_is_gone_at_once_and_its_records_follow(rita, site, researcher, monkeypatch):
    monkeypatch.setattr(site_deletion, "BATCH", 2)
    other = sites.make(by=researcher, name="Other")
    for target in (site, other):
        receive(target, [query(n) for n in range(3)] + [click(event_id=f"e{n}") for n in range(5)] + [{"nothing": 1}])
    group = Group.objects.create(site=site, name="ranking")
    ended = {"state": "stopped", "started": timezone.now(), "stopped": timezone.now()}
    experiment = Experiment.objects.create(site=site, name="ended", created_by=researcher, group=group, **ended)
    Allotment.objects.create(group=group, part=0, experiment=experiment)
    pk = site.pk
    assert "3 queries and 5 events" in rita.get(reverse("site_delete", args=[pk])).content.decode()
    rita.post(reverse("site_delete", args=[pk]))
    assert list(Site.objects.all()) == [other]
    assert not Quarantined.objects.filter(site=pk).exists()
    assert AuditEntry.objects.get(deed="deleted").about == "site “Bird shop” with its records"
    message = Outbox.objects.get(task="judging.tasks.delete_records")
    assert site_deletion.delete_records(message.arguments["site"]) == 8
    assert site_deletion.delete_records(pk) == 0
    assert (Query.objects.count(), Event.objects.count(), Seen.objects.count()) == (3, 5, 8)
    assert set(Seen.objects.values_list("site", flat=True)) == {other.pk}


def test_a_site_with_a_running_experiment_stays(rita, site, researcher):
    Experiment.objects.create(site=site, name="new-ranker", created_by=researcher, state="running", started=timezone.now())
    page = rita.post(reverse("site_delete", args=[site.pk]), follow=True).content.decode()
    assert "The experiment “new-ranker” is running" in page
    assert Site.objects.exists()
    with pytest.raises(InUse):
        site_deletion.delete_site(site, by=researcher)


def test_readers_change_nothing(site, reader):
    for name in ("site_settings", "key_new", "site_delete", "site_test"):
        assert reader.post(reverse(name, args=[site.pk]), USUAL).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_the_program_that_the_page_shows_runs(rita, site, live_server, capsys):
    """As it stands there, against a server."""
    from judging.logs import sender_examples

    key = keys.key_text(site.keys.get())
    exec(sender_examples.python(f"{live_server.url}/api/v1/log/", key, site.first_ordinal), {})
    assert json.loads(capsys.readouterr().out.replace("'", '"'))["accepted"] == 2
    assert Event.objects.get().query == Query.objects.get().query
    assert Event.objects.get().ordinal == 2
