"""Nobody's collections, sites and studies are left behind: they are handed over before an account is closed."""

import pytest
from django.test import Client

from judging.accounts import memberships
from judging.models import AuditEntry, Hypothesis, Site, Study, User

PEOPLE = "/admin/judging/user/"
DELETE = {"action": "delete_selected", "post": "yes"}


@pytest.fixture
def ada(admin):
    client = Client()
    client.force_login(admin)
    return client


def account(user, **changed):
    """What the admin's form of an account sends."""
    flags = {name: "on" for name in ("is_active", "is_researcher", "is_superuser") if changed.get(name, getattr(user, name))}
    joined = user.date_joined
    return {"username": user.username, "date_joined_0": f"{joined:%Y-%m-%d}", "date_joined_1": f"{joined:%H:%M:%S}", **flags}


def change(ada, user, **changed):
    return ada.post(f"{PEOPLE}{user.pk}/change/", account(user, **changed))


@pytest.fixture
def lone(study, stranger):
    """A study that Sid owns, though Rita made it."""
    memberships.hand_over(study, stranger, by=study.owner)
    return study


@pytest.mark.parametrize("changed", [{"is_active": False}, {"is_researcher": False}])
def test_who_owns_something_stays(ada, study, researcher, changed):
    Site.objects.create(name="Bird shop", slug="shop", owner=researcher)
    old, new = (study.collection.systems.create(name=name, created_by=researcher) for name in ("old", "new"))
    Hypothesis.objects.create(a=old, b=new, created_by=researcher, expectations={})
    refused = change(ada, researcher, **changed)
    assert refused.status_code == 200
    page = refused.content.decode()
    things = ("the collection “Birds”", "the site “Bird shop”", "the study “Bird study”", "the verdict “new against old”")
    for text in (*things, "set another password"):
        assert text in page
    researcher.refresh_from_db()
    assert researcher.may_research


@pytest.mark.parametrize("changed", [{"is_active": False}, {"is_researcher": False}])
def test_who_owns_a_study_stays_until_somebody_else_does(ada, lone, stranger, researcher, changed):
    assert "the study “Bird study”" in change(ada, stranger, **changed).content.decode()
    memberships.hand_over(lone, researcher, by=stranger)
    assert change(ada, stranger, **changed).status_code == 302
    stranger.refresh_from_db()
    assert not stranger.may_research


@pytest.mark.parametrize("at_once", [False, True])
def test_who_owns_a_study_is_not_deleted(ada, admin, lone, stranger, researcher, at_once):
    def delete():
        if at_once:
            return ada.post(PEOPLE, {**DELETE, "_selected_action": [stranger.pk]})
        return ada.post(f"{PEOPLE}{stranger.pk}/delete/", {"post": "yes"})

    assert "Cannot delete user" in delete().content.decode()
    assert User.objects.filter(pk=stranger.pk).exists()
    memberships.hand_over(lone, researcher, by=admin)
    assert delete().status_code == 302
    assert not User.objects.filter(pk=stranger.pk).exists()


def test_other_settings_of_an_owner_are_changed(ada, study, researcher):
    assert change(ada, researcher, is_superuser=True).status_code == 302


def test_somebody_who_has_nothing_is_deactivated(ada, stranger):
    assert change(ada, stranger, is_active=False).status_code == 302


@pytest.mark.parametrize("members", [[], ["wim"], ["gone"]])
def test_a_study_is_not_given_to_who_could_not_run_it(ada, study, members):
    User.objects.create_user("wim")
    User.objects.create_user("gone", is_researcher=True, is_active=False)
    keys = list(User.objects.filter(username__in=members).values_list("pk", flat=True))
    sent = {"members": keys, "owner": study.owner_id}
    assert ada.post(f"/admin/judging/study/{study.pk}/change/", sent).status_code == 200
    assert [str(member) for member in Study.objects.get().members.all()] == ["rita"]


@pytest.mark.parametrize("name", ["wim", "gone"])
def test_a_collection_is_not_given_to_who_could_not_see_it(ada, collection, name):
    User.objects.create_user("wim")
    User.objects.create_user("gone", is_researcher=True, is_active=False)
    owner = User.objects.get(username=name).pk
    refused = ada.post(f"/admin/judging/collection/{collection.pk}/change/", {"name": "Birds", "owner": owner})
    assert refused.status_code == 200
    collection.refresh_from_db()
    assert collection.owner.username == "rita"


def test_a_site_is_handed_over_and_nothing_else_of_it(ada, researcher, stranger):
    site = Site.objects.create(name="Bird shop", slug="shop", owner=researcher)
    address = f"/admin/judging/site/{site.pk}/change/"
    assert site.secret not in ada.get(address).content.decode()
    assert ada.post(address, {"owner": User.objects.create_user("wim").pk}).status_code == 200
    assert ada.post(address, {"owner": stranger.pk, "name": "Renamed", "has_page": "on"}).status_code == 302
    site.refresh_from_db()
    assert (site.owner, site.name, site.has_page) == (stranger, "Bird shop", False)
    left = AuditEntry.objects.latest("pk")
    assert (left.deed, left.about, left.site) == ("access", "site “Bird shop”, owner: sid", site)
    assert change(ada, researcher, is_active=False).status_code == 302
