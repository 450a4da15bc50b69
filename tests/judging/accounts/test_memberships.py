"""Things are shared with people by name, in a role; their owner alone says with whom, and hands them over."""

import pytest
from django.test import Client

from judging import access
from judging.accounts import memberships
from judging.accounts.memberships import CannotShare, Role
from judging.models import AuditEntry, Hypothesis, Site, User
from tests.world import wim  # noqa: F401


@pytest.fixture
def site(researcher):
    return Site.objects.create(name="Bird shop", slug="shop", owner=researcher)


def browser(user):
    client = Client()
    client.force_login(user)
    return client


def shared(client, kind, subject, person, role):
    return client.post(f"/{kind}/{subject.pk}/people/", {"person": person, "role": role})


def test_a_collection_is_shared_with_another_researcher_who_then_reads_it(rita, collection, stranger):
    sid = browser(stranger)
    assert sid.get(f"/collections/{collection.pk}/").status_code == 404
    assert shared(rita, "collections", collection, "sid", "reader").status_code == 302
    page = sid.get(f"/collections/{collection.pk}/").content.decode()
    assert "Owned by rita" in page
    assert "Add files" not in page
    assert not access.own_collections_for(stranger).exists()
    assert AuditEntry.objects.latest("pk").about == "collection “Birds”, sid is its reader"


def test_another_role_takes_the_place_of_the_first(rita, collection, stranger):
    for role in ("reader", "researcher"):
        shared(rita, "collections", collection, "sid", role)
    assert memberships.people_in(collection) == [(stranger, Role.RESEARCHER)]
    assert access.own_collection_for(stranger, collection.pk) == collection
    sid = browser(stranger)
    assert "Add files" in sid.get(f"/collections/{collection.pk}/").content.decode()
    shared(rita, "collections", collection, "sid", "reader")
    assert not access.own_collections_for(stranger).exists()


def test_a_researcher_of_it_changes_a_thing_and_does_not_share_or_delete_it(rita, collection, site, study, stranger):
    for kind, subject in (("collections", collection), ("sites", site), ("studies", study)):
        shared(rita, kind, subject, "sid", "researcher")
        sid = browser(stranger)
        page = sid.get(f"/{kind}/{subject.pk}/people/")
        assert page.status_code == 200
        assert "rita says who else may what" in page.content.decode()
        assert shared(sid, kind, subject, "sid", "researcher").status_code == 404
        assert sid.post(f"/{kind}/{subject.pk}/people/hand-over/", {"person": "sid", "sure": "on"}).status_code == 404
        assert sid.post(f"/{kind}/{subject.pk}/people/{stranger.pk}/remove/").status_code == 404
    assert sid.post(f"/collections/{collection.pk}/delete/").status_code == 404
    assert sid.post(f"/sites/{site.pk}/delete/").status_code == 404


def test_who_is_removed_finds_nothing_any_more(rita, study, stranger):
    shared(rita, "studies", study, "sid", "researcher")
    sid = browser(stranger)
    assert sid.get(f"/studies/{study.pk}/").status_code == 200
    assert rita.post(f"/studies/{study.pk}/people/{stranger.pk}/remove/").status_code == 302
    assert sid.get(f"/studies/{study.pk}/").status_code == 404
    left = AuditEntry.objects.latest("pk")
    assert (left.about, left.study) == ("study “Bird study”, sid is no longer its researcher", study)


@pytest.fixture
def verdict(collection, researcher):
    old, new = (collection.systems.create(name=name, created_by=researcher) for name in ("old", "new"))
    return Hypothesis.objects.create(a=old, b=new, created_by=researcher, expectations={})


@pytest.mark.parametrize("kind", ["collections", "sites", "studies", "verdicts"])
def test_a_thing_is_handed_over_and_who_had_it_goes_on_in_it(rita, researcher, collection, site, study, verdict, stranger, kind):
    subject = {"collections": collection, "sites": site, "studies": study, "verdicts": verdict}[kind]
    memberships.give(collection, stranger, Role.READER, by=researcher)
    refused = rita.post(f"/{kind}/{subject.pk}/people/hand-over/", {"person": "sid"})
    assert refused.status_code == 422
    assert rita.post(f"/{kind}/{subject.pk}/people/hand-over/", {"person": "sid", "sure": "on"}).status_code == 302
    subject.refresh_from_db()
    assert subject.owner == stranger
    assert memberships.people_in(subject) == [(researcher, Role.READER if kind == "verdicts" else Role.RESEARCHER)]
    assert AuditEntry.objects.latest("pk").about.endswith("owner: rita → sid")
    assert shared(rita, kind, subject, "sid", "reader").status_code == 404
    assert rita.get(f"/{kind}/{subject.pk}/").status_code == 200


def test_a_verdict_is_handed_to_who_sees_what_it_is_on_and_says_who_asked(rita, verdict, collection, researcher, stranger):
    address = f"/verdicts/{verdict.pk}/people/hand-over/"
    refused = rita.post(address, {"person": "sid", "sure": "on"})
    assert refused.status_code == 422 and "sid does not see “Birds”" in refused.content.decode()
    memberships.give(collection, stranger, Role.RESEARCHER, by=researcher)
    rita.post(address, {"person": "sid", "sure": "on"})
    assert access.own_hypothesis_for(stranger, verdict.pk).created_by == researcher
    assert "shared with you by sid" in rita.get(f"/verdicts/{verdict.pk}/").content.decode()
    assert rita.post(f"/verdicts/{verdict.pk}/again/").status_code == 404


