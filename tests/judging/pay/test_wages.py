"""The wage in the bar above a worker's page: what `earned_of` reckons, in one query, and shown before anybody joins."""

import re
from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.models import Item, Study, Worker
from judging.pay.earnings import earned_of
from judging.pay.wages import wage, wage_of
from judging.recruiting.invites import token_of
from judging.work import checks
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots

pytestmark = pytest.mark.django_db

RATES = [{"pay_a_judgement": Decimal("0.0625")}, {"pay_an_hour": Decimal("11.55")}]
SECONDS = [12, 31, 4000, 7, 55]  # the third is a page that was left open


@pytest.fixture(params=RATES, ids=["by the judgement", "by the hour"])
def paid(running, request):
    Study.objects.update(seconds_a_judgement=30, **request.param)
    running.refresh_from_db()
    return running


def answer(worker: Worker, seconds: float, grade: int = 1) -> None:
    Worker.objects.filter(pk=worker.pk).update(consented=timezone.now() - timedelta(days=1))
    item = next_slots(worker)[0].item
    record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=grade, milliseconds=int(seconds * 1000)))


def again(worker: Worker) -> Worker:
    return Worker.objects.select_related("study").get(pk=worker.pk)


def test_it_is_what_the_pay_page_reckons(paid, make_worker):
    worker = make_worker(paid)
    for seconds in SECONDS:
        answer(again(worker), seconds)
        assert wage(again(worker)).pay == earned_of(again(worker)).pay
    assert wage(again(worker)).an_hour == earned_of(again(worker)).an_hour


@pytest.mark.parametrize("most", [None, 3])
def test_it_is_one_query(paid, make_worker, django_assert_num_queries, most):
    Study.objects.update(most_judgements=most)
    worker = again(make_worker(paid))
    with django_assert_num_queries(1):
        wage(worker)


def test_where_nobody_is_paid_nothing_is_asked(running, make_worker, django_assert_num_queries):
    worker = again(make_worker(running))
    with django_assert_num_queries(0):
        assert wage(worker) is None


def test_an_hour_is_reckoned_after_a_minute():
    study = Study(pay_a_judgement=Decimal("0.1"), currency="EUR")
    assert str(wage_of(study, 2, Decimal(59))) == "0.20 EUR"
    assert str(wage_of(study, 2, Decimal(60))) == "0.20 EUR, 12.00 an hour"


# On the pages


def bar(page: str) -> str:
    link = re.search(r'class="wage"[^>]*>([^<]*)<', page)
    return link[1] if link else ""


@pytest.fixture
def worker(paid, joined):
    return Worker.objects.select_related("study").get()


def test_it_stands_above_each_page_of_the_worker(client, worker):
    answer(worker, 40)
    answer(again(worker), 41)
    words = str(wage(again(worker)))
    for name in ("judge", "answers", "my_work"):
        assert bar(client.get(reverse(name, args=[worker.study_id])).content.decode()) == words


def test_the_script_gets_it_with_the_next_item(client, worker):
    answer(worker, 90)
    reply = client.get(reverse("judge_ahead", args=[worker.study_id]), headers={"X-Requested-With": "fetch"}).content.decode()
    assert f'data-wage="{wage(again(worker))}"' in reply


def test_the_end_says_what_was_earned(client, worker):
    while next_slots(again(worker)):
        answer(again(worker), 30)
    page = client.get(reverse("judge", args=[worker.study_id])).content.decode()
    assert "All done" in page
    assert f"{earned_of(again(worker)).pay} EUR" in page and "Hourly rate so far" in page


# Before they join


def invitation(client, link) -> str:
    client.get(reverse("follow_invite", args=[token_of(link)]))
    return client.get(reverse("join")).content.decode()


def test_the_invitation_says_how_long_it_takes_and_what_it_pays(client, link, running):
    Study.objects.update(seconds_a_judgement=30, pay_a_judgement=Decimal("0.1"))
    page = invitation(client, link)
    assert "at most 6" in page and "about 3 min" in page and "about 0.60 EUR" in page and "unpaid" not in page


def test_the_invitation_says_about_where_chance_mixes_checks_in(client, link, running):
    checks.designate([running.items.first()], Item.Role.GOLD, right=[1])
    Study.objects.update(gold_every=5)
    page = " ".join(invitation(client, link).split())
    assert re.search(r"<dt>Documents</dt> ?<dd>about \d", page) and "at most" not in page


def test_the_invitation_promises_what_is_left(client, link, running, make_worker):
    Study.objects.update(seconds_a_judgement=30, pay_a_judgement=Decimal("0.1"))
    items = set(running.slots.values_list("item", flat=True))
    half_done, done = [items.pop() for _ in range(2)], [items.pop() for _ in range(2)]
    for worker, judged in [(make_worker(running), half_done + done), (make_worker(running), done)]:
        for item in judged:
            slot = running.slots.filter(item=item, judged_at=None).first()
            running.slots.filter(pk=slot.pk).update(worker=worker, leased_until=timezone.now(), judged_at=timezone.now())
    page = invitation(client, link)
    assert "at most 4" in page and "about 2 min" in page and "about 0.40 EUR" in page
    Study.objects.update(most_judgements=3)
    assert "at most 3" in invitation(client, link)


def test_the_invitation_says_that_it_is_unpaid(client, link, running):
    page = invitation(client, link)
    assert "unpaid" in page and "EUR" not in page
