"""The tour: five steps, each with the page it speaks of, remembered per person, ended and taken up by whoever wants to."""

import re

import pytest
from django.urls import reverse

from judging.accounts import tour
from judging.models import Collection

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client, researcher):
    client.force_login(researcher)
    return client


def bar(response) -> str:
    """The text of the tour's bar on a page; nothing without it."""
    section = re.search(r'<section class="tour".*?</section>', response.content.decode(), re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", section[0]).split()) if section else ""


def test_nobody_is_in_it_who_did_not_ask_and_the_dashboard_offers_it(page):
    response = page.get("/")
    assert not bar(response)
    assert "Take the tour" in response.content.decode()


def test_it_goes_on_page_by_page_and_back_and_ends_for_good(page, researcher):
    for step in tour.STEPS:
        response = page.post(reverse("tour"), {"step": step}, follow=True)
        assert response.status_code == 200
        assert f"{step} of 5" in bar(response)
    assert f'value="{step - 1}">Back' in response.content.decode()
    researcher.refresh_from_db()
    assert researcher.tour == 5
    assert "5 of 5" in bar(page.get(reverse("collections")))
    response = page.post(reverse("tour"), {"step": 0}, follow=True)
    assert not bar(response)
    assert "New here?" not in response.content.decode()
    assert "Take the tour" in response.content.decode()  # in the help menu


def test_it_ends_where_it_is_and_leads_to_no_other_site(page):
    for before, after in (("/collections/new/", "http://testserver/collections/new/"), (None, "/")):
        headers = {"Referer": f"http://testserver{before}"} if before else {}
        assert page.post(reverse("tour"), {"step": 0}, headers=headers).url == after
    assert page.post(reverse("tour"), {"step": 0}, headers={"Referer": "http://elsewhere.example/"}).url == "/"


def test_what_does_not_ask_for_a_step_is_refused(page, researcher):
    for step in ("", "6", "-1", "x"):
        assert page.post(reverse("tour"), {"step": step}).status_code == 400
    assert page.get(reverse("tour_page", args=[6])).status_code == 404
    researcher.refresh_from_db()
    assert researcher.tour is None


def test_a_step_leads_to_the_newest_thing_that_its_reader_may_see_else_to_the_list(page, collection, client, stranger):
    newer = Collection.objects.create(name="Newer", owner=collection.owner)
    assert page.get(reverse("tour_page", args=[5])).url == reverse("collection", args=[newer.pk])
    assert page.get(reverse("tour_page", args=[1])).url == reverse("verdicts")
    client.force_login(stranger)
    assert client.get(reverse("tour_page", args=[5])).url == reverse("collections")


def test_it_is_no_business_of_workers(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("wim", password="x"))
    assert client.post(reverse("tour"), {"step": 1}).status_code == 404
    assert client.get(reverse("tour_page", args=[1])).status_code == 404
