"""The judge page of a study with further questions, as a browser without a script uses it."""

import re

import pytest
from django.urls import reverse

from judging.models import Judgement
from judging.recruiting.invites import invite, token_of
from tests.judging.labels.asked import FULL, launched

pytestmark = pytest.mark.django_db


@pytest.fixture
def page_address(client, study, researcher):
    link = invite(launched(study), by=researcher)
    client.get(reverse("follow_invite", args=[token_of(link)]))
    client.post(reverse("join"), {"agree": "1"})
    return reverse("judge", args=[study.pk])


def form_of(page: str) -> dict:
    return {name: re.findall(rf'name="{name}" value="([^"]+)"', page)[0] for name in ("key", "offer")}


FIELDS = {"reply-0": "1", "reply-1": "2", "reply-2-1": "1", "reply-3": "It says so."}


def test_the_page_asks_and_stores_what_is_replied(client, page_address):
    page = client.get(page_address).content.decode()
    for words in ("Would you believe it?", "by day", "by night", "Much", "Why?"):
        assert words in page
    client.post(page_address, {**form_of(page), **FIELDS, "grade": "2"})
    assert Judgement.objects.get().replies == FULL


def test_an_answered_page_shows_what_was_replied(client, page_address):
    page = client.get(page_address).content.decode()
    client.post(page_address, {**form_of(page), **FIELDS, "grade": "2"})
    again = client.get(reverse("judge_back", args=[Judgement.objects.get().item.study_id]), follow=True).content.decode()
    checked = set(re.findall(r'name="(reply-[^"]+)" value="[^"]+" data-draft\s+checked', again))
    assert checked == {"reply-0", "reply-1", "reply-2-1"}
    assert 'value="It says so."' in again


def test_the_next_item_has_nothing_filled_in(client, page_address):
    page = client.get(page_address).content.decode()
    page = client.post(page_address, {**form_of(page), **FIELDS, "grade": "2"}, follow=True).content.decode()
    assert "checked" not in page
    assert "It says so." not in page


def test_a_grade_without_a_required_reply_is_refused_with_the_question(client, page_address):
    page = client.get(page_address).content.decode()
    answer = client.post(page_address, {**form_of(page), "grade": "2"})
    assert answer.status_code == 400
    assert b"Would you believe it?" in answer.content
    assert not Judgement.objects.exists()


def test_who_cannot_judge_need_not_reply(client, page_address):
    page = client.get(page_address).content.decode()
    client.post(page_address, {**form_of(page), "cannot_judge": "language"})
    judgement = Judgement.objects.get()
    assert (judgement.cannot_judge, judgement.replies) == ("language", {})


@pytest.mark.parametrize("name", ["reply-0", "reply-1", "reply-2-1"])
@pytest.mark.parametrize("value", ["x", "9", "-1", "1" * 5000, "٣x"])
def test_nonsense_is_refused(client, page_address, name, value):
    page = client.get(page_address).content.decode()
    answer = client.post(page_address, {**form_of(page), **FIELDS, name: value, "grade": "2"})
    assert answer.status_code == 400
    assert not Judgement.objects.exists()


def test_instructions_and_the_researchers_preview_tell_of_the_questions(client, page_address, study, researcher):
    assert "Would you believe it?" in client.get(reverse("instructions", args=[study.pk])).content.decode()
    client.force_login(researcher)
    assert "by night" in client.get(reverse("study_preview", args=[study.pk])).content.decode()
