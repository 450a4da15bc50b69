"""What a site's click report said before, as its owner and its readers may know it."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from judging.logs.erasure import erase
from judging.logs.intake import receive
from judging.models import User
from metrics import tasks
from metrics.kinds.answers import earlier_answers
from metrics.models import EarlierAnswer, Report
from tests.metrics.logs.clicked_log import computed, search

pytestmark = pytest.mark.django_db

TOO_FEW = "Too few users to show: readers see what 10 users or more did."


@pytest.fixture
def reader(site):
    user = User.objects.create_user("reed", is_researcher=True)
    site.readers.add(user)
    return user


@pytest.fixture
def twice(site):
    """A report on so many users' searches, and another after more have come."""

    def twice(before, more):
        for number in range(before):
            receive(site, search(number, clicked="b"))
        computed(site)
        for number in range(before, before + more):
            receive(site, search(number))
        return computed(site)

    return twice


def test_page_and_api_list_it_with_what_changed(twice, site, rita, researcher):
    report = twice(15, 15)
    (past,) = earlier_answers(report, researcher)
    text = "100 % of 15 impressions to 15 users have a click on the first 10 results, of all that is kept."
    change = "15 impressions more (was 15); 15 users more (was 15); 50 % with a click, was 100 %."
    assert (past.answer.sentence, past.change) == (text, change)
    html = rita.get(reverse("site_clicks", args=[site.pk])).content.decode()
    assert text in html and change in html
    api = APIClient()
    api.force_authenticate(researcher)
    (row,) = api.get(f"/api/v1/sites/{site.pk}/clicks/").json()["earlier"]
    assert (row["sentence"], row["change"]) == (text, change)


def test_readers_are_told_nothing_of_few(twice, site, researcher, reader):
    report = twice(4, 15)
    assert "4 impressions to 4 users" in earlier_answers(report, researcher)[0].answer.sentence
    (past,) = earlier_answers(report, reader)
    assert (past.answer.sentence, "was 4" in past.change) == (TOO_FEW, False)
    client = Client()
    client.force_login(reader)
    assert "4 impressions to 4 users" not in client.get(reverse("site_clicks", args=[site.pk])).content.decode()


def test_nor_of_the_difference_that_few_make(twice, researcher, reader):
    report = twice(15, 3)
    assert len(earlier_answers(report, researcher)) == 1
    assert earlier_answers(report, reader) == []


def test_another_period_is_named(site, researcher):
    receive(site, search(1, clicked="b"))
    computed(site, days=90)
    (past,) = earlier_answers(computed(site), researcher)
    assert past.change == "Of all that is kept (was of the last 90 days)."


@pytest.mark.parametrize("old", [False, True])
def test_they_go_with_click_reports(twice, site, researcher, old):
    """When a user is erased, and when they are too old."""
    twice(15, 15)
    if old:
        long_ago = timezone.now() - timedelta(days=site.keep_days + 1)
        EarlierAnswer.objects.update(computed=long_ago)
        tasks.sweep_log_reports()
        assert Report.objects.exists()
    else:
        erase(site, client="c1", by=researcher)
        tasks.forget_users(site=site.pk)
    assert not EarlierAnswer.objects.exists()


def test_the_page_of_a_query_asks_for_the_same_period_again(twice, site, client, reader, researcher):
    twice(15, 0)
    address = reverse("site_clicks_query", args=[site.pk]) + "?q=diet+of+owls"
    client.force_login(researcher)
    assert "Compute again" not in client.get(address).content.decode()
    receive(site, search(99))
    html = client.get(address).content.decode()
    assert "Evidence has come since." in html and 'type="hidden" name="days"' in html
    client.force_login(reader)
    assert "Compute again" not in client.get(address).content.decode()
