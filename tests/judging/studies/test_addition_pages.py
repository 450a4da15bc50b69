"""Taking back what was added to a study: on the study's page, by the API, and what workers see of it."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse
from django.utils import timezone

from judging.models import Item, Judgement, Slot, Study, Worker
from judging.studies import launch
from judging.studies.additions import take_back
from judging.studies.growth import add_items
from judging.work import checks
from judging.work.answers import Answer, record_judgement
from judging.work.priority import prioritise

pytestmark = pytest.mark.django_db


@pytest.fixture
def addition(running, researcher):
    """Three documents more, which Rita added."""
    return add_items(running, [("1", "d3"), ("1", "d4"), ("1", "d5")], by=researcher).addition


def item_of(addition, docno):
    return addition.items.get(document__docno=docno)


def judged(item):
    worker = Worker.objects.create(study=item.study)
    record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=1))


def held(item):
    worker, until = Worker.objects.create(study=item.study), timezone.now() + timedelta(minutes=5)
    Slot.objects.filter(item=item, number=1).update(worker=worker, leased_until=until)


def text_of(answer):
    """The page's words, with single spaces."""
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def page(client, addition):
    return reverse("addition_take_back", args=[addition.study_id, addition.pk])


def study_page(client, study):
    return client.get(reverse("study", args=[study.pk]))


def test_the_studys_page_lists_what_was_added(rita, running, addition):
    judged(item_of(addition, "d3"))
    held(item_of(addition, "d4"))
    answer = study_page(rita, running)
    assert "Added since the launch" in text_of(answer)
    assert re.search(r"3 Take back 1… 1 1 rita", text_of(answer))
    assert page(rita, addition) in answer.content.decode()


def test_where_all_of_it_stays_there_is_no_button(rita, running, addition):
    for item in addition.items.all():
        judged(item)
    answer = study_page(rita, running)
    assert "3 all stay 3 0 rita" in text_of(answer)
    assert page(rita, addition) not in answer.content.decode()


def test_a_study_to_which_nothing_was_added_says_nothing_of_it(rita, running, addition):
    take_back(addition)
    assert "Added since" not in text_of(study_page(rita, running))
    assert "added since" not in text_of(study_page(rita, running))


def test_what_goes_and_what_stays_is_said_before_it_is_confirmed(rita, running, addition):
    judged(item_of(addition, "d3"))
    held(item_of(addition, "d4"))
    words = text_of(rita.get(page(rita, addition)))
    assert "Take back 1 document?" in words
    assert "Nobody has judged it, and no worker has it now." in words
    assert "1 is judged: it stays with its judgements." in words
    assert "1 is being judged now: it stays. Come back later if the worker does not answer." in words
    assert running.items.count() == 9


def test_what_became_a_check_is_withdrawn_first(rita, addition):
    checks.designate([item_of(addition, docno) for docno in ("d3", "d4")], Item.Role.GOLD, right=[1])
    assert "2 became checks: they stay. Withdraw them first" in text_of(rita.get(page(rita, addition)))


def test_once_confirmed_it_is_gone(rita, running, addition):
    judged(item_of(addition, "d3"))
    answer = rita.post(page(rita, addition))
    assert answer.headers["Location"] == reverse("study", args=[running.pk])
    assert [str(message) for message in get_messages(answer.wsgi_request)] == [
        "2 documents were taken back. 1 document stays: 1 judged."
    ]
    assert running.items.count() == 7


def test_where_nothing_is_free_the_page_says_why_and_has_no_button(rita, running, addition):
    for item in addition.items.all():
        held(item)
    answer = rita.get(page(rita, addition))
    assert "Nothing to take back" in text_of(answer)
    assert "3 are being judged now: they stay." in text_of(answer)
    assert '<form method="post">' not in answer.content.decode().split("<h1")[1]
    again = rita.post(page(rita, addition))
    (message,) = get_messages(again.wsgi_request)
    assert str(message) == "Nothing was taken back. 3 documents stay: 3 being judged now."
    assert running.items.count() == 9


