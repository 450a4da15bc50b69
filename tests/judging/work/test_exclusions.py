"""A worker's work set aside and taken back: every item ends with the votes that were ordered."""

from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.db.models import Count
from django.utils import timezone

from judging.labels import results
from judging.models import Judgement, Slot, Worker
from judging.tasks import sweep_slots
from judging.work import assignment, exclusions, overlap
from judging.work.answers import Answer, record_judgement

pytestmark = pytest.mark.django_db
Standing = Worker.Standing


def judge_all(worker, grade=1):
    while slots := assignment.next_slots(worker):
        record_judgement(worker=worker, item=slots[0].item, answer=Answer(key=uuid4(), grade=grade), ahead=1)


def open_slots(study):
    return Slot.objects.filter(study=study, judged_at__isnull=True).count()


def votes_an_item(study):
    return {label.docno: label.votes for label in results.labels(study)}


@pytest.fixture
def good(running, make_worker):
    worker = make_worker(running)
    judge_all(worker, grade=2)
    return worker


@pytest.fixture
def spammer(running, make_worker, good):
    worker = make_worker(running)
    judge_all(worker, grade=0)
    return worker


def test_excluded_judgements_have_no_vote_and_are_ordered_anew(running, good, spammer, make_worker, researcher):
    assert open_slots(running) == 0
    exclusions.exclude(spammer, reason="all zeros", by=researcher)
    assert set(votes_an_item(running).values()) == {(2,)}
    assert open_slots(running) == 6
    judge_all(make_worker(running), grade=3)
    assert set(votes_an_item(running).values()) == {(2, 3)}
    assert Judgement.objects.filter(worker=spammer).count() == 6


def test_lifted_at_once_everything_is_as_before(running, good, spammer, researcher):
    before = votes_an_item(running)
    exclusion = exclusions.exclude(spammer, reason="a mistake", by=researcher)
    exclusions.lift(exclusion, by=researcher)
    assert votes_an_item(running) == before
    assert open_slots(running) == 0
    spammer.refresh_from_db()
    assert spammer.standing == Standing.GOOD
    assert (exclusion.worker.exclusions.get().lifted_by, exclusion.worker.exclusions.get().reason) == (researcher, "a mistake")


def test_lifted_after_others_filled_in_the_first_judgements_vote(running, good, spammer, make_worker, researcher):
    exclusion = exclusions.exclude(spammer, reason="all zeros", by=researcher)
    late = make_worker(running)
    judge_all(late, grade=3)
    exclusions.lift(exclusion, by=researcher)
    assert set(votes_an_item(running).values()) == {(0, 2)}
    assert Judgement.objects.filter(worker=late).count() == 6


def test_who_is_held_at_something_loses_the_slot_but_not_the_answer(running, make_worker, researcher):
    worker = make_worker(running)
    (slot,) = assignment.next_slots(worker)
    exclusions.exclude(worker, reason="too fast", by=researcher)
    assert assignment.next_slots(Worker.objects.select_related("study").get(pk=worker.pk)) == []
    record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), grade=1))
    assert Judgement.objects.filter(worker=worker).count() == 1
    assert votes_an_item(running) == {}


def test_blocked_workers_keep_their_votes(running, good, spammer, researcher):
    before = votes_an_item(running)
    exclusions.exclude(spammer, reason="enough", by=researcher, standing=Standing.BLOCKED)
    assert votes_an_item(running) == before
    assert open_slots(running) == 0


def test_of_two_exclusions_one_lifted_leaves_the_other(running, good, spammer, researcher):
    first = exclusions.exclude(spammer, reason="one", by=researcher)
    exclusions.exclude(spammer, reason="two")
    exclusions.lift(first, by=researcher)
    spammer.refresh_from_db()
    assert spammer.standing == Standing.EXCLUDED
    numbers = Slot.objects.filter(study=running).values("item").annotate(slots=Count("id"))
    assert {row["slots"] for row in numbers} == {3}


