"""Systems: proposed by names, confirmed at once, corrected, and seen by whom they concern."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from judging.collections import systems
from judging.collections.systems import NoSystem, parts_of
from judging.experiments import drafts
from judging.models import Arm, AuditEntry, Collection, Site, System, Version

pytestmark = pytest.mark.django_db


@pytest.fixture
def site(researcher, collection):
    site = Site.objects.create(name="Bird shop", slug="shop", owner=researcher, collection=collection)
    drafts.create(site, by=researcher, name="trial", arms=[Arm(name="control", is_control=True), Arm(name="dense-v2")])
    return site


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("bm25", ("bm25", "1")), ("dense-v2", ("dense", "v2")), ("dense_2.1.0", ("dense", "2.1.0")), ("a b 3", ("a b", "3")),
        ("bm25-2026-10-01", ("bm25", "2026-10-01")), ("2026", ("2026", "1")), ("v1-v2", ("v1", "v2")), ("-1", ("-1", "1")),
        ("robertson.final", ("robertson.final", "1")),
    ],
)  # fmt: skip
def test_a_name_proposes_a_system_and_a_version(name, parts):
    assert parts_of(name) == parts


@given(st.text(min_size=1, max_size=60))
def test_no_name_is_lost(name):
    system, version = parts_of(name)
    assert system
    assert version
    assert name.startswith(system)
    assert version == "1" or name.endswith(version)


def test_runs_and_arms_are_proposed_until_they_are_confirmed(collection, runs, site, researcher):
    rows = systems.proposals(collection)
    assert [(row.system, row.version, row.is_confirmed) for row in rows] == [
        ("alpha", "1", False), ("beta", "1", False), ("control", "1", False), ("dense", "v2", False),
    ]  # fmt: skip
    assert systems.confirm(collection, [(row.thing, row.system, row.version) for row in rows], by=researcher) == 4
    assert all(row.is_confirmed for row in systems.proposals(collection))
    assert sorted(map(str, Version.objects.all())) == ["alpha 1", "beta 1", "control 1", "dense v2"]
    assert systems.confirm(collection, [(row.thing, row.system, row.version) for row in rows], by=researcher) == 0
    assert AuditEntry.objects.filter(about__startswith="systems of").count() == 1


def test_one_system_joins_a_run_and_an_arm(collection, runs, site, researcher):
    arm = Arm.objects.get(name="dense-v2")
    systems.confirm(collection, [(runs[1], "dense", "v2"), (arm, " dense ", "v2")], by=researcher)
    version = Version.objects.get()
    assert (list(version.runs.all()), list(version.arms.all())) == ([runs[1]], [arm])


def test_an_arm_that_shows_a_run_is_of_its_system(collection, runs, site, researcher):
    systems.confirm(collection, [(runs[0], "lexical", "7")], by=researcher)
    Arm.objects.filter(name="control").update(run=runs[0])
    row = next(row for row in systems.proposals(collection) if row.thing.name == "control")
    assert (row.system, row.version, row.is_confirmed) == ("lexical", "7", False)


def test_an_empty_system_is_none(collection, runs, researcher):
    systems.confirm(collection, [(runs[0], "alpha", "")], by=researcher)
    assert str(runs[0].version) == "alpha 1"
    systems.confirm(collection, [(runs[0], "  ", "1")], by=researcher)
    runs[0].refresh_from_db()
    assert runs[0].version is None


def test_a_name_that_is_too_long_changes_nothing(collection, runs, researcher):
    with pytest.raises(NoSystem):
        systems.confirm(collection, [(runs[0], "alpha", "1"), (runs[1], "x" * 121, "1")], by=researcher)
    assert not System.objects.exists()


def test_the_database_keeps_systems_apart(collection, site, researcher):
    for of in ({}, {"collection": collection, "site": site}):
        with pytest.raises(IntegrityError), transaction.atomic():
            System.objects.create(name="x", created_by=researcher, **of)
    System.objects.create(name="x", collection=collection, created_by=researcher)
    with pytest.raises(IntegrityError), transaction.atomic():
        System.objects.create(name="x", collection=collection, created_by=researcher)


def test_the_page_proposes_and_confirms(rita, collection, runs, site):
    address = reverse("collection_systems", args=[collection.pk])
    assert "4 of 4 are not confirmed" in rita.get(address).content.decode()
    form = {f"system-{row.key}": row.system for row in systems.proposals(collection)}
    form |= {f"system-run-{runs[0].pk}": "lexical", f"version-run-{runs[0].pk}": "3"}
    page = rita.post(address, form, follow=True).content.decode()
    assert "4 confirmed or changed" in page
    assert 'value="lexical"' in page
    assert "Proposed by name" not in page
    assert "Nothing has changed" in rita.post(address, form, follow=True).content.decode()


@pytest.mark.parametrize("name", ["run", "experiment"])
def test_a_page_asks_for_what_is_new_and_is_come_back_to(name, rita, runs, site):
    things = [runs[0]] if name == "run" else list(Arm.objects.all())
    address = reverse(name, args=[runs[0].pk if name == "run" else things[0].experiment_id])
    page = rita.get(address).content.decode()
    assert "Which system" in page
    assert page.count('name="version-') == len(things)
    form = {
        f"system-{row.key}": "lexical"
        for row in systems.unconfirmed(type(things[0]).objects.filter(pk__in=[t.pk for t in things]))
    }
    answer = rita.post(reverse("collection_systems", args=[site.collection_id]), form | {"back": address})
    assert answer.url == address
    assert "Which system" not in rita.get(address).content.decode()
    assert set(Version.objects.values_list("system__name", flat=True)) == {"lexical"}


@pytest.mark.parametrize("back", ["//evil.example/", "https://evil.example/", "javascript:alert(1)", "/\\evil.example", "x"])
def test_nobody_is_sent_elsewhere(back, rita, collection, runs):
    address = reverse("collection_systems", args=[collection.pk])
    assert rita.post(address, {f"system-run-{runs[0].pk}": "x", "back": back}).url == address


def test_who_may_not_say_is_not_asked(client, collection, runs, site, stranger):
    Collection.objects.update(shared=True)
    client.force_login(stranger)
    assert "Which system" not in client.get(reverse("run", args=[runs[0].pk])).content.decode()


def test_a_reader_sees_and_changes_nothing_and_no_site_that_is_not_theirs(client, collection, runs, site, stranger):
    Collection.objects.update(shared=True)
    client.force_login(stranger)
    address = reverse("collection_systems", args=[collection.pk])
    page = client.get(address).content.decode()
    assert "alpha" in page
    assert "dense" not in page
    assert "<input name" not in page
    assert client.post(address, {f"system-run-{runs[0].pk}": "x"}).status_code == 404


def test_arms_that_a_member_of_the_collection_does_not_see_stay_as_they_are(client, collection, runs, site, stranger):
    collection.members.add(stranger)
    client.force_login(stranger)
    run, arm = f"run-{runs[0].pk}", f"arm-{Arm.objects.get(name='control').pk}"
    client.post(reverse("collection_systems", args=[collection.pk]), {f"system-{run}": "lexical", f"system-{arm}": "lexical"})
    sent = {"rows": [{"key": arm, "system": "lexical"}]}
    assert client.post(f"/api/v1/collections/{collection.pk}/systems/", sent, "application/json").status_code == 400
    confirmed = [row.key for row in systems.proposals(collection) if row.is_confirmed]
    assert confirmed == [run]


def test_a_site_with_another_owners_collection_has_systems_of_its_own(client, collection, site, stranger):
    Site.objects.update(owner=stranger)
    Collection.objects.update(shared=True)
    client.force_login(stranger)
    address = reverse("site_systems", args=[site.pk])
    client.post(address, {f"system-arm-{Arm.objects.get(name='control').pk}": "mine"})
    assert System.objects.get().site == site
    assert [row.thing.name for row in systems.proposals(collection)] == []


def test_a_sites_page_leads_to_its_collections(rita, site):
    assert rita.get(reverse("site_systems", args=[site.pk])).url == reverse("collection_systems", args=[site.collection_id])


def test_deleting_a_collection_deletes_its_systems_and_arms_stay(collection, site, researcher):
    arm = Arm.objects.get(name="control")
    systems.confirm(collection, [(arm, "old", "1")], by=researcher)
    System.objects.all().delete()
    arm.refresh_from_db()
    assert arm.version is None


def test_the_api_tells_and_confirms(rita, collection, runs, site):
    address = f"/api/v1/collections/{collection.pk}/systems/"
    told = rita.get(address).json()["rows"]
    assert [(row["name"], row["system"], row["version"], row["confirmed"]) for row in told] == [
        ("alpha", "alpha", "1", False), ("beta", "beta", "1", False), ("control", "control", "1", False),
        ("dense-v2", "dense", "v2", False),
    ]  # fmt: skip
    sent = [{"key": told[0]["key"], "system": "lexical"}, {"key": told[2]["key"], "system": "lexical", "version": "1"}]
    kept = rita.post(address, {"rows": sent}, "application/json").json()["rows"]
    assert [row["confirmed"] for row in kept] == [True, False, True, False]
    assert AuditEntry.objects.filter(deed="changed").count() == 1


@pytest.mark.parametrize(
    "sent",
    [{}, "x", [5], [{}], [{"key": "run-0", "system": "x"}], [{"key": "run-1", "system": "x" * 121}], [{"key": 5, "system": {}}]],
)
def test_the_api_refuses_what_names_nothing(rita, collection, runs, sent):
    assert rita.post(f"/api/v1/collections/{collection.pk}/systems/", {"rows": sent}, "application/json").status_code == 400
    assert not System.objects.exists()
