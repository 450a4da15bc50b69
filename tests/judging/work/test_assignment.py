"""Who gets which slot, and that an item is never judged more often than ordered."""

import itertools
from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.db import IntegrityError, connection
from django.utils import timezone

from judging.database.planner import update_statistics
from judging.models import Document, Item, Judgement, Slot
from judging.models.slot import SPAN
from judging.studies import launch
from judging.work import assignment
from judging.work.answers import Answer, record_judgement

pytestmark = pytest.mark.django_db


def answer(worker, slot, grade=1):
    return record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), grade=grade))


def judge_everything(worker):
    judged = []
    while slots := assignment.next_slots(worker):
        answer(worker, slots[0])
        judged.append(slots[0].item_id)
    return judged


def test_asking_twice_gives_the_same_documents(running, make_worker):
    worker = make_worker(running)
    first = assignment.next_slots(worker, count=2)
    again = assignment.next_slots(worker, count=2)
    assert [slot.pk for slot in first] == [slot.pk for slot in again]
    assert len({slot.item_id for slot in first}) == 2


def test_a_worker_gets_every_item_once_and_a_topic_in_a_row(running, make_worker):
    judged = judge_everything(make_worker(running))
    items = {item.pk: item for item in running.items.all()}
    assert sorted(judged) == sorted(items)
    topics = [items[pk].topic_id for pk in judged]
    assert sum(a != b for a, b in itertools.pairwise(topics)) == 1  # two topics: one change


def test_k_workers_fill_every_item_and_the_next_gets_nothing(running, make_worker):
    for _ in range(2):
        judge_everything(make_worker(running))
    assert not Slot.objects.filter(study=running, judged_at__isnull=True).exists()
    latecomer = make_worker(running)
    assert assignment.next_slots(latecomer) == []
    assert not assignment.others_are_finishing(latecomer)
    assert all(item.judgements.count() == 2 for item in running.items.all())


def test_a_worker_starts_in_the_topic_where_they_are_let_in_and_comes_round(running, make_worker):
    first, last = running.items.first().topic_id, running.items.last().topic_id
    topics = [Item.objects.get(pk=pk).topic_id for pk in judge_everything(make_worker(running, start=SPAN))]
    assert topics == [last] * 3 + [first] * 3


def test_each_worker_meets_a_topics_documents_in_an_order_of_their_own(study, make_worker):
    study.overlap = 24
    study.save()
    launch.launch(study, seed=1)
    orders = {tuple(judge_everything(make_worker(study))[:3]) for _ in range(24)}
    assert len(orders) >= 3  # of six possible ones; fewer would come of chance once in a million times
    assert len({order[0] for order in orders}) > 1


def more_items(study, count):
    collection, topic = study.collection, study.items.first().topic
    documents = Document.objects.bulk_create(Document(collection=collection, docno=f"more{i}", text="") for i in range(count))
    items = Item.objects.bulk_create(
        Item(study=study, topic=topic, document=document, position=1000 + i) for i, document in enumerate(documents)
    )
    Slot.objects.bulk_create(Slot(study=study, item=item, position=SPAN * item.position, number=1) for item in items)


def steps(work):
    """How many instructions SQLite's machine runs for it, in hundreds, give or take one a statement."""
    hundreds: list[None] = []
    connection.connection.set_progress_handler(lambda: hundreds.append(None), 100)
    try:
        work()
    finally:
        connection.connection.set_progress_handler(None, 100)
    return len(hundreds)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite counts its steps")
def test_claiming_costs_the_same_in_a_large_study(running, make_worker):
    worker = make_worker(running)
    assignment.next_slots(worker, count=2)
    full, two = (lambda: assignment.top_up(worker, count=2)), (lambda: assignment.top_up(worker, count=3))
    before = steps(full)
    more_items(running, 3000)
    assert steps(full) <= before + 10  # looking through 3,000 items takes 90 at least
    assert steps(two) < 50
    assert Slot.objects.filter(worker=worker).count() == 3


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL keeps plans")
def test_what_runs_for_every_judgement_is_planned_once(running, make_worker):
    """Also for workers who came after the tables were counted: it takes them to hold a single slot."""
    more_items(running, 300)
    for _ in range(2):
        judge_quickly(make_worker(running), 100)
    update_statistics(Slot, Judgement)
    before = planned_anew()
    judge_quickly(make_worker(running), 60)
    assert planned_anew() - before < 40


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL explains its plan in these words")
def test_a_free_slot_is_looked_at_beside_no_other_of_the_workers(running, make_worker):
    """What they have judged is looked up by item and worker, also where the tables were counted before anybody judged."""
    more_items(running, 300)
    update_statistics(Slot, Judgement)
    steps = [*steps_of(plan_of_a_claim(make_worker(running)))]
    own = [step for step in steps if step.get("Alias", "").startswith(("mine", "did"))]
    assert len(own) == 8  # two for each place where a free slot is looked for
    conditions = [" ".join(step.get(kind, "") for kind in ("Index Cond", "Recheck Cond", "Filter")) for step in own]
    assert all("item_id" in condition for condition in conditions), conditions


