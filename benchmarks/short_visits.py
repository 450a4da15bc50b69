"""Studies of many workers who judge a little each: made, judged and measured, where Django is set up already."""

import random
import secrets
import statistics
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable
from datetime import timedelta
from itertools import takewhile

from django.utils import timezone

from judging.database.planner import update_statistics
from judging.labels.stopping import topics_so_far
from judging.models import Collection, Document, Item, Slot, Study, Topic, User, Worker
from judging.models.slot import SPAN
from judging.studies.launch import slots_of
from judging.work import assignment
from judging.work.answers import Answer, record_judgement
from judging.work.beginnings import left_topic

ROWS = 2000  # of an insert


def owner() -> User:
    return User.objects.get_or_create(username="bench", defaults={"is_researcher": True})[0]


def launched(owner: User, topics: int, documents: int, overlap: int = 1) -> Study:
    """A running study of so many topics, with the same documents each."""
    collection = Collection.objects.create(name=uuid.uuid4().hex, owner=owner)
    birds = Topic.objects.bulk_create(Topic(collection=collection, number=str(number), title="owls") for number in range(topics))
    texts = Document.objects.bulk_create(
        Document(collection=collection, docno=f"d{number}", text="") for number in range(documents)
    )
    study = Study.objects.create(
        collection=collection, name=collection.name, instructions="Judge.", overlap=overlap, created_by=owner,
        state=Study.State.RUNNING, pool_counts={"items": topics * documents, "topics": topics},
    )  # fmt: skip
    pairs = enumerate((topic, document) for topic in birds for document in texts)
    items = Item.objects.bulk_create(
        (Item(study=study, topic=topic, document=document, position=at, wanted=overlap) for at, (topic, document) in pairs),
        batch_size=ROWS,
    )
    Slot.objects.bulk_create(slots_of(items, overlap, random.Random(1)), batch_size=ROWS)
    return study


def judge(worker: Worker, number: int = 1) -> Worker:
    """Have the worker judge so many documents as they come, with the next one at hand as the page has it."""
    for _ in range(number):
        (slot, *_) = assignment.next_slots(worker, count=2)
        record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid.uuid4(), grade=1), ahead=2)
    return worker


def anywhere(study: Study) -> Worker:
    """A newcomer who begins in any topic, whether others left one or not."""
    return Worker.objects.create(study=study, start=secrets.randbelow(study.pool_counts["topics"]) * SPAN)


def finished(study: Study, let_in: Callable[[Study], Worker], *, judgements: int, each: int = 5, at_once: int = 4) -> int:
    """How many topics are judged, without a gap, once there are so many judgements.

    So many workers are there at once and take turns. Each gives `each` judgements and leaves, and the next one comes.
    """
    present: deque[tuple[Worker, int]] = deque()
    for _ in range(judgements):
        worker, given = present.popleft() if len(present) == at_once else (let_in(study), 0)
        judge(worker)
        if given + 1 == each:
            assignment.give_back(worker)
        else:
            present.append((worker, given + 1))
    return len([*takewhile(lambda topic: not topic.waiting, topics_so_far(study))])


def half_judged(study: Study, *, left: int, busy: int) -> None:
    """Have the first half of the topics, in random order, judged; so many more left half-way, and in so many somebody at work."""
    topics = random.sample(range(study.pool_counts["topics"]), study.pool_counts["topics"])
    half, documents = len(topics) // 2, study.pool_counts["items"] // len(topics)
    worker, now = Worker.objects.create(study=study), timezone.now()
    done = {"worker": worker, "leased_until": now, "judged_at": now}
    for block in range(0, half, ROWS // 10):
        in_topics(study, topics[block : min(block + ROWS // 10, half)]).update(**done)
    begun = in_topics(study, topics[half : half + left + busy])
    begun.filter(item__document__docno__in=[f"d{number}" for number in range(documents // 2)]).update(**done)
    held = in_topics(study, topics[half + left : half + left + busy]).filter(item__document__docno=f"d{documents // 2}")
    held.update(worker=worker, leased_until=now + timedelta(days=1))
    update_statistics(Item, Slot, Worker)


def in_topics(study: Study, topics: Iterable[int]):
    numbers = [str(topic) for topic in topics]
    return Slot.objects.filter(pk__in=Slot.objects.filter(study=study, item__topic__number__in=numbers).values("pk"))


def milliseconds(study: Study, rounds: int = 200) -> tuple[float, float, float]:
    """How long it takes to look for a topic that was left: median, 99th percentile, and how often one is found."""
    taken, found = [], 0
    for _ in range(rounds):
        start = time.perf_counter()
        found += left_topic(study) is not None
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken), sorted(taken)[round(rounds * 0.99) - 1], found / rounds
