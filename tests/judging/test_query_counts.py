"""What a page and an answer cost the database does not depend on how large the study is."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.database.planner import update_statistics
from judging.models import Document, Item, Slot, Study, Topic, Worker
from judging.models.slot import SPAN
from judging.studies.launch import launch
from judging.work import assignment, checks
from judging.work.answers import Answer, record_judgement
from judging.work.priority import prioritise
from tests import conftest, sharing

pytestmark = [pytest.mark.last_database, pytest.mark.django_db, pytest.mark.usefixtures("large")]
db = sharing.db
researcher, collection, runs = map(sharing.once, (conftest.researcher, conftest.collection, conftest.runs))
DOCUMENTS, SMALL, LARGE = 500, 100, 20_000


def grow(study, items):
    """Let the study have so many items: the same documents for topic after topic."""
    collection, have = study.collection, study.items.count()
    missing = items - have
    topics = -(-missing // DOCUMENTS)
    numbered = [Topic(collection=collection, number=f"t{items}-{n}", title="owls") for n in range(topics)]
    named = [Document(collection=collection, docno=f"d{items}-{n}", text="Owls.") for n in range(DOCUMENTS)]
    topic_rows, document_rows = Topic.objects.bulk_create(numbered), Document.objects.bulk_create(named)
    pairs = [(topic, document) for topic in topic_rows for document in document_rows][:missing]
    made = [
        Item(study=study, topic=topic, document=document, position=10_000 + have + n, wanted=study.overlap)
        for n, (topic, document) in enumerate(pairs)
    ]
    rows = Item.objects.bulk_create(made, batch_size=5000)
    Slot.objects.bulk_create(
        [
            Slot(study=study, item=item, number=1, position=(have + n // DOCUMENTS) * SPAN + n * 7 % SPAN)
            for n, item in enumerate(rows)
        ],
        batch_size=5000,
    )
    update_statistics(Item, Slot, Topic, Document)  # as launching and importing do
    assert study.items.count() == items


def running(collection, runs, researcher, *, items):
    study = Study.objects.create(
        collection=collection, name=f"{items} items", instructions="Judge.", depth=2, overlap=1, created_by=researcher
    )
    study.runs.set(runs)
    launch(study, seed=1)
    grow(study, items)
    return study


@sharing.once
def small(collection, runs, researcher):
    return running(collection, runs, researcher, items=SMALL)


@sharing.once
def large(collection, runs, researcher):
    return running(collection, runs, researcher, items=LARGE)


def plain(study):
    pass


def everything(study):
    """A study in which all that can depend on an answer does."""
    items = list(study.items.order_by("position")[:3])
    checks.designate(items[:1], Item.Role.TEST, right=[1])
    checks.designate(items[1:2], Item.Role.GOLD, right=[1])
    prioritise(study, [items[2].pk])
    study.refresh_from_db()
    study.gold_every, study.most_judgements, study.most_overlap = 1, 50, study.overlap + 2
    study.save()


def counted(work):
    with CaptureQueriesContext(connection) as captured:
        work()
    return len(captured)


def costs(study, **fields):
    """How many queries a new worker's pages and answers take, ten of each."""
    worker = Worker.objects.create(study=study, **fields)
    counts = []
    for _ in range(10):
        worker = Worker.objects.select_related("study").get(pk=worker.pk)
        counts.append(counted(lambda: assignment.next_slots(worker, count=2)))  # noqa: B023  called at once
        slot = assignment.held_slots(worker, most=2)[0]
        answer = Answer(key=uuid4(), grade=1)
        counts.append(counted(lambda: record_judgement(worker=worker, item=slot.item, answer=answer, ahead=2)))  # noqa: B023
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("prepare", [plain, everything])
def test_pages_and_answers_cost_as_many_queries_in_a_large_study(small, large, prepare):
    for study in (small, large):
        prepare(study)
    assert max(costs(large)) <= max(costs(small))
    assert max(costs(large, machine="Oracle")) <= max(costs(small, machine="Oracle"))
