"""A list of fifty costs as many queries as a list of two: nothing is looked up row by row."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.collections.storage import store_qrels, store_run
from judging.models import Collection, Document, Study, Topic, Upload, User
from judging.recruiting.invites import invite, join
from judging.studies.launch import launch
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots

pytestmark = pytest.mark.last_database


def a_world(researcher, name: str, size: int) -> Study:
    """A collection with `size` of everything that is listed, and a study in which everybody judged one item."""
    import polars as pl

    collection = Collection.objects.create(name=name, owner=researcher)
    Topic.objects.bulk_create(Topic(collection=collection, number=str(n), title=f"topic {n}") for n in range(size))
    Document.objects.bulk_create(Document(collection=collection, docno=f"d{n}", text="text") for n in range(size))
    for n in range(size):
        run = pl.DataFrame(
            {"topic": ["0"] * size, "docno": [f"d{m}" for m in range(size)], "score": [float(m) for m in range(size)]}
        )
        store_run(run, collection=collection, name=f"run {n}", by=researcher)
        store_qrels(pl.DataFrame({"topic": ["0"], "docno": ["d0"], "grade": [n]}), collection=collection, name="q", by=researcher)
        Upload.objects.create(collection=collection, kind="run", filename=f"{n}.txt", size=1, created_by=researcher)
        draft = Study.objects.create(collection=collection, name=f"draft {n}", created_by=researcher, instructions="x")
        draft.members.add(researcher)
        draft.runs.set(collection.runs.all())
    study = Study.objects.create(
        collection=collection, name="running", created_by=researcher, instructions="x", depth=size, overlap=size
    )
    study.members.add(researcher)
    study.runs.set(collection.runs.all())
    launch(study, seed=1)
    for n in range(size):
        link = invite(study, by=researcher)
        worker = join(study, link=link, user=User.objects.create(username=f"{name} {n}"))
        record_judgement(worker=worker, item=next_slots(worker)[0].item, answer=Answer(key=uuid4(), grade=1))
    return study


@pytest.fixture
def two_sizes(rita, researcher):
    return a_world(researcher, "small", 2), a_world(researcher, "large", 7)


LISTS = [
    "collections/{collection}/topics/",
    "collections/{collection}/documents/",
    "runs/?collection={collection}",
    "qrels/?collection={collection}",
    "uploads/?collection={collection}",
    "studies/?collection={collection}",
    "studies/{study}/invites/",
    "studies/{study}/workers/",
    "studies/{study}/judgements/",
]


@pytest.mark.parametrize("path", LISTS)
def test_lists_cost_the_same_however_long(rita, two_sizes, path):
    queries, counts = [], []
    rita.get("/api/v1/users/me/")  # the first use of a token in a minute is noted
    for study in two_sizes:
        address = "/api/v1/" + path.format(collection=study.collection_id, study=study.pk)
        with CaptureQueriesContext(
            connection,
        ) as captured:
            counts.append(rita.get(address).json()["count"])
        queries.append(len(captured))
    assert counts[0] < counts[1], "the lists differ in length"
    assert queries[0] == queries[1]
    assert queries[0] <= 10


def test_a_workers_lists(as_user, two_sizes):
    clients = [as_user(User.objects.get(username=name)) for name in ("small 0", "large 0")]
    for study, client in zip(two_sizes, clients, strict=True):
        joined = client.post(f"/api/v1/work/{study.pk}/next/").json()
        for item in joined:
            client.post(f"/api/v1/work/{study.pk}/answer/", {"offer": item["offer"], "key": str(uuid4()), "grade": 1})
    costs = []
    for study, client in zip(two_sizes, clients, strict=True):
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/api/v1/work/{study.pk}/judgements/")
        costs.append(len(captured))
    assert costs[0] == costs[1]