def test_of_two_who_hand_over_at_once_the_second_owns_nothing_to_give(study, researcher, stranger, admin):
    memberships.hand_over(study, stranger, by=researcher)
    with pytest.raises(CannotShare, match="sid owns it by now"):
        memberships.hand_over(study, admin, by=researcher)


@pytest.mark.parametrize(
    ("person", "role", "why"),
    [
        ("nobody here", "reader", "no account of this name"),
        ("wim", "researcher", "not a researcher"),
        ("rita", "reader", "owns it"),
        ("sid", "owner", "not one of the available choices"),
        ("sid", "judge", "not one of the available choices"),
        ("wim", "reader", "not a researcher"),  # who reads a collection makes studies over it
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(rita, collection, stranger, wim, person, role, why):  # noqa: F811
    refused = shared(rita, "collections", collection, person, role)
    assert refused.status_code == 422
    assert why in refused.content.decode()
    assert memberships.people_in(collection) == []


def test_nothing_is_handed_to_who_could_not_see_it(study, researcher, wim):  # noqa: F811
    gone = User.objects.create_user("gone", is_researcher=True, is_active=False)
    for person in (wim, gone):
        with pytest.raises(CannotShare):
            memberships.hand_over(study, person, by=researcher)


def test_who_stops_being_a_researcher_changes_nothing_any_more(rita, collection, site, study, stranger):
    for kind, subject in (("collections", collection), ("sites", site), ("studies", study)):
        shared(rita, kind, subject, "sid", "researcher")
    User.objects.filter(pk=stranger.pk).update(is_researcher=False)
    sid = browser(stranger)
    for address in (
        f"/collections/{collection.pk}/",
        f"/sites/{site.pk}/",
        f"/sites/{site.pk}/records/",
        f"/studies/{study.pk}/",
    ):
        assert sid.get(address).status_code == 404, address
    assert not access.sees_records(User.objects.get(pk=stranger.pk), site)


def test_a_judge_joins_without_a_link(rita, running, wim):  # noqa: F811
    worker = browser(wim)
    assert worker.get(f"/open/{running.pk}/").status_code == 404
    shared(rita, "studies", running, "wim", "judge")
    assert "Bird study" in worker.get("/").content.decode()
    assert worker.post(f"/open/{running.pk}/", {"agree": "1"}).status_code == 302
    assert worker.get(f"/judge/{running.pk}/").status_code == 200
    assert worker.get(f"/studies/{running.pk}/").status_code == 404
    assert browser(User.objects.create_user("another")).get(f"/open/{running.pk}/").status_code == 404


def test_a_reader_of_a_study_sees_what_came_out_and_nobodys_work(rita, running, wim):  # noqa: F811
    shared(rita, "studies", running, "wim", "reader")
    reader = browser(wim)
    home = reader.get("/").content.decode()
    assert "Shared with you" in home
    address = f"/studies/{running.pk}/quality/"
    assert address in home
    page = reader.get(address)
    assert page.status_code == 200
    assert "/pay/" not in page.content.decode()
    for part in ("", "results/", "pay/", "judgements/", "people/", "quality/workers/", "quality/items/", "export/judgements.csv"):
        assert reader.get(f"/studies/{running.pk}/{part}").status_code == 404, part
    assert reader.post(f"/studies/{running.pk}/quality/again/").status_code == 404
    assert reader.post(f"/studies/{running.pk}/pause/").status_code == 404


def test_a_verdict_is_shared_with_somebody_who_does_no_research(rita, verdict, collection, wim):  # noqa: F811
    reader = browser(wim)
    assert reader.get(f"/verdicts/{verdict.pk}/").status_code == 404
    shared(rita, "verdicts", verdict, "wim", "reader")
    page = reader.get(f"/verdicts/{verdict.pk}/")
    assert "shared with you by rita" in page.content.decode()
    assert f"/collections/{collection.pk}/" not in page.content.decode()
    for action in ("again", "share"):
        assert reader.post(f"/verdicts/{verdict.pk}/{action}/", {"days": 7}).status_code == 404
    assert reader.get(f"/verdicts/{verdict.pk}/people/").status_code == 404


def test_a_researcher_of_a_site_does_not_say_what_others_may_see_of_it(rita, collection, site, stranger):
    Site.objects.filter(pk=site.pk).update(collection=collection)
    shared(rita, "sites", site, "sid", "researcher")
    sid = browser(stranger)
    numbers = {
        "name": "Bird shop",
        "slug": "shop",
        "first_ordinal": 1,
        "keep_days": 9,
        "keep_quarantine_days": 9,
        "rotate_days": 9,
    }
    assert sid.post(f"/sites/{site.pk}/settings/", {**numbers, "has_page": "on"}).status_code == 302
    site.refresh_from_db()
    assert (site.keep_days, site.has_page, site.collection) == (9, False, collection)
    for change in ({"has_page": True}, {"readers": ["sid"]}, {"collection": None}):
        answer = sid.patch(f"/api/v1/sites/{site.pk}/", change, content_type="application/json")
        assert answer.status_code == 403, change


def test_by_the_api_too_the_owner_alone_says_who_runs_a_study(rita, running, stranger):
    shared(rita, "studies", running, "sid", "researcher")
    sid, address = browser(stranger), f"/api/v1/studies/{running.pk}/"
    assert sid.patch(address, {"members": ["sid"]}, content_type="application/json").status_code == 403
    assert sid.patch(address, {"open_call": True}, content_type="application/json").status_code == 200
    assert rita.patch(address, {"members": ["rita"]}, content_type="application/json").status_code == 200
    assert sid.get(address).status_code == 404
