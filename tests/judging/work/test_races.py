"""Many workers at once, each with a connection of their own: overlap exact, nothing stored twice, nothing lost."""

import random
import threading
from collections import Counter
from uuid import uuid4

import pytest
from django.db import connection, transaction

from judging.labels import results
from judging.models import Judgement, Slot, Worker
from judging.studies import launch
from judging.work import assignment, exclusions, overlap
from judging.work.answers import Answer, record_judgement
from judging.work.beginnings import beginning

pytestmark = pytest.mark.django_db(transaction=True)

WORKERS = 8


def at_once(*jobs):
    """Run the jobs in threads that start together; the first error is raised here."""
    errors: list[BaseException] = []
    gate = threading.Barrier(len(jobs))

    def run(job):
        try:
            gate.wait()
            job()
        except BaseException as error:  # handed to the test's own thread below
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[job]) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def judge_all(worker, acknowledged, seed):
    """Judge until nothing is left, sending every third answer twice as a shaky network would."""
    rng = random.Random(seed)
    while slots := assignment.next_slots(worker, count=2):
        item, answer = slots[0].item, Answer(key=uuid4(), grade=rng.randrange(4))
        judgement = record_judgement(worker=worker, item=item, answer=answer, ahead=2)
        if rng.random() < 0.3:
            assert record_judgement(worker=worker, item=item, answer=answer).pk == judgement.pk
        acknowledged.append((worker.pk, item.pk, answer.grade))


@pytest.mark.parametrize("overlap", [1, 3])
def test_workers_who_race_fill_every_slot_exactly_once(study, overlap):
    study.overlap = overlap
    study.save()
    launch.launch(study, seed=overlap)
    workers = [Worker.objects.create(study=study, start=beginning(study)) for _ in range(WORKERS)]
    acknowledged: list[tuple[int, int, int]] = []
    at_once(*(lambda w=w, i=i: judge_all(w, acknowledged, i) for i, w in enumerate(workers)))
    # Slots that were held when others asked last are left; whoever comes again gets them.
    for worker in workers:
        judge_all(worker, acknowledged, 99)
    stored = Judgement.objects.values_list("worker_id", "item_id", "grade")
    assert Counter(stored) == Counter(acknowledged)
    assert Counter(Judgement.objects.values_list("item_id", flat=True)) == dict.fromkeys(
        study.items.values_list("pk", flat=True), overlap
    )
    assert not Slot.objects.filter(judged_at__isnull=True).exists()
    assert not Judgement.objects.filter(slot__isnull=True).exists()


@pytest.mark.parametrize("adaptive", [False, True])
def test_workers_who_race_while_some_are_excluded_and_let_in_again(study, adaptive):
    study.overlap, study.most_overlap, study.lease_minutes = 2, 4 if adaptive else None, 30
    study.save()
    launch.launch(study, seed=1)
    workers = [Worker.objects.create(study=study) for _ in range(6)]

    def judge(worker, seed):
        judge_all(Worker.objects.select_related("study").get(pk=worker.pk), [], seed)

    def exclude_and_lift(worker):
        for _ in range(5):
            exclusions.lift(exclusions.exclude(worker, reason="in doubt"), by=study.created_by)

    at_once(
        *(lambda w=w, i=i: judge(w, i) for i, w in enumerate(workers)), *(lambda w=w: exclude_and_lift(w) for w in workers[:2])
    )
    for worker in workers:
        judge(worker, 99)
    overlap.sweep()
    for item in study.items.all():
        votes = item.slots.filter(judged_at__isnull=False).count()
        assert votes >= item.wanted
        assert item.slots.filter(judged_at__isnull=True).count() == 0
    wanted = dict(study.items.values_list("document__docno", "wanted"))
    assert {label.docno: len(label.votes) for label in results.labels(study)} == wanted


def test_two_tabs_of_one_worker_hold_the_same_slots(running):
    worker = Worker.objects.create(study=running)
    seen = []
    at_once(*(lambda: seen.append([slot.pk for slot in assignment.next_slots(worker, count=2)]) for _ in range(6)))
    assert len({tuple(sorted(pks)) for pks in seen}) == 1
    assert Slot.objects.filter(worker=worker).count() == 2


def test_one_worker_who_judges_in_many_tabs_gets_every_item_once(running):
    worker = Worker.objects.create(study=running)
    at_once(*(lambda seed=seed: judge_all(worker, [], seed) for seed in range(4)))
    items = set(running.items.values_list("pk", flat=True))
    assert set(Slot.objects.filter(worker=worker, judged_at__isnull=False).values_list("item", flat=True)) == items
    assert Slot.objects.filter(worker=worker).count() == len(items)
    assert Judgement.objects.filter(revises__isnull=True, slot__worker=worker).count() == len(items)


def test_an_answer_that_another_tab_is_storing_is_waited_for(running):
    worker = Worker.objects.create(study=running)
    item, answer = assignment.next_slots(worker)[0].item, Answer(key=uuid4(), grade=1)
    rows, storing, tried = [], threading.Event(), threading.Event()

    def store():
        with transaction.atomic():
            rows.append(record_judgement(worker=worker, item=item, answer=answer, ahead=2))
            storing.set()
            tried.wait(0.5)

    def again():
        storing.wait()
        rows.append(record_judgement(worker=worker, item=item, answer=answer, ahead=2))
        tried.set()

    at_once(store, again)
    assert rows[0].pk == rows[1].pk
    assert Slot.objects.filter(worker=worker, judged_at__isnull=True).count() == 2


def test_a_slot_that_somebody_looks_at_is_waited_for(running):
    """PostgreSQL keeps a row locked until the transaction ends even where it turned out to be taken already."""
    worker = Worker.objects.create(study=running)
    slot = assignment.next_slots(worker)[0]
    assert slot.item.slots.count() > 1
    looking, answered = threading.Event(), threading.Event()

    def look():
        with transaction.atomic():
            list(Slot.objects.select_for_update().filter(pk=slot.pk))
            looking.set()
            answered.wait(0.5)

    def answer():
        looking.wait()
        record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), grade=1))
        answered.set()

    at_once(look, answer)
    assert Judgement.objects.get().slot_id == slot.pk


def test_the_same_answer_from_many_tabs_is_one_row(running):
    worker = Worker.objects.create(study=running)
    item = assignment.next_slots(worker)[0].item
    answer = Answer(key=uuid4(), grade=2)
    rows = []
    at_once(*(lambda: rows.append(record_judgement(worker=worker, item=item, answer=answer).pk) for _ in range(6)))
    assert len(set(rows)) == 1
    assert Judgement.objects.count() == 1


def test_different_answers_from_many_tabs_form_one_chain(running):
    worker = Worker.objects.create(study=running)
    item = assignment.next_slots(worker)[0].item
    answers = [Answer(key=uuid4(), grade=grade) for grade in (0, 1, 2, 3)]
    at_once(*(lambda a=a: record_judgement(worker=worker, item=item, answer=a) for a in answers))
    assert Judgement.objects.count() == 4
    assert Judgement.objects.filter(revises__isnull=True).count() == 1
    assert Judgement.objects.filter(revised_by__isnull=True).count() == 1


def test_a_study_launched_by_two_at_once_is_launched_once(study):
    outcomes = []

    def press():
        try:
            launch.launch(study.__class__.objects.get(pk=study.pk))
            outcomes.append("launched")
        except launch.CannotLaunch:
            outcomes.append("refused")

    at_once(press, press, press)
    assert sorted(outcomes) == ["launched", "refused", "refused"]
    assert study.items.count() == 6
    assert Slot.objects.count() == 12
