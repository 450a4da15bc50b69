"""How many items per worker's script holds ahead: one, or ten where the connection is bad."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from judging.labels import gold_choice
from judging.models import Item, Slot, Worker
from judging.studies import launch
from judging.views.judge import wanted_ahead
from judging.work import checks, exclusions
from judging.work.tickets import ticket
from tests.judging.work.test_judge_page import form_of, judge_url

pytestmark = pytest.mark.django_db
SCRIPT = {"X-Requested-With": "fetch"}
ITEMS = 6  # of the study


def item_in(response) -> str | None:
    items = re.findall(r'data-item="([^"]+)"', response.content.decode())
    return items[0] if items else None


def held_in(response) -> list[str]:
    (held,) = re.findall(r'data-held="([^"]*)"', response.content.decode())
    return held.split(",") if held else []


def ask_ahead(client, link, have, ahead):
    return client.get(reverse("judge_ahead", args=[link.study_id]), {"have": ",".join(have), "ahead": ahead}, headers=SCRIPT)


def fill_up(client, link, ahead) -> list[str]:
    """What the script has when it has asked until nothing more comes, the item on the page first."""
    have: list[str] = []
    reply = client.get(judge_url(link))
    while item := item_in(reply):
        have.append(item)
        reply = ask_ahead(client, link, have, ahead)
    return have


def names_of_held() -> set[str]:
    worker = Worker.objects.get()
    held = Slot.objects.filter(worker=worker, judged_at=None).values_list("item", flat=True)
    return {ticket(worker, item) for item in held}


@pytest.mark.parametrize(
    ("text", "count"), [("1", 1), ("4", 4), ("10", 10), ("11", 10), ("9" * 17, 10), ("0", 1), ("-3", 1), ("²", 1), ("", 1)]
)
def test_from_one_to_ten_can_be_wanted(text, count):
    assert wanted_ahead(QueryDict(f"ahead={text}")) == count


def test_a_script_that_says_nothing_holds_one(joined, link):
    page = joined.get(judge_url(link))
    joined.get(reverse("judge_ahead", args=[link.study_id]), {"have": item_in(page)}, headers=SCRIPT)
    assert len(names_of_held()) == 2


@pytest.mark.parametrize("ahead", [1, 3, 10])
def test_items_come_one_by_one_until_there_are_as_many_as_wanted(joined, link, ahead):
    have = fill_up(joined, link, ahead)
    assert len(have) == len(set(have)) == min(1 + ahead, ITEMS)
    assert set(have) == names_of_held()


def test_every_reply_names_what_is_held(joined, link):
    page = joined.get(judge_url(link))
    reply = ask_ahead(joined, link, [item_in(page)], 3)
    assert set(held_in(reply)) == names_of_held()
    assert len(held_in(reply)) == 4
    reply = joined.post(judge_url(link), {**form_of(page), "grade": "1", "ahead": "3"}, headers=SCRIPT)
    assert set(held_in(reply)) == names_of_held()
    assert item_in(page) not in held_in(reply)
    assert len(held_in(reply)) == 4
    have = held_in(reply)
    assert set(held_in(ask_ahead(joined, link, have, 3))) == set(have)  # also where no item comes


def test_each_answer_brings_one_more(joined, link):
    have = fill_up(joined, link, 2)
    form = {**form_of(joined.get(judge_url(link))), "grade": "1", "ahead": "2", "have": ",".join(have[1:])}
    reply = joined.post(judge_url(link), form, headers=SCRIPT)
    assert item_in(reply) not in have
    assert item_in(ask_ahead(joined, link, [*have[1:], item_in(reply)], 2)) is None


def test_what_went_to_somebody_else_is_named_no_more(joined, link, make_worker):
    have = fill_up(joined, link, 2)
    worker = Worker.objects.get()
    lost = Slot.objects.filter(worker=worker).last()
    for slot in Slot.objects.filter(item=lost.item_id):
        Slot.objects.filter(pk=slot.pk).update(worker=make_worker(link.study), leased_until=lost.leased_until)
    reply = ask_ahead(joined, link, have, 2)
    assert ticket(worker, lost.item_id) not in held_in(reply)
    assert item_in(reply) not in have
    assert len(held_in(reply)) == 3


@pytest.mark.parametrize("stop", [launch.pause, launch.close])
def test_at_a_pause_and_a_closing_nothing_more_is_given(joined, link, stop):
    have = fill_up(joined, link, 2)
    stop(link.study)
    form = {**form_of(joined.get(judge_url(link))), "grade": "1", "ahead": "10", "have": ",".join(have[1:])}
    reply = joined.post(judge_url(link), form, headers=SCRIPT)
    assert item_in(reply) is None
    assert set(held_in(reply)) == set(have[1:])


def test_who_is_blocked_holds_nothing(joined, link):
    fill_up(joined, link, 3)
    exclusions.exclude(Worker.objects.get(), standing=Worker.Standing.BLOCKED, reason="Bots do so.")
    reply = ask_ahead(joined, link, [], 10)
    assert (item_in(reply), held_in(reply)) == (None, [])


def test_work_does_not_come_before_practice_is_answered(joined, link):
    topic = link.study.collection.topics.get(number="1")
    for docno in ("d3", "d4"):
        gold_choice.add(
            link.study, role=Item.Role.TRAINING, topic=topic, document=link.study.collection.documents.get(docno=docno), right=[1]
        )
    fill_up(joined, link, 10)
    assert set(Slot.objects.filter(worker__isnull=False).values_list("item__role", flat=True)) == {Item.Role.TRAINING}


def test_checks_are_among_what_is_ahead_and_none_comes_twice(joined, link):
    checks.designate(link.study.items.order_by("position")[:2], Item.Role.GOLD, right=[1])
    link.study.refresh_from_db()
    link.study.gold_every = 2
    link.study.save()
    have = fill_up(joined, link, 10)
    assert len(have) == len(set(have)) == Slot.objects.filter(worker__isnull=False).count()
    assert set(have) == names_of_held()


def test_many_ahead_cost_as_many_queries_as_one(joined, link):
    """While there is more to judge than they are."""
    counts = []
    for ahead in (1, ITEMS - 1):
        have = fill_up(joined, link, ahead)
        with CaptureQueriesContext(connection) as captured:
            ask_ahead(joined, link, have[:-1], ahead)
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_whoever_wants_fewer_is_given_no_more_until_they_are_used_up(joined, link):
    have = fill_up(joined, link, 3)
    reply = ask_ahead(joined, link, have, 1)
    assert item_in(reply) is None
    assert len(names_of_held()) == 4


def test_leases_of_all_that_is_ahead_are_renewed(joined, link):
    have = fill_up(joined, link, 3)
    soon = timezone.now() + timedelta(minutes=1)
    Slot.objects.filter(worker__isnull=False).update(leased_until=soon)
    ask_ahead(joined, link, have, 3)
    assert not Slot.objects.filter(worker__isnull=False, leased_until=soon).exists()
