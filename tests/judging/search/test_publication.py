"""Who may let anybody search a collection: who owns it. That is asked at each request, and its owner sees and stops it."""

import pytest
from django.test import Client

from judging.collections.storage import store_run
from judging.experiments import drafts, lifecycle
from judging.models import Arm, AuditEntry, Collection, Document, Site, User
from judging.search import indexes

V1 = "/api/v1"


@pytest.fixture
def browser():
    def signed_in(user):
        client = Client()
        client.force_login(user)
        return client

    return signed_in


@pytest.fixture
def shared(collection):
    """Rita's birds, which Sid may read."""
    Collection.objects.filter(pk=collection.pk).update(shared=True)
    return collection


@pytest.fixture
def readers_site(shared, stranger):
    """Sid's site over Rita's collection, as if it had been published before anybody asked whose that is."""
    return Site.objects.create(name="Sid’s search", slug="sid", owner=stranger, collection=shared, has_page=True)


def addresses(slug):
    return [f"/search/{slug}/", f"/search/{slug}/?q=owls", f"/search/{slug}/doc/?docno=d1", f"/search/{slug}/privacy/"]


def statuses(slug):
    return {Client().get(address).status_code for address in addresses(slug)}


def test_a_readers_site_has_no_public_page(readers_site):
    assert statuses("sid") == {404}
    assert "Sid’s search" not in Client().get("/search/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_page_ends_and_comes_back_with_the_collection(site, stranger, researcher):
    assert statuses("birds") == {200}
    for owner, expected in ((stranger, {404}), (researcher, {200})):
        Collection.objects.update(owner=owner)
        assert statuses("birds") == expected


@pytest.mark.django_db(transaction=True)
def test_an_admin_publishes_as_such_and_no_longer(readers_site, admin, stranger):
    Site.objects.update(owner=admin)
    assert statuses("sid") == {200}
    User.objects.filter(pk=admin.pk).update(is_superuser=False)
    assert statuses("sid") == {404}


def test_the_api_says_whose_it_is(browser, shared, stranger, researcher):
    sid = browser(stranger)
    wanted = {"name": "Sid’s search", "collection": shared.pk, "has_page": True}
    refused = sid.post(f"{V1}/sites/", wanted, content_type="application/json")
    assert (refused.status_code, list(refused.json())) == (400, ["has_page"])
    assert "rita owns “Birds”" in refused.json()["has_page"][0]
    made = sid.post(f"{V1}/sites/", wanted | {"has_page": False}, content_type="application/json").json()
    again = sid.patch(f"{V1}/sites/{made['id']}/", {"has_page": True}, content_type="application/json")
    assert again.status_code == 400
    Collection.objects.update(owner=stranger)
    assert sid.patch(f"{V1}/sites/{made['id']}/", {"has_page": True}, content_type="application/json").status_code == 200


def test_an_admin_does_not_publish_for_somebody_else(browser, readers_site, admin):
    Site.objects.update(has_page=False)
    ada = browser(admin)
    assert ada.patch(f"{V1}/sites/{readers_site.pk}/", {"has_page": True}, content_type="application/json").status_code == 400


def test_the_page_of_settings_says_whose_it_is(browser, readers_site, stranger):
    sid, address = browser(stranger), f"/sites/{readers_site.pk}/settings/"
    Site.objects.update(has_page=False)
    usual = {"name": "Sid", "slug": "sid", "first_ordinal": 1, "keep_days": 9, "keep_quarantine_days": 9, "rotate_days": 9}
    refused = sid.post(address, usual | {"collection": readers_site.collection_id, "has_page": "on"})
    assert refused.status_code == 422
    assert "rita owns “Birds”" in refused.content.decode()
    assert sid.post(address, usual | {"collection": readers_site.collection_id}).status_code == 302


def test_a_page_that_ended_does_not_stand_in_the_way_of_other_settings(browser, readers_site, stranger):
    sid = browser(stranger)
    changed = sid.patch(f"{V1}/sites/{readers_site.pk}/", {"keep_days": 30}, content_type="application/json")
    assert (changed.status_code, changed.json()["has_page"]) == (200, False)
    form = sid.get(f"/sites/{readers_site.pk}/settings/").context["form"]
    assert form["has_page"].value() is False


def test_logs_of_a_readers_site_come_in_as_before(readers_site, researcher):
    from judging.logs import keys

    key = keys.key_text(keys.make(readers_site, by=researcher))
    record = {"action_name": "click", "timestamp": "2026-11-20T10:00:00Z"}
    sent = Client().post(f"{V1}/log/", record, content_type="application/json", headers={"Authorization": f"Bearer {key}"})
    assert sent.json()["accepted"] == 1


def test_who_owns_a_collection_sees_who_publishes_it_and_stops_that(browser, shared, admin, researcher, stranger):
    page = Site.objects.create(name="Ada’s search", slug="ada", owner=admin, collection=shared, has_page=True)
    other = Site.objects.create(name="Sid’s log", slug="sid", owner=stranger, collection=shared)
    rita, address = browser(researcher), f"/collections/{shared.pk}/"
    shown = rita.get(address).content.decode()
    assert "Ada’s search" in shown and 'href="/search/ada/"' in shown and "Sid’s log" not in shown
    assert "Ada’s search" in browser(admin).get(address).content.decode()
    assert "Ada’s search" not in browser(stranger).get(address).content.decode()

    stop = f"{address}pages/{page.pk}/stop/"
    assert browser(stranger).post(stop).status_code == 404
    assert rita.post(f"{address}pages/{other.pk}/stop/").status_code == 404
    assert rita.post(stop).status_code == 302
    assert statuses("ada") == {404}
    left = AuditEntry.objects.latest("pk")
    assert (left.deed, left.by, left.site, left.collection) == ("access", researcher, page, shared)
    assert left.about == "site “Ada’s search”, has page: yes → no"


def test_the_same_by_the_api(browser, shared, admin, researcher, stranger):
    page = Site.objects.create(name="Ada’s search", slug="ada", owner=admin, collection=shared, has_page=True)
    rita, address = browser(researcher), f"{V1}/collections/{shared.pk}/pages/"
    (listed,) = rita.get(address).json()["results"]
    assert listed == {"site": page.pk, "name": "Ada’s search", "slug": "ada", "owner": "ada"}
    assert browser(stranger).get(address).status_code == 404
    assert browser(stranger).post(f"{address}{page.pk}/stop/").status_code == 404
    assert rita.post(f"{address}{page.pk}/stop/").status_code == 204
    assert rita.post(f"{address}{page.pk}/stop/").status_code == 404
    assert rita.get(address).json()["results"] == []
    assert statuses("ada") == {404}


@pytest.mark.django_db(transaction=True)
def test_arms_show_nothing_of_another_collection(site, shared, runs, stranger):
    """Sid's experiment began where he reads; then his site turned to what he owns."""
    own = Collection.objects.create(name="Own", owner=stranger)
    Document.objects.create(collection=own, docno="own1", title="diet of owls")
    sids = Site.objects.create(name="Sid", slug="sid", owner=stranger, collection=shared)
    arms = [Arm(name="control", run=runs[0], is_control=True), Arm(name="new", run=runs[1])]
    lifecycle.start(drafts.create(sids, by=stranger, name="runs", arms=arms), by=stranger)
    Site.objects.filter(pk=sids.pk).update(collection=own, has_page=True)
    response = Client().get("/search/sid/", {"q": "diet of owls"})
    assert [result["docno"] for result in response.context["results"]] == ["own1"]


def test_who_cannot_read_a_collection_learns_none_of_its_names(browser, readers_site, runs, stranger, researcher):
    """Sharing has ended; the site goes on without it."""
    Collection.objects.update(shared=False, name="Secret birds")
    sid, pk = browser(stranger), readers_site.pk
    arms = [Arm(name="control", run=runs[0], is_control=True), Arm(name="new", run=runs[1])]
    made = drafts.create(readers_site, by=stranger, name="runs", arms=arms)
    pages = ["/sites/", f"/sites/{pk}/", f"/sites/{pk}/settings/", f"/sites/{pk}/experiments/new/", f"/experiments/{made.pk}/"]
    for address in pages:
        shown = sid.get(address)
        assert shown.status_code == 200
        assert "Secret birds" not in shown.content.decode(), address
        assert "Run alpha" not in shown.content.decode() and ">alpha<" not in shown.content.decode(), address
    assert indexes.root().exists() is False


@pytest.mark.django_db(transaction=True)
def test_a_run_without_its_documents_has_no_links(site, researcher, collection):
    import polars as pl

    frame = pl.DataFrame({"topic": ["1", "1"], "docno": ["d1", "gone"], "score": [2.0, 1.0]})
    run = store_run(frame, collection=collection, name="wide", by=researcher)
    arms = [Arm(name="control", run=run, is_control=True), Arm(name="new", run=run)]
    lifecycle.start(drafts.create(site, by=researcher, name="runs", arms=arms), by=researcher)
    page = Client().get("/search/birds/", {"q": "diet of owls"}).content.decode()
    assert "docno=d1" in page and "docno=gone" not in page


def test_grades_from_clicks_of_a_readers_site_are_the_readers_alone(shared, researcher, stranger, admin):
    """Who reads a collection adds nothing to it that others see; its owner's clicks are part of it."""
    import polars as pl

    from judging.access import qrels_for
    from judging.collections.storage import store_qrels

    grades = pl.DataFrame({"topic": ["1"], "docno": ["d1"], "grade": [1]})
    for by in (researcher, stranger):
        store_qrels(grades, collection=shared, name=f"{by}-clicks", by=by, recipe={"site": "Bird shop"}, sparse=True)
    store_qrels(grades, collection=shared, name="official", by=researcher)
    seen = {user: sorted(qrels.name for qrels in qrels_for(user)) for user in (researcher, stranger, admin)}
    assert seen[researcher] == ["official", "rita-clicks"]
    assert seen[stranger] == seen[admin] == ["official", "rita-clicks", "sid-clicks"]
