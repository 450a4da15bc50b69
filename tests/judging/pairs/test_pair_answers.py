"""Pairs on their way through workers: sides even, mirrors later, every answer once."""

import random
from collections import Counter
from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.utils import timezone

from judging.models import Comparison, Item, Judgement, Preference, Slot, Worker
from judging.work import assignment, exclusions
from judging.work import pair_answers as answers
from judging.work.answers import AnswerRefused

pytestmark = pytest.mark.django_db


def judge_all(worker, prefer, step=1, most=1000):
    seen = []
    while len(seen) < most and (slots := assignment.next_slots(worker)):
        slot = slots[0]
        prefer(worker, slot, step)
        seen.append((slot.item, slot.swapped))
    return seen


def sides(item):
    votes = Judgement.objects.filter(item=item, slot__number__isnull=False, revises=None)
    votes = votes.exclude(worker__standing=Worker.Standing.EXCLUDED)
    return Counter(votes.values_list("preference__swapped", flat=True))


def test_four_workers_judge_everything_and_each_side_is_seen_as_often(comparing, make_worker, prefer):
    for _ in range(4):
        judge_all(make_worker(comparing), prefer)
    for item in comparing.items.filter(role=Item.Role.WORK):
        assert sides(item) == {True: 2, False: 2}
    assert not Slot.objects.filter(study=comparing, judged_at=None).exists()


def test_pairs_come_in_an_order_of_the_workers_own_and_on_either_side(comparing, make_worker, prefer):
    orders = [judge_all(make_worker(comparing), prefer, most=12) for _ in range(3)]
    assert len({tuple(item.pk for item, _ in seen if item.role == "work") for seen in orders}) == 3
    assert len({swapped for seen in orders[:2] for _, swapped in seen}) == 2  # of 24, or chance is one in eight million


def test_a_share_comes_back_mirrored_to_the_same_worker(comparing, make_worker, prefer):
    worker = make_worker(comparing)
    seen = judge_all(worker, prefer)
    mirrors = [(place, item, swapped) for place, (item, swapped) in enumerate(seen) if item.role == Item.Role.MIRROR]
    assert abs(len(mirrors) - round(0.2 * len(seen))) <= 1
    places = {item.pk: (place, swapped) for place, (item, swapped) in enumerate(seen)}
    for place, item, swapped in mirrors:
        before, swapped_before = places[item.mirrors_id]
        assert place - before > 4
        assert swapped == swapped_before
        assert (item.first_id, item.second_id) == (item.mirrors.second_id, item.mirrors.first_id)
    assert len({item.mirrors_id for _, item, _ in mirrors}) == len(mirrors)
    assert Counter(item.role for item, _ in seen)["work"] == 32


def test_a_mirror_that_is_answered_after_it_was_given_back_comes_no_more(comparing, make_worker, prefer):
    worker = make_worker(comparing)
    while (slot := assignment.next_slots(worker)[0]).item.role != Item.Role.MIRROR:
        prefer(worker, slot, 1)
    assignment.give_back(worker)
    prefer(worker, slot, 1)
    judged = Slot.objects.get(worker=worker, item=slot.item_id)
    assert (judged.swapped, judged.judgements.count()) == (slot.swapped, 1)
    assert slot.item_id not in {item.pk for item, _ in judge_all(worker, prefer)}


def test_no_mirrors_where_none_are_wanted(comparing, make_worker, prefer):
    Comparison.objects.update(mirrored=0)
    comparing.refresh_from_db()
    assert {item.role for item, _ in judge_all(make_worker(comparing), prefer)} == {"work"}


def test_the_grade_is_about_the_lists_wherever_they_stood(comparing, make_worker, prefer):
    """Who always prefers the left one prefers the first list where it was on the left."""
    worker = make_worker(comparing)
    judge_all(worker, prefer, step=-2)
    for judgement in Judgement.objects.select_related("preference"):
        assert judgement.grade == (-2 if judgement.preference.swapped else 2)


def test_the_same_key_again_stores_nothing_and_another_answer_revises(comparing, make_worker, prefer):
    worker = make_worker(comparing)
    slot, key = assignment.next_slots(worker)[0], uuid4()
    first = prefer(worker, slot, 1, key=key, reasons=["More complete"])
    assert prefer(worker, slot, 1, key=key, reasons=["More complete"], interactions=[[5, "open", 0, 1]]).pk == first.pk
    changed = prefer(worker, slot, 1, key=key, reasons=["Easier to read"])
    assert changed.revises_id == first.pk
    assert prefer(worker, slot, 1, key=key, reasons=["Easier to read"]).pk == changed.pk
    assert Preference.objects.count() == 2