def plan_of_a_claim(worker):
    plans = []

    def explained(execute, sql, params, many, context):
        answer = execute(f"EXPLAIN (FORMAT JSON) {sql}", params, many, context)
        plans.append(context["cursor"].fetchone()[0][0]["Plan"])
        return answer

    with connection.execute_wrapper(explained):
        assignment.claim(worker, here=0, most=9)
    return plans[0]


def steps_of(plan):
    yield plan
    for below in plan.get("Plans", []):
        yield from steps_of(below)


def judge_quickly(worker, count):
    """As their browser does, with one more item at hand."""
    slot, *_ = assignment.next_slots(worker, count=2)
    for _ in range(count):
        record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), grade=1), ahead=1)
        slot, *_ = assignment.next_slots(worker, count=2)


def planned_anew():
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(custom_plans) FROM pg_prepared_statements WHERE statement LIKE '%judging_slot%'")
        return cursor.fetchone()[0]


def test_a_lease_that_ran_out_is_given_to_somebody_else(study, make_worker):
    study.overlap = 1
    study.save()
    launch.launch(study, seed=1)
    slow, quick = make_worker(study), make_worker(study)
    held = {slot.pk for slot in assignment.next_slots(slow, count=2)}
    for slot in assignment.next_slots(quick, count=6):
        assert slot.pk not in held
        answer(quick, slot)
    with time_machine.travel(timezone.now() + timedelta(minutes=study.lease_minutes + 1)):
        assert held == {slot.pk for slot in assignment.next_slots(make_worker(study), count=2)}


def test_working_on_renews_the_lease(running, make_worker):
    worker = make_worker(running)
    (slot, *_) = assignment.next_slots(worker)
    with time_machine.travel(timezone.now() + timedelta(minutes=running.lease_minutes * 0.6)):
        (same, *_) = assignment.next_slots(worker)
        assert same.pk == slot.pk
        assert Slot.objects.get(pk=slot.pk).leased_until > timezone.now() + timedelta(minutes=running.lease_minutes * 0.9)


def test_others_are_finishing_is_not_all_done(study, make_worker):
    study.overlap = 1
    study.save()
    launch.launch(study, seed=1)
    holder, asker = make_worker(study), make_worker(study)
    assignment.next_slots(holder, count=100)
    assert assignment.next_slots(asker) == []
    assert assignment.others_are_finishing(asker)


def test_a_paused_study_gives_nothing_new_but_keeps_what_is_held(running, make_worker):
    worker = make_worker(running)
    held = assignment.next_slots(worker, count=2)
    launch.pause(running)
    assert assignment.next_slots(make_worker(running)) == []
    worker.refresh_from_db()
    answer(worker, held[0])
    assert [slot.pk for slot in assignment.next_slots(worker)] == [held[1].pk]
    launch.resume(running)
    worker.study.refresh_from_db()
    assert len(assignment.next_slots(worker, count=2)) == 2


def test_giving_back_frees_the_slots(running, make_worker):
    worker = make_worker(running)
    assignment.next_slots(worker, count=2)
    assert assignment.give_back(worker) == 2
    assert not Slot.objects.filter(worker=worker).exists()


def test_the_database_refuses_a_second_slot_of_an_item(running, make_worker):
    worker = make_worker(running)
    item = running.items.first()
    until = timezone.now()
    with pytest.raises(IntegrityError):
        item.slots.update(worker=worker, leased_until=until)


def test_the_database_refuses_a_second_judgement_of_a_slot(running, make_worker):
    first, second = make_worker(running), make_worker(running)
    (slot, *_) = assignment.next_slots(first)
    answer(first, slot)
    with pytest.raises(IntegrityError):
        Judgement.objects.create(key=uuid4(), item=slot.item, worker=second, slot=slot, grade=0)
