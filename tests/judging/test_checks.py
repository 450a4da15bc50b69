"""Training, the qualification test and gold: asked of every worker, in an order that gives nothing away."""

from uuid import UUID, uuid4

import pytest

from judging import assignment, checks, excluding, results
from judging.models import Item, Slot, Worker
from judging.recording import Answer, record_judgement

pytestmark = pytest.mark.django_db
Role = Item.Role


@pytest.fixture
def items(running):
    """Six items of two topics, the first topic's first."""
    return list(running.items.order_by("position"))


def answer(worker, slot, grade=1):
    return record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), grade=grade), ahead=1)


def gold_every(study, items):
    study.refresh_from_db()
    study.gold_every = items
    study.save()


def judge_all(worker, grade=1):
    judged = []
    while slots := assignment.next_slots(worker):
        judged.append(slots[0].item_id)
        answer(worker, slots[0], grade)
        worker = Worker.objects.select_related("study").get(pk=worker.pk)
    return judged


def test_training_and_the_test_come_before_the_work_and_are_asked_of_everybody(running, items, make_worker):
    checks.designate(items[:1], Role.TRAINING, right=[1], explanation="It says so.")
    checks.designate(items[3:5], Role.TEST, right=[1])
    running.refresh_from_db()
    for _ in range(3):  # more workers than an item has slots
        judged = judge_all(make_worker(running))
        assert judged[:1] == [items[0].pk]
        assert set(judged[1:3]) == {items[3].pk, items[4].pk}
    assert Slot.objects.filter(item=items[0], judged_at__isnull=False, number=None).count() == 3


def test_the_work_waits_for_the_last_answer_of_the_test(running, items, make_worker):
    checks.designate(items[:1], Role.TEST, right=[1])
    running.refresh_from_db()
    assert [slot.item_id for slot in assignment.next_slots(make_worker(running), count=2)] == [items[0].pk]


def test_who_fails_the_test_gets_no_work_and_a_reason_is_kept(running, items, make_worker):
    checks.designate(items[:2], Role.TEST, right=[2, 3])
    running.refresh_from_db()
    worker = make_worker(running)
    assert len(judge_all(worker, grade=0)) == 2
    worker.refresh_from_db()
    assert worker.standing == Worker.Standing.BLOCKED
    assert worker.exclusions.get().reason == "Qualification test: 0 of 2 right"
    assert not assignment.others_are_finishing(worker)


def test_who_cannot_judge_a_test_has_not_passed_it(running, items, make_worker):
    checks.designate(items[:1], Role.TEST, right=[0])
    running.refresh_from_db()
    worker = make_worker(running)
    (slot,) = assignment.next_slots(worker)
    record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), cannot_judge="unclear"))
    assert checks.score(worker, Role.TEST) == checks.Score(right=0, answered=1)
    assert worker.exclusions.exists()


def test_one_in_so_many_is_gold_at_places_that_differ_from_worker_to_worker(running, items, make_worker):
    checks.designate(items[:2], Role.GOLD, right=[1])
    gold_every(running, 3)
    orders = [judge_all(make_worker(running, key=UUID(int=number))) for number in range(2)]
    gold = {items[0].pk, items[1].pk}
    for judged in orders:
        assert len(judged) == len(set(judged))
        assert len(gold & set(judged[:3])) == 1
        assert len(gold & set(judged[3:6])) == 1
    # Work is over, so that they meet gold only where they begin with it. Their keys are their lots.
    later = {tuple(pk in gold for pk in judge_all(make_worker(running, key=UUID(int=number)))) for number in range(2, 14)}
    assert later == {(), (True,)}


def test_gold_is_not_work_and_its_judgements_are_no_votes(running, items, make_worker):
    checks.designate(items[:1], Role.GOLD, right=[1])
    gold_every(running, 1)
    for _ in range(2):
        judge_all(make_worker(running))
    docnos = {label.docno for label in results.labels(running)}
    assert items[0].document.docno not in docnos
    assert len(docnos) == 5
    assert results.progress(running).slots == 10


def test_gold_made_of_what_workers_agreed_on_keeps_its_votes(running, items, make_worker):
    for _ in range(2):
        judge_all(make_worker(running), grade=3)
    checks.designate(items[:1], Role.GOLD, right=[3])
    gold_every(running, 1)
    judge_all(make_worker(running), grade=0)
    label = next(label for label in results.labels(running) if label.docno == items[0].document.docno)
    assert label.votes == (3, 3)


def test_nothing_that_a_worker_gets_tells_gold_from_work(running, items, make_worker):
    from django.test import RequestFactory

    from judging.views.shown import with_slot

    worker = make_worker(running)
    request = RequestFactory().get("/")
    slots = {slot.item_id: slot for slot in assignment.next_slots(worker, count=6)}
    as_work = with_slot("judging/judge.html", request, worker, slots[items[0].pk])
    checks.designate(items[:1], Role.GOLD, right=[1], explanation="secret")
    again = next(slot for slot in assignment.held(worker, most=6) if slot.item_id == items[0].pk)
    as_gold = with_slot("judging/judge.html", request, worker, again)
    assert len(as_work) == len(as_gold)
    assert "secret" not in as_gold


def test_giving_back_takes_a_check_away_and_it_is_asked_again(running, items, make_worker):
    checks.designate(items[:1], Role.TRAINING, right=[1])
    running.refresh_from_db()
    worker = make_worker(running)
    assert assignment.next_slots(worker)
    assert assignment.give_back(worker) == 1
    assert not Slot.objects.filter(item=items[0], number=None).exists()
    assert [slot.item_id for slot in assignment.next_slots(worker)] == [items[0].pk]


def test_a_worker_judges_no_more_than_the_study_lets_them(running, make_worker):
    running.most_judgements = 2
    running.save()
    worker = make_worker(running)
    assert len(judge_all(worker)) == 2
    assert not assignment.others_are_finishing(worker)
    assert len(judge_all(make_worker(running))) == 2


def test_a_marketplaces_worker_who_fails_is_screened_out(running, items, researcher):
    from judging import arrivals, channels

    checks.designate(items[:1], Role.TEST, right=[3])
    running.refresh_from_db()
    channel = channels.add_channel(running, by=researcher, source="prolific")
    arrival = arrivals.consent(channel, arrivals.Claim("p1", "s1"))
    judge_all(Worker.objects.select_related("study").get(pk=arrival.worker_id), grade=0)
    arrival.refresh_from_db()
    assert arrival.outcome == "screened_out"


def test_progress_counts_what_one_worker_can_judge(running, items, make_worker):
    from judging.views.shown import counts

    checks.designate(items[:1], Role.TRAINING, right=[1])
    running.refresh_from_db()
    running.most_judgements = 2
    running.save()
    worker = make_worker(running)
    assert counts(worker) == {"done": 0, "items": 3}
    judge_all(worker)
    assert counts(worker) == {"done": 3, "items": 3}


def test_who_is_let_in_in_spite_of_the_test_goes_on(running, items, make_worker, researcher):
    checks.designate(items[:1], Role.TEST, right=[3])
    running.refresh_from_db()
    worker = make_worker(running)
    assert len(judge_all(worker, grade=0)) == 1
    excluding.lift(worker.exclusions.get(), by=researcher)
    assert len(judge_all(Worker.objects.select_related("study").get(pk=worker.pk), grade=0)) == 5
    assert worker.exclusions.count() == 1
