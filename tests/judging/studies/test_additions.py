"""Taking back what a launched study was given besides its pool: what nobody has judged or holds goes, as if it had never come."""

from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.utils import timezone

from judging.labels import stopping, study_progress
from judging.models import Addition, AuditEntry, Item, Slot, Study, Topic, Worker
from judging.models.slot import SPAN
from judging.recruiting.invites import join
from judging.studies import launch
from judging.studies.additions import CannotTakeBack, Contents, contents_of, take_back
from judging.studies.growth import add_items
from judging.work import assignment, checks, enquiries
from judging.work.answers import Answer, WorkIsGone, record_judgement
from judging.work.priority import prioritise

pytestmark = pytest.mark.django_db


def fresh(study):
    return Study.objects.get(pk=study.pk)


def answer(worker, item, grade=1):
    return record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=grade), ahead=1)


def added(study, *pairs):
    return add_items(study, pairs).addition


def docnos(study):
    return sorted((item.topic.number, item.document.docno) for item in study.items.select_related("topic", "document"))


def contents(addition):
    (row,) = contents_of([addition])
    return (row.documents, row.judged, row.held, row.checks, row.free)


def item_of(study, docno, topic="1"):
    return study.items.get(topic__number=topic, document__docno=docno)


def hold(study, docno, topic="1"):
    """A worker who has a slot of the item."""
    worker, until = Worker.objects.create(study=study), timezone.now() + timedelta(minutes=study.lease_minutes)
    Slot.objects.filter(item=item_of(study, docno, topic), number=1).update(worker=worker, leased_until=until)
    return worker


def traces(study):
    """All that tells what the study asks for."""
    slots = sorted(Slot.objects.filter(study=study).values_list("pk", "item", "position", "number"))
    return slots, docnos(study), fresh(study).pool_counts, study_progress.progress(fresh(study))


def test_everything_is_as_before_the_addition(running, researcher, collection):
    Topic.objects.create(collection=collection, number="3", title="nests")
    before = traces(running)
    addition = added(running, ("1", "d3"), ("3", "d1"), ("3", "d2"))
    assert fresh(running).pool_counts["topics"] == 3
    assert take_back(addition, by=researcher) == 3
    assert traces(running) == before
    assert not Addition.objects.exists()
    (entry, _) = AuditEntry.objects.all()[:2]
    assert (entry.deed, entry.by) == ("changed", researcher)
    assert entry.about.startswith("“Bird study”: 3 items fewer, 6 judgements, of those added 20")


def test_a_question_about_a_document_outlives_it(running, make_worker):
    addition = added(running, ("1", "d3"))
    item = item_of(running, "d3")
    asked = enquiries.ask(worker=make_worker(running), text="Is this one meant?", item=item)
    assert take_back(addition) == 1
    asked.refresh_from_db()
    assert asked.item is None
    late = enquiries.ask(worker=asked.worker, text="And this one?", item=Item(pk=item.pk))
    assert late.item is None


def test_what_is_judged_or_held_stays_and_can_be_taken_back_once_it_comes_free(running):
    addition = added(running, ("1", "d3"), ("1", "d4"), ("1", "d5"))
    judge = hold(running, "d3")
    answer(judge, item_of(running, "d3"))
    assignment.give_back(judge)
    holder = hold(running, "d4")
    assert contents(addition) == (3, 1, 1, 0, 1)
    assert take_back(addition) == 1
    assert ("1", "d5") not in docnos(running)
    assert contents(addition) == (2, 1, 1, 0, 0)
    assert take_back(addition) == 0
    assignment.give_back(holder)
    assert take_back(addition) == 1
    assert contents(addition) == (1, 1, 0, 0, 0)
    counts = fresh(running).pool_counts
    assert (counts["items"], counts["added"]) == (7, 1)


def test_of_two_additions_only_the_one_is_taken_back(running):
    first, second = added(running, ("1", "d3"), ("2", "d1")), added(running, ("1", "d4"))
    take_back(first)
    assert contents(second) == (1, 0, 0, 0, 1)
    assert (fresh(running).pool_counts["items"], fresh(running).pool_counts["added"]) == (7, 1)
    third = added(running, ("1", "d3"))
    assert third.pk not in (first.pk, second.pk) and contents(third)[0] == 1
    assert running.items.filter(addition=None).count() == 6, "the pool belongs to none"


def test_a_topic_counts_while_another_addition_has_documents_of_it(running, collection):
    Topic.objects.create(collection=collection, number="3", title="nests")
    first, second = added(running, ("3", "d1")), added(running, ("3", "d2"))
    take_back(first)
    assert fresh(running).pool_counts["topics"] == 3
    take_back(second)
    assert fresh(running).pool_counts["topics"] == 2


