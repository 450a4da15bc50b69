"""Urgent documents are given out first, without a worker leaving a topic more often than they must."""

from uuid import uuid4

import pytest
from django.db import connection
from django.urls import reverse

from judging.models import Item, Slot, Study, Worker
from judging.models.slot import SPAN
from judging.studies import launch
from judging.tasks import sweep_slots
from judging.work import assignment, exclusions
from judging.work.answers import Answer, record_judgement
from judging.work.priority import has_urgent, prioritise

pytestmark = pytest.mark.django_db


def order_for(worker):
    """The items in the order in which a new worker gets them."""
    order = []
    while slots := assignment.next_slots(worker):
        order.append(slots[0].item_id)
        record_judgement(worker=worker, item=slots[0].item, answer=Answer(key=uuid4(), grade=1), ahead=1)
        worker = fresh(worker)
    return order


def fresh(worker):
    return Worker.objects.select_related("study").get(pk=worker.pk)


def last_items(study, count):
    return list(study.items.order_by("-position").values_list("pk", flat=True)[:count])


def test_urgent_items_come_first_wherever_the_worker_is(running, make_worker):
    urgent = last_items(running, 2)
    assert prioritise(running, urgent) == 2
    assert set(order_for(fresh(make_worker(running)))[:2]) == set(urgent)
    prioritise(running, urgent, urgent=False)
    assert not has_urgent(Study.objects.get(pk=running.pk))
    assert not Slot.objects.filter(urgent=True).exists()


def test_what_is_held_already_is_kept(running, make_worker):
    worker = fresh(make_worker(running))
    held = assignment.next_slots(worker)[0].item_id
    urgent = [pk for pk in last_items(running, 3) if pk != held]
    prioritise(running, urgent)
    order = order_for(fresh(worker))
    assert order[0] == held
    assert set(order[1 : 1 + len(urgent)]) == set(urgent)


def test_once_they_are_judged_claims_look_for_them_no_more(running, make_worker):
    prioritise(running, last_items(running, 1))
    for _ in range(running.overlap):
        order_for(fresh(make_worker(running)))
    sweep_slots()
    running.refresh_from_db()
    assert not has_urgent(running)


def test_a_slot_that_is_ordered_anew_is_as_urgent_as_its_item(running, make_worker):
    (urgent,) = last_items(running, 1)
    prioritise(running, [urgent])
    bad = fresh(make_worker(running))
    assert order_for(bad)[0] == urgent
    exclusions.exclude(bad, reason="All the same.")
    assert set(Slot.objects.filter(item=urgent).values_list("urgent", flat=True)) == {True}


def test_checks_are_no_work_and_cannot_be_urgent(running):
    item = running.items.first()
    Item.objects.filter(pk=item.pk).update(role=Item.Role.GOLD, right=[1])
    assert prioritise(running, [item.pk]) == 0


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite explains its plan in these words")
def test_urgent_slots_are_found_in_their_index(running, make_worker):
    claim = assignment.claim_from("%(here)s", urgent=True).format(skip_locked="", worker="%(worker)s", each="")
    values = {"study": 1, "worker": 1, "now": "2026-01-01", "until": "2026-01-01", "here": SPAN, "point": 5, "most": 2}
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + claim, values)
        plan = [row[3] for row in cursor.fetchall()]
    assert sum("urgent_slots (study_id=? AND position>? AND position<?)" in line for line in plan) == 4


def test_a_researcher_names_topics_and_documents(rita, study):
    launch.launch(study, seed=1)
    first, last = study.items.order_by("position").first(), study.items.order_by("position").last()
    url = reverse("study_items", args=[study.pk])
    lines = f"{first.topic.number}\n\n{last.topic.number}   {last.document.docno}\n"
    assert "more documents to be judged first" in rita.post(url, {"lines": lines}, follow=True).content.decode()
    whole = study.items.filter(topic=first.topic).count()
    assert study.items.filter(urgent=True).count() == whole + 1
    act = reverse("items_act", args=[study.pk])
    rita.post(act, {"action": "turn", "keys": str(last.pk), "confirmed": "1"})
    assert study.items.filter(urgent=True).count() == whole
    rita.post(act + "?first=True", {"action": "turn", "all": "1", "confirmed": "1"})
    assert not study.items.filter(urgent=True).exists()


def test_what_was_a_page_of_its_own_leads_to_the_items_that_come_first(rita, running):
    answer = rita.get(reverse("study_first", args=[running.pk]))
    assert (answer.status_code, answer.url) == (301, f"{reverse('study_items', args=[running.pk])}?first=True")


@pytest.mark.parametrize("wrong", ["no-such-topic", "{topic} no-such-document", "{topic} {docno} more", "", " \n"])
def test_a_line_that_means_nothing_is_named_and_nothing_changes(rita, running, wrong):
    item = running.items.first()
    names = {"topic": item.topic.number, "docno": item.document.docno}
    good = "\n{topic} {docno}\n" if wrong.strip() else ""
    page = rita.post(reverse("study_items", args=[running.pk]), {"lines": (good + wrong).format(**names)}).content.decode()
    assert ("Line 3: there is no work" in page) if wrong.strip() else ("This field is required" in page)
    assert not running.items.filter(urgent=True).exists()


def test_the_api_does_the_same(rita, running):
    topic = running.items.first().topic.number
    url = f"/api/v1/studies/{running.pk}/first/"
    assert rita.post(url, {"items": [topic]}, "application/json").json() == {"changed": 3}
    assert rita.post(url, {"items": [topic], "urgent": False}, "application/json").json() == {"changed": 3}
    assert rita.post(url, {"items": ["nowhere"]}, "application/json").status_code == 400
