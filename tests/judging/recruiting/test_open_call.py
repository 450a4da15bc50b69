"""Studies that everybody with an account can join."""

import pytest
from django.urls import reverse

from judging.models import Study, User, Worker
from judging.studies import launch
from tests.judging.recruiting.participants import judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def wim(client, db):
    client.force_login(User.objects.create_user("wim", password="a long enough password"))
    return client


@pytest.fixture
def called(running):
    running.pay_an_hour, running.currency = 12, "EUR"
    running.save()
    Study.objects.filter(pk=running.pk).update(open_call=True, language="Italian")
    return running


def page_of(client):
    return client.get(reverse("open_call")).content.decode()


def test_the_page_says_pay_time_language_and_what_is_left(wim, called):
    page = page_of(wim)
    for phrase in ("Bird study", "12.00 EUR", "25 s", "Italian", "Read more and join"):
        assert phrase in page
    assert '<span class="value">12</span>' in page


def test_joining_asks_for_consent_and_makes_one_worker(wim, called):
    address = reverse("open_join", args=[called.pk])
    page = wim.get(address).content.decode()
    assert "What you agree to" in page and "I do not consent" not in page
    assert wim.post(address, {}).status_code == 400
    assert not Worker.objects.exists()
    for _ in range(2):
        assert wim.post(address, {"agree": "1"}).url == reverse("judge", args=[called.pk])
    assert Worker.objects.get().user.username == "wim"
    assert wim.get(reverse("judge", args=[called.pk])).status_code == 200
    assert "Go on judging" in page_of(wim)


@pytest.mark.parametrize(
    "change", [{"open_call": False}, {"state": "paused"}, {"state": "closed"}, {"archived": "2026-01-01T00:00Z"}]
)
def test_what_is_not_called_for_or_does_not_run_is_not_there(wim, called, change):
    Study.objects.filter(pk=called.pk).update(**change)
    page = page_of(wim)
    assert "No study is open now" in page and "open the link that a researcher sent you" in page
    assert wim.get(reverse("open_join", args=[called.pk])).status_code == 404
    assert wim.post(reverse("open_join", args=[called.pk]), {"agree": "1"}).status_code == 404


def test_a_study_without_anything_left_is_not_listed(wim, called, make_worker):
    for _ in range(2):
        judge(make_worker(called), all_of_it=True)
    assert "No study is open now" in page_of(wim)
    page = wim.post(reverse("open_join", args=[called.pk]), {"agree": "1"}).content.decode()  # of somebody who had it open
    assert "Nothing left to judge" in page and "browser that you used" not in page


def test_it_is_for_people_with_an_account(client, called):
    assert client.get(reverse("open_call")).url.startswith("/login/")
    assert client.get(reverse("open_join", args=[called.pk])).url.startswith("/login/")


def test_who_is_no_researcher_finds_it_in_the_navigation(wim, called):
    page = wim.get("/").content.decode()
    assert page.split("</nav>")[0].count(reverse("open_call")) == 1
    assert "Studies you can join" in page


def test_researchers_reach_it_too(client, researcher, called):
    client.force_login(researcher)
    page = client.get("/").content.decode()
    assert reverse("open_call") not in page.split("</nav>")[0] and reverse("open_call") in page
    assert "Bird study" in page_of(client)


def test_a_researcher_opens_the_study_and_closes_it_again(client, researcher, running):
    client.force_login(researcher)
    address = reverse("open_call_set", args=[running.pk])
    page = client.post(address, {"open_call": "on", "language": "English"}, follow=True).content.decode()
    assert "and this one is there" in page
    assert Study.objects.values_list("open_call", "language").get(pk=running.pk) == (True, "English")
    client.post(address, {"language": "English"})
    assert not Study.objects.get(pk=running.pk).open_call
    page = client.post(address, {"open_call": "on", "language": "x" * 61}, follow=True).content.decode()
    assert "Nothing was changed" in page and not Study.objects.get(pk=running.pk).open_call


def test_the_list_costs_a_constant_number_of_queries(wim, called, researcher, django_assert_max_num_queries):
    for number in range(5):
        other = Study.objects.create(
            collection=called.collection, name=f"S{number}", instructions="x", depth=2, created_by=researcher, open_call=True
        )
        other.runs.set(called.runs.all())
        launch.launch(other)
    with django_assert_max_num_queries(5):
        assert page_of(wim).count("Read more and join") == 6


def test_the_api_opens_a_launched_study_too(as_rita, running):
    address = f"/api/v1/studies/{running.pk}/"
    changed = as_rita.patch(address, {"open_call": True, "language": "Italian"}, content_type="application/json")
    assert (changed.status_code, changed.json()["open_call"], changed.json()["language"]) == (200, True, "Italian")
    refused = as_rita.patch(address, {"open_call": False, "depth": 9}, content_type="application/json")
    assert refused.status_code == 409 and "open call" in refused.json()["detail"]
    assert Study.objects.get(pk=running.pk).open_call


@pytest.fixture
def as_rita(client, researcher):
    client.force_login(researcher)
    return client
