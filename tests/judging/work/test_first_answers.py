"""The first answer to a check is the one that counts: who finds out what was checked changes nothing by mending it."""

from uuid import uuid4

import pytest
from django.urls import reverse

from judging.labels import machine_labels, results
from judging.models import Item, Rule, Slot, Worker
from judging.rules import enforcement, signals, worker_profile
from judging.work import assignment, checks
from judging.work.answers import Answer, record_judgement

pytestmark = pytest.mark.django_db
Role = Item.Role
WRONG, RIGHT = 0, 3


@pytest.fixture(params=[(WRONG, RIGHT), (RIGHT, WRONG)], ids=["mended", "spoiled"])
def answers(request):
    return request.param


@pytest.fixture
def study(study):
    study.pass_mark = 0
    return study


@pytest.fixture
def answered(running, answers, make_worker):
    """A study of which one worker has changed their answer to a test, to gold and to an attention check."""
    items = list(running.items.order_by("position"))
    for item, role in zip(items, (Role.TEST, Role.GOLD, Role.ATTENTION), strict=False):
        checks.designate([item], role, right=[RIGHT])
        Slot.objects.filter(item=item).delete()
    worker = make_worker(running)
    judge(worker, items[:3], answers)
    running.refresh_from_db()
    return running


def judge(worker, items, grades):
    for item in items:
        Slot.objects.create(study=worker.study, item=item, position=0, worker=worker, leased_until="2100-01-01T00:00Z")
        for grade in grades:
            record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=grade))


@pytest.fixture
def right(answers):
    """How many first answers were right, of one."""
    return int(answers[0] == RIGHT)


def test_scores_of_a_worker_and_of_a_check(answered, right):
    worker = answered.workers.get()
    assert checks.score(worker, Role.TEST) == checks.score(worker, Role.GOLD) == checks.Score(right, 1)
    assert set(checks.scores(answered).values()) == {checks.Score(right, 1)}


def test_signals_and_the_rules_that_follow_them(answered, right):
    row = signals.signals(answered).row(0, named=True)
    assert (row["gold"], row["attention"]) == (right, 1 - right)
    rule = Rule(study=answered, signal="gold", threshold=0.5, least=1, action="excluded")
    assert len(enforcement.violations_of(rule, signals.signals(answered))) == 1 - right


def test_the_table_of_what_a_worker_confuses(answered, right):
    assert worker_profile.against_gold(answered.workers.get()).same == right


def test_what_models_learn_of_a_worker(answered, answers):
    assert set(results.gold(answered).answers["grade"]) == {answers[0]}


def test_a_machine_judge(answered, answers, right, make_worker):
    machine = make_worker(answered, machine="Oracle")
    judge(machine, answered.items.filter(role=Role.GOLD), answers)
    (compared,) = machine_labels.compare(answered, Worker.objects.filter(pk=machine.pk))
    assert compared.gold == checks.Score(right, 1)


def test_pages_and_the_api(answered, right, rita):
    listed = rita.get(f"/api/v1/studies/{answered.pk}/checks/").json()["results"]
    assert [(row["answered"], row["answered_rightly"]) for row in listed] == [(1, right)] * 3
    page = rita.get(reverse("study_worker", args=[answered.pk, answered.workers.get().pk])).content.decode()
    assert f'<span class="value">{right}</span> of 1 right' in page


def test_the_test_is_passed_by_first_answers(running, make_worker):
    """Mending the first answer before the last one is given does not help."""
    items = list(running.items.order_by("position"))[:2]
    checks.designate(items, Role.TEST, right=[RIGHT])
    running.refresh_from_db()
    running.pass_mark = 0.6
    running.save()
    worker = make_worker(running)
    for slot, grades in zip(assignment.next_slots(worker, count=2), [(WRONG, RIGHT), (RIGHT,)], strict=True):
        for grade in grades:
            record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), grade=grade))
    worker.refresh_from_db()
    assert worker.standing == Worker.Standing.BLOCKED


def test_a_vote_is_the_answer_that_stands(running, answers, make_worker):
    """Also on what was made gold of it afterwards."""
    item = running.items.first()
    worker = make_worker(running)
    for grade in answers:
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=grade))
    checks.designate([item], Role.GOLD, right=[RIGHT])
    assert [label.votes for label in results.labels(running)] == [(answers[1],)]