def test_both_bad_is_a_tie_of_its_own(comparing, make_worker, prefer):
    worker = make_worker(comparing)
    slot = assignment.next_slots(worker)[0]
    assert prefer(worker, slot, 0, both_bad=True).grade == 0
    Comparison.objects.update(both_bad=False)
    comparing.refresh_from_db()
    worker = Worker.objects.select_related("study__comparison").get(pk=worker.pk)
    with pytest.raises(AnswerRefused):
        prefer(worker, assignment.next_slots(worker)[0], 0, both_bad=True)


@pytest.mark.parametrize(("points", "steps"), [(2, [-1, 1]), (3, [-1, 0, 1]), (4, [-2, -1, 1, 2]), (7, [-3, -2, -1, 0, 1, 2, 3])])
def test_scales(comparing, make_worker, prefer, points, steps):
    Comparison.objects.update(points=points)
    worker = Worker.objects.select_related("study__comparison").get(pk=make_worker(comparing).pk)
    assert answers.steps(worker.study.comparison) == steps
    slot = assignment.next_slots(worker)[0]
    for step in range(-4, 5):
        if step in steps:
            assert prefer(worker, slot, step).grade in (step, -step)
        else:
            with pytest.raises(AnswerRefused):
                prefer(worker, slot, step)
    assert len({answers.words(step, worker.study.comparison) for step in steps}) == points


def test_reasons_marks_and_grades_of_other_kinds_are_refused(comparing, make_worker, prefer):
    worker = make_worker(comparing)
    slot = assignment.next_slots(worker)[0]
    for wrong in ({"reasons": ["Because"]}, {"marks": [[0, 1, 1]]}):
        with pytest.raises(AnswerRefused):
            prefer(worker, slot, 1, **wrong)
    assert not Judgement.objects.exists()


def test_an_answer_whose_lease_ran_out_never_upsets_the_sides(comparing, make_worker, prefer):
    late, other = make_worker(comparing), make_worker(comparing)
    slot = assignment.next_slots(late)[0]
    with time_machine.travel(timezone.now() + timedelta(hours=2), tick=False):
        seen = judge_all(other, prefer)
        assert slot.item in [item for item, _ in seen]
        for _ in range(2):
            judge_all(make_worker(comparing), prefer)
        prefer(late, slot, 1)
        judge_all(make_worker(comparing), prefer)
        judge_all(late, prefer)
    assert sides(slot.item) == {True: 2, False: 2}


def test_who_holds_the_other_side_by_now_is_not_shown_it_again(comparing, make_worker, prefer):
    """The answer is to what was seen; the slot that the worker holds shows the other way round, and goes back."""
    worker = make_worker(comparing)
    slot = assignment.next_slots(worker)[0]
    prefer(worker, slot, 1, swapped=not slot.swapped, ahead=0)
    slot.refresh_from_db()
    assert slot.worker is None
    settled = Judgement.objects.get().slot
    assert settled.item_id == slot.item_id
    assert settled.swapped != slot.swapped
    assert slot.item_id not in [item.pk for item, _ in judge_all(worker, prefer)]


def test_excluded_and_lifted_the_sides_stay_even(comparing, make_worker, prefer, researcher):
    workers = [make_worker(comparing) for _ in range(4)]
    for worker in workers:
        judge_all(worker, prefer)
    work = list(comparing.items.filter(role=Item.Role.WORK))
    excluded = [exclusions.exclude(worker, reason="left only", by=researcher) for worker in workers[:2]]
    for _ in range(2):
        judge_all(make_worker(comparing), prefer)
    assert all(sides(item) == {True: 2, False: 2} for item in work)
    exclusions.exclude(workers[2], reason="left only", by=researcher)
    exclusions.lift(excluded[0], by=researcher)
    assert all(abs(votes[True] - votes[False]) <= 2 for votes in map(sides, work))  # replaced by one of the same side, and back


@pytest.mark.parametrize("seed", range(5))
def test_whatever_happens_the_open_slots_even_out_the_sides(comparing, make_worker, prefer, researcher, seed):
    chance = random.Random(seed)
    workers = [make_worker(comparing) for _ in range(6)]
    for _ in range(120):
        worker = Worker.objects.select_related("study__comparison").get(pk=chance.choice(workers).pk)
        if chance.random() < 0.05:
            against = worker.exclusions.filter(lifted=None).first()
            exclusions.lift(against, by=researcher) if against else exclusions.exclude(worker, reason="?", by=researcher)
        elif slots := assignment.next_slots(worker):
            prefer(worker, slots[0], chance.choice([-2, -1, 0, 1, 2]), ahead=chance.choice([0, 1]))
    for item in comparing.items.filter(role=Item.Role.WORK):
        slots = item.slots.filter(number__isnull=False)
        live = slots.exclude(judged_at__isnull=False, worker__standing=Worker.Standing.EXCLUDED)
        counts = Counter(live.values_list("swapped", flat=True))
        if counts.total() == 4:
            assert abs(counts[True] - counts[False]) <= 2