@pytest.mark.parametrize("method", ["get", "post"])
def test_whoever_asks_again_after_all_of_it_went_is_told(rita, running, addition, method):
    rita.post(page(rita, addition))
    answer = getattr(rita, method)(page(rita, addition))
    assert answer.headers["Location"] == reverse("study", args=[running.pk])
    assert "Nothing is left of this addition" in [str(message) for message in get_messages(answer.wsgi_request)][-1]
    assert running.items.count() == 6


@pytest.mark.parametrize(("end", "reason"), [(launch.close, "This study is closed"), (launch.archive, "This study is archived")])
def test_a_closed_or_archived_study_says_why_not(rita, running, addition, end, reason):
    end(running)
    answer = study_page(rita, running)
    assert reason in text_of(answer)
    assert page(rita, addition) not in answer.content.decode()
    confirmation = rita.get(page(rita, addition))
    assert reason in text_of(confirmation)
    assert '<form method="post">' not in confirmation.content.decode().split("<h1")[1]
    (message,) = get_messages(rita.post(page(rita, addition)).wsgi_request)
    assert reason in str(message)
    assert running.items.count() == 9


def test_nobody_else_finds_it_and_none_is_found_in_another_study(client, rita, running, addition, stranger, collection):
    other = Study.objects.create(collection=collection, name="Other", created_by=running.created_by, instructions="x")
    other.members.add(running.created_by)
    assert rita.post(reverse("addition_take_back", args=[other.pk, addition.pk])).headers["Location"] == f"/studies/{other.pk}/"
    client.force_login(stranger)
    assert client.post(page(client, addition)).status_code == 404
    assert running.items.count() == 9


def test_the_api_lists_and_takes_back(rita, running, addition):
    judged(item_of(addition, "d3"))
    address = f"/api/v1/studies/{running.pk}/additions/"
    (row,) = rita.get(address).json()["results"]
    assert row == rita.get(f"{address}{addition.pk}/").json()
    assert row.pop("created")
    assert row == {"id": addition.pk, "by": "rita", "documents": 3, "judged": 1, "held": 0, "checks": 0, "free": 2}
    answer = rita.delete(f"{address}{addition.pk}/")
    stayed = {"judged": 1, "held": 0, "checks": 0}
    assert (answer.status_code, answer.json()) == (200, {"taken_back": 2, **stayed})
    again = rita.delete(f"{address}{addition.pk}/")
    assert (again.status_code, again.json()) == (200, {"taken_back": 0, **stayed})


def test_the_api_says_why_a_closed_study_keeps_all_of_it(rita, running, addition):
    launch.close(running)
    answer = rita.delete(f"/api/v1/studies/{running.pk}/additions/{addition.pk}/")
    assert answer.status_code == 409
    assert "This study is closed" in answer.json()["detail"]
    assert running.items.count() == 9


def test_the_api_knows_no_addition_that_is_gone(rita, running, addition):
    address = f"/api/v1/studies/{running.pk}/additions/{addition.pk}/"
    assert rita.delete(address).json()["taken_back"] == 3
    assert rita.delete(address).status_code == 404


@pytest.mark.parametrize("by_script", [False, True])
def test_a_worker_whose_document_is_gone_is_told_and_goes_on(joined, running, addition, by_script):
    """They had lost their place, and their page stood open."""
    address = reverse("judge", args=[running.pk])
    prioritise(running, addition.items.values_list("pk", flat=True))
    form = dict(re.findall(r'name="(key|offer)" value="([^"]+)"', joined.get(address).content.decode()))
    Slot.objects.filter(worker__isnull=False).update(leased_until=timezone.now() - timedelta(minutes=1))
    assert take_back(addition) == 3
    headers = {"X-Requested-With": "fetch"} if by_script else {}
    answer = joined.post(address, {**form, "grade": "2"}, headers=headers)
    assert answer.status_code == 400
    assert "This document was taken out of the study meanwhile." in answer.content.decode()
    if not by_script:
        assert 'class="item"' in answer.content.decode(), "the next document"
    assert not Judgement.objects.exists()
