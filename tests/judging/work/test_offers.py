"""Offers, without which no answer is taken: for how long they hold, and whose answers come under them."""

from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.models import Judgement, Slot, Study, Worker
from judging.recruiting import invites
from tests.judging.work.test_judge_page import form_of, judge_url

pytestmark = pytest.mark.django_db
BY_SCRIPT = {"X-Requested-With": "fetch"}


def come_by(client, link):
    client.get(reverse("follow_invite", args=[invites.token_of(link)]))
    client.post(reverse("join"), {"agree": "1"})
    return client


def come_again_without_the_cookie(client, link, *, lost="worker"):
    """The browser is somebody new afterwards."""
    for name in [name for name in client.cookies if name.startswith(lost)]:
        del client.cookies[name]
    return come_by(client, link)


def page_form(client, link, grade="3"):
    return {**form_of(client.get(judge_url(link))), "grade": grade}


@pytest.fixture
def thief(link, joined):
    """Another worker of the study, in another browser, with a page open."""
    browser = come_by(Client(), link)
    browser.get(judge_url(link))
    return browser


@pytest.mark.parametrize(("days", "status"), [(30, 200), (31, 400)])
def test_an_answer_is_taken_for_thirty_days_after_the_lease_and_then_refused_in_words(joined, link, days, status):
    form = page_form(joined, link)
    later = timezone.now() + timedelta(days=days, minutes=link.study.lease_minutes - 1)
    with time_machine.travel(later):
        response = joined.post(judge_url(link), form, headers=BY_SCRIPT)
    assert response.status_code == status, "the script tries a 400 no second time"
    assert (b"more than 30 days old" in response.content) == (status == 400)
    assert Judgement.objects.count() == (status == 200)


def test_the_lease_counts_from_when_the_page_was_shown(joined, link):
    Study.objects.update(lease_minutes=3 * 24 * 60)
    form = page_form(joined, link)
    with time_machine.travel(timezone.now() + timedelta(days=32)):
        assert joined.post(judge_url(link), form, headers=BY_SCRIPT).status_code == 200


@pytest.mark.parametrize("script", [True, False])
def test_an_offer_that_somebody_else_got_hold_of_gives_no_answer_in_another_workers_name(joined, link, thief, script):
    form = page_form(joined, link)
    for more in ({}, {"browser": "guessed"}, {"browser": ""}):
        response = thief.post(judge_url(link), {**form, **more}, headers=BY_SCRIPT if script else {})
        assert response.status_code == 400
        assert "not yours" in response.content.decode()
    assert not Judgement.objects.exists()


def test_nor_does_it_change_an_answer(joined, link, thief):
    form = page_form(joined, link)
    joined.post(judge_url(link), form)
    for key in (form["key"], str(uuid4())):
        assert thief.post(judge_url(link), {**form, "key": key, "grade": "0"}).status_code == 400
    assert [judgement.grade for judgement in Judgement.objects.all()] == [3]


def browser_of(client, link):
    """What the script keeps with each answer."""
    return client.cookies[f"browser-{link.study_id}"].value


@pytest.mark.parametrize("lost", ["worker", ""])
def test_what_the_same_browser_kept_is_still_its_first_workers(joined, link, lost):
    """Also where all cookies went: the script has kept the browser's name with the answer."""
    before = Worker.objects.get()
    form = {**page_form(joined, link), "browser": browser_of(joined, link)}
    come_again_without_the_cookie(joined, link, lost=lost)
    for _ in range(2):  # sent twice, it is one answer
        assert joined.post(judge_url(link), form, headers=BY_SCRIPT).status_code == 200
    judgement = Judgement.objects.get()
    assert (judgement.worker, judgement.grade, judgement.slot.worker) == (before, 3, before)


def test_it_gives_a_first_answer_and_changes_none(joined, link):
    form = page_form(joined, link)
    joined.post(judge_url(link), form)
    come_again_without_the_cookie(joined, link)
    for key in (form["key"], str(uuid4())):
        response = joined.post(judge_url(link), {**form, "key": key, "grade": "0"}, headers=BY_SCRIPT)
        assert response.status_code == 400
        assert "the first answer stands" in response.content.decode()
    assert joined.post(judge_url(link), form, headers=BY_SCRIPT).status_code == 200, "a replay is none"
    assert [judgement.grade for judgement in Judgement.objects.all()] == [3]


def test_who_comes_after_somebody_on_the_same_computer_keeps_what_that_one_had_to_send(joined, link):
    """A shared computer: two workers, one browser."""
    first, form = Worker.objects.get(), page_form(joined, link)
    come_again_without_the_cookie(joined, link)
    joined.post(judge_url(link), page_form(joined, link, "1"))
    joined.post(judge_url(link), form, headers=BY_SCRIPT)
    assert Judgement.objects.get(worker=first).grade == 3
    assert Judgement.objects.count() == Slot.objects.filter(judged_at__isnull=False).count() == 2


def test_the_browsers_name_is_no_key_to_its_worker(joined, link):
    """A script can read it, so it must open nothing by itself."""
    other = Client()
    other.cookies[f"browser-{link.study_id}"] = browser_of(joined, link)
    assert other.get(judge_url(link)).status_code == 404
    page = joined.get(judge_url(link)).content.decode()
    assert browser_of(joined, link) not in page, "and no page gives it away"


def test_the_api_refuses_old_offers_too(client, running, researcher):
    from judging.recruiting import identity

    worker = invites.join(running, user=researcher)
    client.force_login(researcher)
    answer = {"offer": identity.offer(worker, running.items.first().pk), "key": str(uuid4()), "grade": 1}
    with time_machine.travel(timezone.now() + timedelta(days=40)):
        client.force_login(researcher)
        response = client.post(f"/api/v1/work/{running.pk}/answer/", answer, content_type="application/json")
    assert response.status_code == 400 and "30 days" in str(response.json()["offer"])
    assert not Judgement.objects.exists()
