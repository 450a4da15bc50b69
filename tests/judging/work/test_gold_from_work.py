"""Whoever sees all that a worker sees, and has learnt from other workers what gold looks like, cannot tell it from work.

Twenty studies: of ten, chance alone makes half a tenth of a difference. The long form takes thirty; IREVAL_SOAK=10 a hundred,
and looks at the clock, too.
"""

import heapq
import math
import os
import random
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from uuid import UUID, uuid4

import numpy as np
import polars as pl
import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import reverse

from judging.collections.storage import store_qrels
from judging.labels import gold_choice
from judging.models import Collection, Document, Item, Slot, Study, Topic, User, Worker
from judging.recruiting import identity
from judging.studies import launch
from judging.work.beginnings import beginning
from judging.work.tickets import item_of
from tests.judging.work.distinguisher import told_apart

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.slow,
    pytest.mark.soak(short=True),
    pytest.mark.django_db(transaction=True, reset_sequences=True),  # lots are drawn by keys: the same each time
]
SOAKING = int(os.environ.get("IREVAL_SOAK") or 0)
TIMES = max(SOAKING, 3) if SOAKING else 2  # so many studies of each shape
TIMED = 2  # features, the last ones, that a clock tells
MOST = 0.55  # .5 is chance
KNOWN = (Item.Role.GOLD, Item.Role.ATTENTION)


@dataclass
class World:
    """A study's shape: documents pooled for each topic, checks, and who comes."""

    topics: int
    least: int
    most: int
    every: int
    gold: int = 0
    attention: int = 0
    gold_topics: int = 0  # 0: all
    workers: int = 5
    overlap: int = 2
    cap: int | None = None
    fields: dict = field(default_factory=dict)


WORLDS = [
    World(6, 6, 14, every=8, gold=14),
    World(6, 6, 14, every=6, gold=12, overlap=3, workers=6),
    World(7, 5, 12, every=6, gold=10, gold_topics=3),
    World(6, 5, 14, every=6, attention=12),
    World(6, 8, 14, every=5, gold=12, attention=4, cap=20, overlap=3, workers=8),
    World(14, 2, 5, every=6, gold=14),
    World(6, 8, 14, every=5, gold=14, overlap=1, workers=4),
    World(5, 10, 14, every=10, gold=6),
    World(2, 30, 40, every=6, gold=14, overlap=1, workers=4),
    World(6, 5, 10, every=5, gold=14, workers=4, fields={"most_overlap": 4}),
]


def study_of(world: World, seed: int) -> Study:
    """A running study of that shape. Documents are as long as chance has it."""
    chance = random.Random(seed)
    user, _ = User.objects.get_or_create(username="rita", defaults={"is_researcher": True})
    collection = Collection.objects.create(name=f"world {seed}", owner=user)
    sizes = [chance.randint(world.least, world.most) for _ in range(world.topics)]
    topics = Topic.objects.bulk_create(
        Topic(collection=collection, number=str(i), title=f"topic{i:02d}") for i in range(world.topics)
    )
    documents = Document.objects.bulk_create(
        Document(collection=collection, docno=f"d{i:04d}", text="x " * chance.randint(20, 400))
        for i in range(sum(sizes) + world.topics * world.gold)
    )
    study = Study.objects.create(
        collection=collection, name=f"world {seed}", instructions="Judge.", overlap=world.overlap, gold_every=world.every,
        most_judgements=world.cap, state=Study.State.RUNNING, created_by=user,
        pool_counts={"items": sum(sizes), "topics": world.topics}, **world.fields,
    )  # fmt: skip
    owners = [topic for topic, size in zip(topics, sizes, strict=True) for _ in range(size)]
    items = Item.objects.bulk_create(
        Item(study=study, topic=topic, document=document, position=position, wanted=world.overlap)
        for position, (topic, document) in enumerate(zip(owners, documents, strict=False))
    )
    Slot.objects.bulk_create(launch.slots_of(items, world.overlap, chance))
    if world.gold:
        left = iter(documents[len(items) :])
        known = [(topic.number, next(left).docno, chance.randint(0, 3)) for topic in topics for _ in range(world.gold)]
        among = {topic.number for topic in chance.sample(topics, world.gold_topics or world.topics)}
        rows = [row for row in known if row[0] in among]
        frame = pl.DataFrame(rows, schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32}, orient="row")
        qrels = store_qrels(frame, collection=collection, name="experts", by=user)
        gold_choice.take_from_qrels(study, qrels, role=Item.Role.GOLD, count=world.gold, seed=seed)
    if world.attention:
        gold_choice.attention(study, count=world.attention, seed=seed)
    return Study.objects.get(pk=study.pk)


