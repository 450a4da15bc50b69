"""What a report on a side-by-side study said before more was answered, and what changed then."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from metrics.kinds.answers import earlier_answers
from metrics.kinds.overview import sentence
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.studies import request_study_report
from tests.metrics.preferences.test_pages import between

pytestmark = pytest.mark.django_db


@pytest.fixture
def again(comparing, make_worker, judge_everything, compute):
    """Another worker answers, and it is computed anew."""

    def again():
        judge_everything(make_worker(comparing))
        return compute(request_study_report(PREFERENCES, comparing))

    return again


def test_page_and_api_list_what_it_said_before_and_who_leads_since(comparing, again, client, researcher):
    client.force_login(researcher)
    api = APIClient()
    api.force_authenticate(researcher)
    first = again()
    said, answers = sentence(first, researcher), first.evidence["judgements"]
    second = again()
    (past,) = earlier_answers(second, researcher)
    assert past.answer.sentence == said
    more = second.evidence["judgements"] - answers
    assert past.change == f"{more} answers more (was {answers}); beta is still first."
    html = client.get(reverse("study_preferences", args=[comparing.pk])).content.decode()
    assert said in html and past.change in html
    (row,) = api.get(f"/api/v1/studies/{comparing.pk}/preferences/").json()["earlier"]
    assert row["change"] == past.change


def test_the_page_of_a_topic_asks_again_too(comparing, again, make_worker, judge_everything, client, researcher):
    client.force_login(researcher)
    topic = comparing.collection.topics.get(number="3")
    address = reverse("study_preferences_topic", args=[comparing.pk, topic.pk]) + between(comparing, "alpha", "beta")
    again()
    assert "Compute again" not in client.get(address).content.decode()
    judge_everything(make_worker(comparing))
    assert "Compute again" in client.get(address).content.decode()
