"""Documents that are taken back while workers claim and judge them, each by a connection of their own."""

import random
import threading
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone

from judging.models import Addition, AuditEntry, Item, Judgement, Slot, Study, Worker
from judging.studies.additions import CannotTakeBack, take_back
from judging.studies.growth import add_items
from judging.work import assignment
from judging.work.answers import Answer, WorkIsGone, record_judgement
from tests.judging.work.test_races import at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def grown(running):
    """The running study with three documents more."""
    add_items(running, [("1", "d3"), ("1", "d4"), ("1", "d5")])
    return running


def one_of(study):
    return study.items.filter(addition__isnull=False).first()


def lapsed(item):
    """A worker whose lease of the item ran out while its page stands open."""
    worker = Worker.objects.create(study=item.study)
    Slot.objects.filter(item=item, number=1).update(worker=worker, leased_until=timezone.now() - timedelta(minutes=1))
    return worker


def answer(worker, item):
    return record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=1), ahead=2)


class Turns:
    """Two jobs, of which one stops half-way, in its transaction, until the other has tried."""

    def __init__(self):
        self.begun, self.tried = threading.Event(), threading.Event()

    def first(self, job):
        with transaction.atomic():
            job()
            self.begun.set()
            self.tried.wait(0.5)

    def second(self, job):
        self.begun.wait(10)
        try:
            job()
        finally:
            self.tried.set()


def in_turns(first, second):
    turns = Turns()
    at_once(lambda: turns.first(first), lambda: turns.second(second))


def test_who_is_claiming_an_item_keeps_it(grown):
    item = one_of(grown)
    claim = {"worker": Worker.objects.create(study=grown), "leased_until": timezone.now() + timedelta(minutes=30)}
    in_turns(lambda: Slot.objects.filter(item=item, number=2).update(**claim), lambda: take_back(Addition.objects.get()))
    assert [row.pk for row in grown.items.filter(addition__isnull=False)] == [item.pk]
    assert item.slots.count() == 2


@pytest.mark.parametrize("late", [False, True])
def test_who_is_judging_an_item_keeps_it(grown, late):
    item = one_of(grown)
    worker = lapsed(item)
    if not late:
        Slot.objects.filter(worker=worker).update(leased_until=timezone.now() + timedelta(minutes=1))
    in_turns(lambda: answer(worker, item), lambda: take_back(Addition.objects.get()))
    assert item.judgements.count() == 1
    assert Slot.objects.filter(item=item).count() == 2


def test_an_answer_without_a_place_keeps_its_item_too(grown):
    """Others have judged nothing yet but hold all places: what comes late is kept as surplus, and so its item is."""
    item = one_of(grown)
    worker, others = lapsed(item), [Worker.objects.create(study=grown) for _ in range(2)]
    soon = timezone.now() + timedelta(seconds=0.3)
    for number, other in enumerate(others, 1):
        Slot.objects.filter(item=item, number=number).update(worker=other, leased_until=soon)

    def once_leases_ran_out():
        while timezone.now() <= soon:
            pass
        take_back(Addition.objects.get())

    in_turns(lambda: answer(worker, item), once_leases_ran_out)
    assert item.judgements.filter(slot=None).count() == 1


def test_an_answer_to_what_is_being_taken_back_learns_that_it_is_gone(grown):
    item = one_of(grown)
    worker = lapsed(item)

    def answer_in_vain():
        with pytest.raises(WorkIsGone):
            answer(worker, item)

    in_turns(lambda: take_back(Addition.objects.get()), answer_in_vain)
    assert not Item.objects.filter(pk=item.pk).exists() and not Judgement.objects.exists()
    assert assignment.next_slots(worker), "and the next one comes"


def test_of_two_people_who_take_back_at_once_one_does_and_none_is_refused(grown):
    addition, gone = Addition.objects.get(), []
    at_once(*[lambda: gone.append(take_back(addition))] * 2)
    assert sorted(gone) == [0, 3]
    assert AuditEntry.objects.filter(about__contains="items fewer").count() == 1
    assert (grown.items.count(), Study.objects.get(pk=grown.pk).pool_counts["items"]) == (6, 6)


def test_what_is_added_again_while_it_is_taken_back_is_there_or_gone_as_a_whole(grown):
    again = [("1", "d3"), ("1", "d4"), ("1", "d5")]
    at_once(lambda: take_back(Addition.objects.get()), lambda: add_items(grown, again))
    assert grown.items.count() == Study.objects.get(pk=grown.pk).pool_counts["items"]
    assert grown.items.filter(addition__isnull=False).count() in (0, 3)


def test_a_program_that_is_given_an_item_keeps_it(grown):
    robot = Worker.objects.create(study=grown, machine="a 1")
    pool = grown.items.filter(addition=None)
    now = timezone.now()
    for item in pool:
        Slot.objects.create(study=grown, item=item, worker=robot, position=item.position, leased_until=now, judged_at=now)
    in_turns(lambda: assignment.next_slots(robot), lambda: take_back(Addition.objects.get()))
    (left,) = grown.items.filter(addition__isnull=False)
    assert left.slots.filter(worker=robot).count() == 1


@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_at_once_no_judgement_is_lost_and_counts_are_right(running, seed):
    rng = random.Random(seed)
    acknowledged, gone = [], []
    workers = [Worker.objects.create(study=running) for _ in range(4)]

    def judge(worker):
        while slots := assignment.next_slots(worker, count=2):
            item = slots[0].item
            if rng.random() < 0.4:  # the page stands open until its lease runs out, or another page gives it back
                assignment.give_back(worker)
            try:
                acknowledged.append(answer(worker, item).pk)
            except WorkIsGone:
                gone.append(item.pk)

    def change_minds():
        for _ in range(6):
            if addition := add_items(running, [("1", "d3"), ("1", "d4"), ("2", "d1"), ("2", "d2")]).addition:
                with suppress(CannotTakeBack):
                    take_back(addition)

    at_once(*(lambda worker=worker: judge(worker) for worker in workers), change_minds)
    assert sorted(Judgement.objects.values_list("pk", flat=True)) == sorted(acknowledged)
    assert not Item.objects.filter(pk__in=gone).exists()
    assert set(Counter(Slot.objects.filter(number__isnull=False).values_list("item", flat=True)).values()) == {2}
    counts = Study.objects.get(pk=running.pk).pool_counts
    assert counts["items"] == running.items.count() == 6 + counts.get("added", 0)
    assert set(Addition.objects.values_list("pk", flat=True)) == set(Item.objects.values_list("addition", flat=True)) - {None}