FORM = re.compile(r'<form class="item".*?</form>', re.S)
PROGRESS = re.compile(r'data-done="(\d+)" data-items="(\d+)"')
NAME = re.compile(r'data-item="([^"]+)"')
TITLE = re.compile(r"topic\d\d")


@dataclass
class Seen:
    """An item as the worker saw it, and what came with it."""

    name: str
    offer: str
    topic: str
    frame: int  # how long the form is without its text
    text: int
    brought: float  # in how many seconds the answer came that brought it
    done: int
    items: int
    told: float = 0  # in how many seconds the answer to it was taken


class Script:
    """What the page's script does: an item is shown, the next one is loaded behind it, an answer brings the one after that."""

    def __init__(self, study: Study, chance: random.Random):
        self.worker = Worker.objects.create(study=study, key=UUID(int=chance.getrandbits(128)), start=beginning(study))
        self.address, self.chance = reverse("judge", args=[study.pk]), chance
        self.client = Client(headers={"X-Requested-With": "fetch"})
        response = HttpResponse()
        identity.remember_worker(HttpRequest(), response, self.worker)
        self.client.cookies = response.cookies
        self.seen: list[Seen] = []
        self.waiting: list[tuple[Seen, dict]] = []

    def load(self, page: str, took: float) -> None:
        form = FORM.search(page)
        if not form:
            return
        fields = {name: value for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', form[0]) if name != "grade"}
        text = form[0].count("x ")
        progress, named, title = PROGRESS.search(page), NAME.search(form[0]), TITLE.search(form[0])
        assert named and title
        name, (done, items) = named[1], progress.groups() if progress else (0, 0)
        if name in [entry.name for entry, _ in self.waiting]:
            return
        item = Seen(name, fields["offer"], title[0], len(form[0]) - 2 * text, text, took, int(done), int(items))
        self.seen = [entry for entry in self.seen if entry.name != name or entry.told]
        self.seen.append(item)
        self.waiting.append((item, fields))

    def timed(self, ask, *args) -> tuple[str, float]:
        start = time.perf_counter()
        response = ask(*args)
        took = time.perf_counter() - start
        assert response.status_code == 200, response
        return response.content.decode(), took

    def fetch(self) -> None:
        if not self.waiting:
            self.load(*self.timed(self.client.get, self.address))
        if len(self.waiting) == 1:
            self.load(*self.timed(self.client.get, f"{self.address}ahead/?have={self.waiting[0][0].name}"))

    def grade(self, item: Seen) -> int:
        """What most workers say of it."""
        return item.text % 4 if self.chance.random() < 0.85 else self.chance.randrange(4)

    def step(self) -> bool:
        """Answer what is shown. False where there is nothing."""
        if len(self.waiting) < 2:
            self.fetch()
        if not self.waiting:
            return False
        item, fields = self.waiting.pop(0)
        answer = {"grade": self.grade(item)} if self.chance.random() < 0.95 else {"cannot_judge": "other"}
        sent = {**fields, **answer, "milliseconds": 5, "have": ",".join(entry.name for entry, _ in self.waiting)}
        page, item.told = self.timed(self.client.post, self.address, sent)
        self.load(page, item.told)
        if self.chance.random() < 0.05:  # undone, and answered once more
            have = ",".join(entry.name for entry, _ in self.waiting)
            self.client.post(self.address, {**fields, "grade": 1, "key": str(uuid4()), "milliseconds": 5, "have": have})
        if self.chance.random() < 0.01:  # goes, and comes back
            self.client.post(f"{self.address}leave/")
            self.waiting.clear()
        return True


def judged(study: Study, workers: int, seed: int) -> list[Script]:
    """The whole study judged by workers who come and work at different paces."""
    chance = random.Random(seed)
    scripts = [Script(study, random.Random(f"{seed} {i}")) for i in range(workers)]
    paces = [chance.uniform(1, 3) for _ in scripts]
    queue = [(chance.uniform(0, 20), i) for i in range(workers)]
    heapq.heapify(queue)
    while queue:
        now, i = heapq.heappop(queue)
        if scripts[i].step():
            heapq.heappush(queue, (now + paces[i] * chance.uniform(0.5, 1.5), i))
    return scripts


def features(seen: list[Seen]) -> list[list[float]]:
    """A row an item: all that tells anything of it, afterwards."""
    topics = [page.topic for page in seen]
    changes = [a != b for a, b in pairwise(topics)]
    starts, ends = [True, *changes], [*changes, True]
    before, after = [0] * len(seen), [0] * len(seen)
    for i in range(1, len(seen)):
        before[i] = 0 if starts[i] else before[i - 1] + 1
    for i in range(len(seen) - 2, -1, -1):
        after[i] = 0 if ends[i] else after[i + 1] + 1
    usual_brought = np.median([page.brought for page in seen])
    usual_told = np.median([page.told for page in seen])
    met: Counter = Counter()
    rows = []
    for i, page in enumerate(seen):
        alike = 0 < i < len(seen) - 1 and topics[i - 1] == topics[i + 1]
        size = before[i] + after[i] + 1
        counted = [page.done - i, page.items - seen[i - 1].items if i else 0]
        rows.append(
            [
                i, i / len(seen), i == 0, i == len(seen) - 1, starts[i], ends[i], alike and starts[i], starts[i] and ends[i],
                before[i], after[i], math.log(before[i] + 1), math.log(after[i] + 1), math.log(size), before[i] / size,
                met[page.topic] - before[i] > 0, *counted,
                len(page.offer), page.frame, page.text, *(ord(letter) & 1 for letter in page.name[:4]), sum(map(ord, page.name)),
                math.log(page.brought / usual_brought), math.log((page.told or usual_told) / usual_told),
            ]
        )  # fmt: skip
        met[page.topic] += 1
    return rows


def is_known(script: Script) -> list[bool]:
    known = set(Item.objects.filter(study=script.worker.study, role__in=KNOWN).values_list("pk", flat=True))
    return [item_of(script.worker, shown.name) in known for shown in script.seen]


def test_gold_is_not_told_from_work(settings):
    settings.SECRET_KEY = "lots are drawn by it, so that it is the same here whatever the server's is"
    rows, gold, workers = [], [], []
    for seed in range(len(WORLDS) * TIMES):
        world = WORLDS[seed % len(WORLDS)]
        for script in judged(study_of(world, seed), world.workers, seed):
            rows += features(script.seen)
            gold += is_known(script)
            workers += [max(workers, default=-1) + 1] * len(script.seen)
    share = sum(gold) / len(gold)
    table, known, worker = np.array(rows, float), np.array(gold), np.array(workers)
    timeless, with_times = told_apart(table[:, :-TIMED], known, worker), told_apart(table, known, worker)
    print(f"AUC {timeless:.3f}, with times {with_times:.3f}, of {len(rows)} items, one in {1 / share:.1f} of them known")
    assert share > 1 / 15, "there must be enough to tell"
    assert timeless <= MOST
    if SOAKING > 1:  # how long an answer takes is no figure for a machine that runs other tests, too
        assert with_times <= MOST
