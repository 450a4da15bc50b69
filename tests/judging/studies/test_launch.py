"""From a draft to a launched study."""

import itertools
from decimal import Decimal

import pytest

from judging.models import Document, Item, Slot, Study, Topic
from judging.studies import launch
from judging.studies.pool_plan import plan

pytestmark = pytest.mark.django_db


def pairs(study):
    return {(item.topic.number, item.document.docno) for item in study.items.select_related("topic", "document")}


def test_the_plan_counts_each_pooled_document_once(study):
    study.pay_an_hour, study.seconds_a_judgement = Decimal(12), 30
    planned = plan(study)
    # topic 1: d1 d2 and d2 d6; topic 2: d3 d5 and d4 d3
    assert (planned.pooled, len(planned.items), planned.topics, planned.judgements) == (6, 6, 2, 12)
    assert planned.hours == pytest.approx(12 * 30 / 3600)
    assert planned.cost == Decimal("1.20")


def test_launching_makes_k_slots_an_item(study):
    launch.launch(study, seed=3)
    assert pairs(study) == {("1", "d1"), ("1", "d2"), ("1", "d6"), ("2", "d3"), ("2", "d5"), ("2", "d4")}
    assert Slot.objects.filter(study=study).count() == 12
    assert all(sorted(item.slots.values_list("number", flat=True)) == [1, 2] for item in study.items.all())
    assert Study.objects.get(pk=study.pk).state == Study.State.RUNNING
    assert list(study.items.values_list("position", flat=True)) == list(range(6))


def test_topics_stay_together_and_rank_does_not_shine_through(study):
    first_documents = set()
    for seed in range(12):
        items = launch.items_of(study, plan(study), __import__("random").Random(seed))
        topics = [item.topic_id for item in items]
        assert sum(a != b for a, b in itertools.pairwise(topics)) == 1
        first_documents.add(items[0].document_id)
    assert len(first_documents) > 2


def test_a_study_is_launched_once(running):
    with pytest.raises(launch.CannotLaunch, match="already launched"):
        launch.launch(running)
    assert Item.objects.filter(study=running).count() == 6


def test_documents_without_a_text_here_are_left_out_and_counted(study):
    Document.objects.filter(docno="d6").delete()
    assert launch.launch(study).without_document == 1
    assert study.pool_counts["without_document"] == 1
    assert len(pairs(study)) == 5


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda study: study.runs.clear(), "Choose at least one run"),
        (lambda study: Document.objects.all().delete(), "Import their texts first"),
        (lambda study: Topic.objects.all().delete(), "Import its topics first"),
    ],
)
def test_what_cannot_be_launched_says_why_and_stays_a_draft(study, spoil, why):
    spoil(study)
    with pytest.raises(launch.CannotLaunch, match=why):
        launch.launch(study)
    assert Study.objects.get(pk=study.pk).state == Study.State.DRAFT
    assert not Item.objects.exists()


def test_states_move_only_where_they_may(running):
    launch.resume(running)
    assert running.state == Study.State.RUNNING
    launch.close(running)
    launch.pause(running)
    assert Study.objects.get(pk=running.pk).state == Study.State.CLOSED
    launch.resume(running)
    assert Study.objects.get(pk=running.pk).state == Study.State.RUNNING


def test_a_launch_takes_the_draft_as_it_is_now_not_as_the_page_read_it(study):
    read_before = Study.objects.get(pk=study.pk)
    Study.objects.filter(pk=study.pk).update(overlap=3, depth=1)  # saved in another tab meanwhile
    launch.launch(read_before)
    assert study.slots.count() == study.items.count() * 3


def test_a_slip_of_the_finger_is_refused_before_it_makes_millions_of_rows(study, monkeypatch):
    monkeypatch.setattr(launch, "MOST_JUDGEMENTS", 11)
    with pytest.raises(launch.CannotLaunch, match="asks for 12 judgements"):
        launch.launch(study)
    assert not Item.objects.exists()
