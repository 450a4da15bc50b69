"""A launched study that gets documents besides its pool."""

from uuid import uuid4

import pytest

from judging.labels import study_progress
from judging.models import AuditEntry, Item, Slot, Study, Topic
from judging.models.slot import SPAN
from judging.recruiting.invites import join
from judging.studies import growth, launch
from judging.studies.growth import CannotGrow, Growth, add_items
from judging.work import assignment, checks
from judging.work.answers import Answer, record_judgement

pytestmark = pytest.mark.django_db


def pairs(study):
    return {(item.topic.number, item.document.docno) for item in study.items.select_related("topic", "document")}


def blocks(study, topic):
    return {slot.position // SPAN for slot in Slot.objects.filter(study=study, item__topic__number=topic)}


def judge_all(worker):
    while slots := assignment.next_slots(worker):
        record_judgement(worker=worker, item=slots[0].item, answer=Answer(key=uuid4(), grade=1))


def fresh(study):
    return Study.objects.get(pk=study.pk)


def test_documents_come_with_k_slots_each_among_those_of_their_topic(running, researcher):
    before, at_first = pairs(running), blocks(running, "1")
    assert add_items(running, [("1", "d3"), ("1", "d4"), ("1", "d3")], by=researcher) == Growth(added=2, already=0)
    assert pairs(running) == before | {("1", "d3"), ("1", "d4")}
    assert Slot.objects.filter(study=running).count() == 16
    assert all(sorted(item.slots.values_list("number", flat=True)) == [1, 2] for item in running.items.all())
    assert list(running.items.values_list("position", flat=True)) == list(range(8))
    assert blocks(running, "1") == at_first and len(at_first) == 1
    counts = fresh(running).pool_counts
    assert (counts["items"], counts["topics"], counts["added"]) == (8, 2, 2)
    entry = AuditEntry.objects.first()
    assert (entry.deed, entry.by, entry.about) == ("changed", researcher, "“Bird study”: 2 items more, 4 judgements")


def test_what_is_there_stays_as_it_is_check_or_work(running):
    gold = running.items.get(topic__number="1", document__docno="d1")
    checks.designate([gold], Item.Role.GOLD, right=[1])
    entries = AuditEntry.objects.count()
    assert add_items(running, [("1", "d1"), ("1", "d2")]) == Growth(added=0, already=2)
    assert (running.items.get(pk=gold.pk).role, running.items.count()) == (Item.Role.GOLD, 6)
    assert AuditEntry.objects.count() == entries, "what changes nothing leaves nothing"


def test_a_new_topic_takes_a_stretch_of_its_own(running, collection):
    Topic.objects.create(collection=collection, number="3", title="nests")
    add_items(running, [("3", "d1"), ("3", "d2"), ("1", "d3")])
    assert len(blocks(running, "3")) == 1
    assert not blocks(running, "3") & (blocks(running, "1") | blocks(running, "2"))
    assert fresh(running).pool_counts["topics"] == 3


def test_who_had_finished_gets_work_again_and_progress_counts_it(running):
    worker, other = join(running), join(running)
    judge_all(worker)
    judge_all(other)
    assert assignment.is_over(worker)
    assert study_progress.progress(fresh(running)).items == 6
    add_items(running, [("2", "d1")])
    worker.study = fresh(running)
    assert not assignment.is_over(worker)
    (slot,) = assignment.next_slots(worker)
    assert (slot.item.topic.number, slot.item.document.docno) == ("2", "d1")
    progress = study_progress.progress(fresh(running))
    assert (progress.items, progress.slots, progress.judged) == (7, 14, 12)


def test_checks_are_mixed_in_among_the_work_as_it_is_now(running):
    gold = running.items.filter(topic__number="1").first()
    checks.designate([gold], Item.Role.GOLD, right=[1])
    assert fresh(running).pool_counts["mixed"] == [[2, 1, 1]]
    add_items(running, [("1", "d3")])
    assert fresh(running).pool_counts["mixed"] == [[3, 1, 1]]


def test_its_documents_lie_before_checks_from_outside_the_pool(running, collection):
    """Else withdrawing a check would take it for work."""
    from judging.labels import gold_choice

    topic, document = collection.topics.get(number="1"), collection.documents.get(docno="d5")
    gold_choice.add(running, role=Item.Role.TRAINING, topic=topic, document=document, right=[0])
    add_items(running, [("1", "d3")])
    added = running.items.get(topic=topic, document__docno="d3")
    assert (added.position, added.role) == (6, Item.Role.WORK)


@pytest.mark.parametrize("state", [Study.State.PAUSED, Study.State.CLOSED])
def test_a_study_grows_while_it_waits(running, state):
    Study.objects.filter(pk=running.pk).update(state=state)
    assert add_items(running, [("1", "d3")]).added == 1
    assert fresh(running).state == state


@pytest.mark.parametrize(
    ("spoil", "chosen", "why"),
    [
        (lambda study: Study.objects.update(state="draft"), ("1", "d3"), "is a draft"),
        (lambda study: Study.objects.update(kind="side_by_side"), ("1", "d3"), "compares lists"),
        (launch.archive, ("1", "d3"), "Restore it first"),
        (lambda study: None, ("9", "d3"), "Topic “9”: not in the study’s collection"),
        (lambda study: None, ("1", "d99"), "Document “d99”: not in the study’s collection"),
    ],
)
def test_what_cannot_be_says_why_and_adds_nothing(running, spoil, chosen, why):
    spoil(running)
    with pytest.raises(CannotGrow, match=why):
        add_items(running, [("1", "d4"), chosen])
    assert (running.items.count(), fresh(running).pool_counts["items"]) == (6, 6)


def test_a_study_grows_to_its_limit_and_no_further(running, monkeypatch):
    monkeypatch.setattr(growth, "MOST_JUDGEMENTS", 14)
    add_items(running, [("1", "d3")])
    with pytest.raises(CannotGrow, match="would make 16 judgements; one study may ask for 14"):
        add_items(running, [("1", "d4")])
    assert running.slots.count() == 14