def test_lifting_twice_does_nothing_more(running, good, spammer, researcher):
    exclusion = exclusions.exclude(spammer, reason="one", by=researcher)
    for _ in range(2):
        exclusions.lift(exclusion, by=researcher)
    assert open_slots(running) == 0


def test_a_replacement_that_was_given_back_is_not_asked_for_again(running, good, spammer, make_worker, researcher):
    exclusion = exclusions.exclude(spammer, reason="all zeros", by=researcher)
    late = make_worker(running)
    assert assignment.next_slots(late, count=2)
    exclusions.lift(exclusion, by=researcher)
    assert open_slots(running) == 2
    assignment.give_back(late)
    assert open_slots(running) == 0


def test_a_replacement_whose_lease_ran_out_is_swept_away(running, good, spammer, make_worker, researcher):
    exclusion = exclusions.exclude(spammer, reason="all zeros", by=researcher)
    assert assignment.next_slots(make_worker(running), count=2)
    exclusions.lift(exclusion, by=researcher)
    sweep_slots()
    assert open_slots(running) == 2  # somebody is reading them
    with time_machine.travel(timezone.now() + timedelta(minutes=running.lease_minutes + 1)):
        sweep_slots()
    assert open_slots(running) == 0


@pytest.mark.parametrize("ending", ["given back", "run out", "answered"])
def test_what_was_held_while_votes_came_back_is_asked_of_nobody_else(running, make_worker, researcher, ending):
    """Its number is one of those wanted, but votes with other numbers have come in its place."""
    slow, spammer, other = make_worker(running), make_worker(running), make_worker(running)
    (held,) = assignment.next_slots(slow)
    judge_all(spammer)
    exclusion = exclusions.exclude(spammer, reason="a mistake", by=researcher)
    judge_all(other)
    exclusions.lift(exclusion, by=researcher)
    places = Slot.objects.filter(item=held.item_id, judged_at__isnull=True)
    assert places.get().worker == slow
    if ending == "given back":
        assignment.give_back(slow)
    elif ending == "answered":
        record_judgement(worker=slow, item=held.item, answer=Answer(key=uuid4(), grade=1), ahead=0)
    else:
        with time_machine.travel(timezone.now() + timedelta(days=1)):
            sweep_slots()
    assert not places.exists()


def test_who_is_only_warned_keeps_what_they_hold(running, make_worker, researcher):
    worker = make_worker(running)
    held = [slot.pk for slot in assignment.next_slots(worker, count=2)]
    exclusions.exclude(worker, reason="too fast", by=researcher, standing=Standing.WARNED)
    assert [slot.pk for slot in assignment.held_slots(worker, most=2)] == held


def items_held(monkeypatch):
    """The keys of items, a list each time that some are locked."""
    held, locked_items = [], overlap.locked_items
    for module in (overlap, exclusions):
        monkeypatch.setattr(module, "locked_items", lambda items: (held.append(sorted(set(items))), locked_items(held[-1]))[1])
    return held


def test_items_are_locked_all_at_once(running, good, spammer, researcher, monkeypatch):
    """Slots too many and votes that no longer count: locked by turns, two who set workers aside waited for each other."""
    voted = sorted(spammer.slots.values_list("item", flat=True))
    spammer.slots.filter(item=voted[-1]).update(judged_at=None, number=9)
    held = items_held(monkeypatch)
    exclusions.exclude(spammer, reason="all zeros", by=researcher)
    assert held == [voted]


def test_items_of_several_workers_are_locked_before_any_is_set_aside(running, good, spammer, researcher, monkeypatch):
    every = sorted(running.items.filter(slots__worker__in=[good, spammer]).distinct().values_list("pk", flat=True))
    held = items_held(monkeypatch)
    exclusions.exclude_all([spammer, good], reason="all zeros", by=researcher)
    exclusions.lift_all([good, spammer], by=researcher)
    assert [keys for keys in held if len(keys) == len(every)][::3] == [every, every]
    assert held[0] == every
