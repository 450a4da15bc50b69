"""Machine judges get every item and every check, and leave people's places and labels as they are."""

from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.labels import results, study_progress
from judging.models import Exclusion, Item, Judgement, Slot, Worker
from judging.work import assignment, checks, exclusions
from judging.work.answers import Answer, record_judgement

pytestmark = pytest.mark.django_db


@pytest.fixture
def machine(running, make_worker):
    return make_worker(running, machine="Oracle 3, prompt 7", start=10**9)


def answer(worker, slot, grade=1):
    return record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), grade=grade), ahead=2)


def judge_all(worker, grade=1):
    judged = []
    while slots := assignment.next_slots(worker, count=2):
        judged.append(slots[0].item_id)
        answer(worker, slots[0], grade)
        worker = Worker.objects.select_related("study").get(pk=worker.pk)
    return judged


def test_a_machine_judges_every_item_once_and_takes_nobodys_place(running, machine, make_worker):
    open_before = Slot.objects.filter(number__isnull=False, worker=None).count()
    assert judge_all(machine) == list(running.items.order_by("position").values_list("pk", flat=True))
    assert Slot.objects.filter(number__isnull=False, worker=None).count() == open_before
    assert study_progress.progress(running).judged == 0
    assert results.labels(running) == []
    assert len(judge_all(make_worker(running))) == running.items.count()  # and people find all of it to do
    assert {label.votes for label in results.labels(running)} == {(1,)}


def test_a_machine_is_asked_the_checks_that_people_are_asked(running, machine):
    items = list(running.items.order_by("position"))
    checks.designate(items[:1], Item.Role.TEST, right=[2])
    checks.designate(items[1:2], Item.Role.GOLD, right=[2])
    running.refresh_from_db()
    running.gold_every, running.pass_mark = 2, 0
    running.save()
    judged = judge_all(Worker.objects.select_related("study").get(pk=machine.pk), grade=2)
    assert judged[0] == items[0].pk
    assert sorted(judged) == sorted(item.pk for item in items)
    assert checks.score(machine, Item.Role.GOLD) == checks.Score(right=1, answered=1)
    assert checks.scores(running) == {}  # how hard a check is, people's answers say


def test_what_a_machine_gives_back_it_gets_again_and_a_late_answer_counts(running, machine):
    first, second = assignment.next_slots(machine, count=2)
    assignment.give_back(machine)
    assert not Slot.objects.filter(worker=machine).exists()
    third = [slot.item_id for slot in assignment.next_slots(machine, count=2)]
    assert third == [first.item_id, second.item_id]
    assignment.give_back(machine)
    assert answer(machine, second).slot.number is None  # it was offered, and nobody else has its place
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        assert answer(machine, first).slot.number is None
        rest = judge_all(machine)
    assert sorted([first.item_id, second.item_id, *rest]) == sorted(running.items.values_list("pk", flat=True))
    assert Judgement.objects.filter(slot=None).count() == 0


def test_an_excluded_machine_gets_no_more_and_people_keep_their_slots(running, machine):
    slots = Slot.objects.filter(number__isnull=False).count()
    answer(machine, assignment.next_slots(machine, count=2)[0])
    exclusions.exclude(machine, reason="It always says 1.")
    machine.refresh_from_db()
    assert assignment.next_slots(machine, count=2) == []
    exclusions.lift(Exclusion.objects.get(), by=running.created_by)
    machine.refresh_from_db()
    assert len(assignment.next_slots(machine, count=2)) == 2
    assert Slot.objects.filter(number__isnull=False).count() == slots


def test_the_next_item_costs_a_constant_number_of_queries(running, machine):
    def queries():
        with CaptureQueriesContext(connection) as captured:
            answer(machine, assignment.held_slots(machine)[0])
        return len(captured)

    assignment.next_slots(machine, count=2)
    assert queries() == queries() == queries()
