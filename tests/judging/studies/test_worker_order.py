"""The list of a study's workers, sorted by each of its columns."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judging.labels.result_tables import worker_table
from judging.models import Document, Item, Judgement, Slot, Worker
from judging.work import exclusions
from judging.work.answers import Answer, record_judgement
from tests import conftest, sharing

db = sharing.db
researcher, collection, runs, study, running = map(
    sharing.once, (conftest.researcher, conftest.collection, conftest.runs, conftest.study, conftest.running)
)
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("crowd")]
SECONDS = [(9, 1, 2, 3), (5,), (), (4, 4, 4)]  # of each worker's answers, of which an even number has two in the middle
GRADES = [(0, None, 2, None), (2,), (), (2, 2, None)]


@sharing.once
def crowd(running):
    """Four workers, of whom the third has judged nothing. The first revised an answer; the fourth came too late for two."""
    workers = [Worker.objects.create(study=running) for _ in SECONDS]
    items = list(running.items.order_by("position"))
    for worker, seconds, grades in zip(workers, SECONDS, GRADES, strict=True):
        for item, time, grade in zip(items, seconds, grades, strict=False):
            answer(worker, item, grade, time)
    answer(workers[0], items[1], None, 1)
    Judgement.objects.filter(worker=workers[3], item__in=items[:2]).update(slot=None)
    exclusions.exclude(workers[1], reason="spam")
    exclusions.exclude(workers[2], reason="spam", standing=Worker.Standing.WARNED)
    for hours, worker in enumerate(workers):
        Slot.objects.filter(worker=worker).update(judged_at=worker.consented + timedelta(hours=hours))
    return workers


def answer(worker, item, grade, seconds):
    cannot = "" if grade is not None else "unclear"
    record_judgement(
        worker=worker, item=item, answer=Answer(key=uuid4(), grade=grade, cannot_judge=cannot, milliseconds=1000 * seconds)
    )


@pytest.fixture
def address(running):
    return reverse("study_workers", args=[running.pk])


def order(rita, crowd, address, sort):
    page = rita.get(address, {"sort": sort})
    assert page.status_code == 200
    return [crowd.index(worker) for worker, _ in page.context["rows"]]


@pytest.mark.parametrize(
    ("key", "rising", "falling"),
    [
        ("worker", [0, 1, 2, 3], [3, 2, 1, 0]),
        ("standing", [0, 3, 2, 1], [1, 2, 3, 0]),
        ("answers", [2, 1, 3, 0], [0, 3, 1, 2]),
        ("seconds", [0, 3, 1, 2], [1, 3, 0, 2]),  # who has judged nothing comes last both ways
        ("cannot", [1, 2, 3, 0], [0, 3, 2, 1]),
        ("surplus", [0, 1, 2, 3], [3, 2, 1, 0]),
        ("grade0", [1, 2, 3, 0], [0, 3, 2, 1]),
        ("grade2", [2, 0, 1, 3], [3, 1, 0, 2]),
        ("last", [0, 1, 2, 3], [3, 2, 1, 0]),
    ],
)
def test_workers_are_sorted_by_each_column(rita, crowd, address, key, rising, falling):
    Worker.objects.filter(pk=crowd[2].pk).update(consented=crowd[1].consented + timedelta(hours=1.5))
    assert (order(rita, crowd, address, key), order(rita, crowd, address, f"-{key}")) == (rising, falling)


def test_what_is_sorted_by_is_what_is_shown(rita, crowd, running, address):
    did = {row["worker"]: row for row in worker_table(running)}
    for key in ("seconds", "cannot", "surplus"):
        shown = [did[crowd[place].pk][key] for place in order(rita, crowd, address, key) if crowd[place].pk in did]
        assert shown == sorted(shown)


def test_every_number_and_time_can_be_sorted_by(rita, address):
    head = rita.get(address).content.decode().split("<thead>")[1].split("</thead>")[0]
    unsorted = [re.sub("<.*?>", "", th).strip() for th in head.split("<th ")[1:] if 'class="sort"' not in th]
    assert [text.split(">")[-1].strip() for text in unsorted] == ["Choose"]


def test_the_header_says_the_order_and_the_pages_keep_it(rita, running, address):
    for _ in range(30):
        Worker.objects.create(study=running)
    page = rita.get(address, {"sort": "-seconds", "kind": "people"})
    html = page.content.decode()
    assert html.count("aria-sort") == 1 and re.search(r'aria-sort="descending">\s*<a class="sort"\s+href="\?sort=seconds&', html)
    assert 'href="?sort=-seconds&amp;kind=people&amp;page=2"' in html
    second = rita.get(address, {"sort": "-seconds", "kind": "people", "page": "2"})
    seen = [worker.pk for shown in (page, second) for worker, _ in shown.context["rows"]]
    assert len(seen) == len(set(seen)) == 34


@pytest.mark.parametrize(
    "sort", ["seconds,pk", "grade9", "grade", "-", "--seconds", "9" * 40, "\0", "pk", "worker__key", "agreement"]
)
def test_an_order_that_there_is_not_is_the_usual_one(rita, crowd, address, sort):
    assert order(rita, crowd, address, sort) == order(rita, crowd, address, "-last")


@pytest.mark.parametrize("query", [{"page": "9" * 30}, {"page": "-1"}, {"page": "x"}, {"least": "9" * 30}, {"q": "w" + "9" * 30}])
def test_odd_numbers_are_no_errors(rita, address, query):
    assert rita.get(address, query | {"sort": "-seconds"}).status_code == 200


def test_sorting_costs_as_many_queries_however_large_the_study_is(rita, running, collection, address):
    def cost():
        with CaptureQueriesContext(connection) as queries:
            for sort in ("seconds", "-cannot", "grade2", "standing"):
                assert rita.get(address, {"sort": sort}).status_code == 200
        return len(queries)

    before, topic = cost(), collection.topics.first()
    for n in range(60):
        document = Document.objects.create(collection=collection, docno=f"more{n}", text="Gulls")
        item = Item.objects.create(study=running, topic=topic, document=document, position=100 + n)
        Judgement.objects.create(key=uuid4(), item=item, worker=Worker.objects.create(study=running), grade=1)
    assert cost() == before


def test_an_order_nobody_asked_for_is_not_computed(rita, address):
    with CaptureQueriesContext(connection) as queries:
        rita.get(address)
    assert not any("AVG(" in query["sql"] for query in queries)


def test_another_researcher_finds_nothing(client, stranger, address):
    client.force_login(stranger)
    assert client.get(address, {"sort": "seconds"}).status_code == 404