def test_whose_lease_ran_out_holds_it_no_longer_and_learns_that_it_is_gone(running):
    addition = added(running, ("1", "d3"))
    worker, item = hold(running, "d3"), item_of(running, "d3")
    with time_machine.travel(timezone.now() + timedelta(minutes=running.lease_minutes + 1)):
        assert take_back(addition) == 1
        with pytest.raises(WorkIsGone, match="taken out of the study"):
            answer(worker, item)
    assert not item.judgements.exists()
    assert assignment.next_slots(worker), "and goes on with the next one"


def test_a_program_that_holds_an_item_keeps_it_and_one_that_comes_late_learns_that_it_is_gone(running):
    robot = join(running, machine="a 1")
    addition = added(running, ("1", "d3"))
    item = item_of(running, "d3")
    held = Slot.objects.create(
        study=running, item=item, position=item.position, worker=robot, leased_until=timezone.now() + timedelta(minutes=1)
    )
    assert contents(addition) == (1, 0, 1, 0, 0)
    Slot.objects.filter(pk=held.pk).update(leased_until=timezone.now() - timedelta(minutes=1))
    assert take_back(addition) == 1
    with pytest.raises(WorkIsGone):
        answer(robot, item)


def test_a_judgement_without_a_vote_is_a_judgement(running):
    addition = added(running, ("1", "d3"))
    item = item_of(running, "d3")
    for worker in [Worker.objects.create(study=running) for _ in range(3)]:
        answer(worker, item)
    assert item.judgements.filter(slot=None).count() == 1
    assert contents(addition) == (1, 1, 0, 0, 0)


def test_what_became_a_check_stays(running):
    addition = added(running, ("1", "d3"), ("1", "d4"))
    checks.designate([item_of(running, "d3")], Item.Role.GOLD, right=[1])
    assert contents(addition) == (2, 0, 0, 1, 1)
    assert take_back(addition) == 1
    assert item_of(running, "d3").role == Item.Role.GOLD


def test_checks_are_mixed_in_as_before(running):
    gold = running.items.filter(topic__number="1").first()
    checks.designate([gold], Item.Role.GOLD, right=[1])
    before = fresh(running).pool_counts
    take_back(added(running, ("1", "d3")))
    assert fresh(running).pool_counts == before and before["mixed"] == [[2, 1, 1]]


def test_what_was_urgent_is_looked_for_no_longer(running):
    addition = added(running, ("1", "d3"))
    prioritise(running, [item_of(running, "d3").pk])
    assert fresh(running).pool_counts["urgent"] == 2
    take_back(addition)
    assert fresh(running).pool_counts["urgent"] == 0


def test_the_first_topics_are_complete_again(running):
    worker = join(running)
    while slots := assignment.next_slots(worker):
        answer(worker, slots[0].item)
    complete = [topic.waiting for topic in stopping.topics_so_far(running)]
    addition = added(running, ("1", "d3"))
    assert [topic.waiting for topic in stopping.topics_so_far(fresh(running))] != complete
    take_back(addition)
    assert [topic.waiting for topic in stopping.topics_so_far(fresh(running))] == complete == [0, 0]


def test_slots_lie_where_they_did_so_that_workers_find_what_is_left(running, collection):
    Topic.objects.create(collection=collection, number="3", title="nests")
    first, second = added(running, ("3", "d1")), added(running, ("1", "d3"))
    take_back(first)
    worker = Worker.objects.create(study=running, start=9 * SPAN)
    judged = 0
    while slots := assignment.next_slots(worker):
        answer(worker, slots[0].item)
        judged += 1
    assert (judged, contents(second)) == (7, (1, 1, 0, 0, 0))


def test_asked_again_nothing_more_happens(running):
    addition = added(running, ("1", "d3"))
    take_back(addition)
    before = traces(running), AuditEntry.objects.count()
    assert take_back(addition) == 0
    assert (traces(running), AuditEntry.objects.count()) == before


def test_while_a_study_is_paused_documents_are_taken_back_too(running):
    addition = added(running, ("1", "d3"))
    launch.pause(running)
    assert take_back(addition) == 1
    assert fresh(running).state == Study.State.PAUSED


def test_a_closed_study_stays_as_it_is_until_it_is_resumed(running):
    addition = added(running, ("1", "d3"))
    launch.close(running)
    with pytest.raises(CannotTakeBack, match=r"is closed.*Resume it first"):
        take_back(addition)
    assert contents(addition) == (1, 0, 0, 0, 1)
    launch.resume(running)
    assert take_back(addition) == 1


def test_an_archived_study_stays_as_it_is(running):
    addition = added(running, ("1", "d3"))
    launch.archive(running)
    with pytest.raises(CannotTakeBack, match=r"is archived.*Restore and resume it first"):
        take_back(addition)
    assert contents(addition) == (1, 0, 0, 0, 1)


def test_an_addition_says_what_is_free_of_it():
    assert Contents(Addition(), documents=9, judged=3, held=2, checks=1).free == 3


def test_a_study_that_grew_is_deleted_with_its_additions(running):
    from judging.collections.deletion import delete_study

    added(running, ("1", "d3"))
    delete_study(running)
    assert not Addition.objects.exists()
