"""Rules beside workers and beside each other: each acts once, and every item ends with the votes that were ordered."""

import time
from uuid import uuid4

import pytest

from judging.labels import results
from judging.models import Exclusion, Rule, Slot, Worker
from judging.rules import enforcement
from judging.studies import launch
from judging.work import assignment, exclusions, overlap
from judging.work.answers import Answer, record_judgement
from tests.judging.work.test_races import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def judge_all(worker, grade):
    worker = Worker.objects.select_related("study").get(pk=worker.pk)
    while slots := assignment.next_slots(worker, count=2):
        record_judgement(worker=worker, item=slots[0].item, answer=Answer(key=uuid4(), grade=grade), ahead=2)


def commonest(study, least, action="excluded"):
    rule = Rule(study=study, signal="commonest", threshold=1, least=least, action=action)
    return enforcement.make(rule, by=study.created_by)


@pytest.mark.parametrize("seed", range(3))
def test_of_two_appliers_at_once_one_acts(running, seed):
    workers = [Worker.objects.create(study=running) for _ in range(2)]
    for worker in workers:
        judge_all(worker, 3)
    commonest(running, 5)
    acted = []
    at_once(*(lambda: acted.extend(enforcement.apply(running)) for _ in range(4)))
    assert sorted(act.worker_id for act in acted) == [worker.pk for worker in workers]
    assert Exclusion.objects.count() == 2
    assert Slot.objects.filter(study=running, judged_at=None).count() == 12


@pytest.mark.parametrize("seed", range(3))
def test_a_rule_that_acts_while_its_worker_submits(study, seed):
    study.overlap = 2
    study.save()
    launch.launch(study, seed=seed)
    spammer, good = (Worker.objects.create(study=study) for _ in range(2))
    commonest(study, 1)

    def apply_often():
        patience = time.monotonic() + 30
        while not enforcement.apply(study) and Slot.objects.filter(worker=spammer, judged_at__isnull=False).count() < 6:
            assert time.monotonic() < patience

    at_once(lambda: judge_all(spammer, 3), apply_often)
    enforcement.apply(study)
    spammer.refresh_from_db()
    assert spammer.standing == Worker.Standing.EXCLUDED
    assert Exclusion.objects.filter(worker=spammer).count() == 1
    assert not Slot.objects.filter(worker=spammer, judged_at=None).exists()
    enforcement.end(Rule.objects.get(), by=study.created_by)
    for worker in (good, Worker.objects.create(study=study)):
        judge_all(worker, 2)
    overlap.sweep()
    assert {label.votes for label in results.labels(study)} == {(2, 2)}
    assert not Slot.objects.filter(study=study, judged_at=None).exists()


def test_a_rule_that_acts_while_a_researcher_lifts_and_excludes(running):
    worker = Worker.objects.create(study=running)
    judge_all(worker, 3)
    commonest(running, 5)

    def by_hand():
        for _ in range(5):
            exclusions.lift(exclusions.exclude(worker, reason="in doubt"), by=running.created_by)

    at_once(by_hand, *(lambda: enforcement.apply(running) for _ in range(3)))
    enforcement.apply(running)
    worker.refresh_from_db()
    assert Exclusion.objects.filter(worker=worker, rule__isnull=False).count() == 1
    assert worker.standing == Worker.Standing.EXCLUDED
