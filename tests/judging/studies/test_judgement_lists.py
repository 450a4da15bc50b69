"""The lists of a study's judgements and items: what they show, narrow down and hand over, and at what cost."""

import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judging.labels import results
from judging.labels.adjudications import adjudicate
from judging.models import Document, Item, Judgement, Study, Worker
from judging.views import judgements
from judging.work.answers import Answer, record_judgement
from judging.work.checks import designate
from judging.work.exclusions import exclude
from tests import conftest, sharing

db = sharing.db
researcher, collection, runs, study, running = map(
    sharing.once, (conftest.researcher, conftest.collection, conftest.runs, conftest.study, conftest.running)
)
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("judged")]


@sharing.once
def judged(running):
    """Three workers; the third came too late for everything."""
    for grades in ([3, 2, 0, 2, 0, None], [3, 0, 0, 1, 0, 1], [1] * 6):
        worker = Worker.objects.create(study=running)
        for item, grade in zip(running.items.order_by("position"), grades, strict=True):
            cannot = "" if grade is not None else "unclear"
            note = f"about voles, {worker}" if grade == 2 else ""
            answer = Answer(key=uuid4(), grade=grade, cannot_judge=cannot, comment=note, milliseconds=1000 * (grade or 0))
            record_judgement(worker=worker, item=item, answer=answer)
    first = running.workers.first()
    record_judgement(worker=first, item=running.items.order_by("position").first(), answer=Answer(key=uuid4(), grade=1))
    return running


def shown(rita, study, **query):
    page = rita.get(reverse("study_judgements", args=[study.pk]), query)
    assert page.status_code == 200
    return [row for row, *_ in page.context["rows"]]


def test_all_that_stand_the_latest_first(rita, judged):
    rows = shown(rita, judged)
    assert [row.pk for row in rows] == sorted((row.pk for row in rows), reverse=True)
    assert len(rows) == 18 and not any(hasattr(row, "revised_by") for row in rows)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"grade": "3"}, lambda row: row.grade == 3),
        ({"which": "cannot"}, lambda row: row.grade is None),
        ({"which": "changed"}, lambda row: row.revises_id is not None),
        ({"which": "surplus"}, lambda row: row.slot_id is None),
        ({"topic": "2"}, lambda row: row.item.topic.number == "2"),
        ({"docno": "d2"}, lambda row: row.item.document.docno == "d2"),
        ({"topic": "1", "grade": "0"}, lambda row: row.item.topic.number == "1" and row.grade == 0),
        ({"q": "VOLES"}, lambda row: "voles" in row.comment),
        ({"q": "d2"}, lambda row: row.item.document.docno == "d2"),
        ({"q": "2"}, lambda row: row.item.topic.number == "2" or "2" in row.comment),
        ({"q": "Diet OF"}, lambda row: row.item.topic.number == "1"),
        ({"which": "voting"}, lambda row: row.slot_id is not None and row.grade is not None),
        ({"which": "voting", "q": "d2"}, lambda row: row.item.document.docno == "d2" and row.slot_id and row.grade is not None),
    ],
)
def test_what_is_asked_for_and_nothing_else(rita, judged, query, expected):
    everything = shown(rita, judged)
    rows = shown(rita, judged, **query)
    assert rows == [row for row in everything if expected(row)] and 0 < len(rows) < len(everything)


def test_by_worker_and_by_how_long_they_took(rita, judged):
    worker = judged.workers.last()
    assert {row.worker for row in shown(rita, judged, worker=f"w{worker.pk}")} == {worker}
    assert shown(rita, judged, worker="nobody") == []
    times = [row.milliseconds for row in shown(rita, judged, sort="-seconds")]
    assert times == sorted(times, reverse=True)


def test_a_worker_is_searched_for_by_number(rita, judged):
    worker = judged.workers.last()
    rows = shown(rita, judged, q=f"w{worker.pk}")
    assert len(rows) == 6 + len([row for row in shown(rita, judged) if f"w{worker.pk}" in row.comment])
    assert worker in {row.worker for row in rows}
    assert shown(rita, judged, q="w" + "9" * 30) == []


def test_what_excluded_workers_and_checks_said(rita, judged):
    exclude(judged.workers.last(), reason="spam")
    assert {row.worker for row in shown(rita, judged, which="excluded")} == {judged.workers.last()}
    assert judged.workers.last() not in {row.worker for row in shown(rita, judged, which="voting")}
    assert shown(rita, judged, which="checks") == []
    item = judged.items.order_by("position")[2]
    designate([item], Item.Role.GOLD, right=[0])
    assert {row.item for row in shown(rita, judged, which="checks")} == {item}


SORTS = {
    "topic": lambda row: row.item.topic_id,
    "docno": lambda row: row.item.document.docno,
    "grade": lambda row: row.grade,
    "worker": lambda row: row.worker_id,
    "seconds": lambda row: row.milliseconds,
    "when": lambda row: row.pk,
}


@pytest.mark.parametrize("share", [True, False])
@pytest.mark.parametrize("query", [{}, {"which": "voting"}, {"q": "d2"}, {"topic": "1"}])
@pytest.mark.parametrize("key", SORTS)
def test_judgements_are_sorted_both_ways_with_what_has_no_grade_last(rita, judged, monkeypatch, key, query, share):
    """In whatever way the database is asked for them."""
    monkeypatch.setattr(results, "has_most", lambda study: share)
    everything = sorted(shown(rita, judged, **query), key=lambda row: row.pk)
    known = [row for row in everything if SORTS[key](row) is not None]
    rest = [row for row in everything if SORTS[key](row) is None]
    assert shown(rita, judged, sort=key, **query) == [*sorted(known, key=SORTS[key]), *rest]
    assert shown(rita, judged, sort=f"-{key}", **query) == [*sorted(known, key=SORTS[key])[::-1], *rest[::-1]]


@pytest.mark.skipif("connection.vendor == 'postgresql'", reason="PostgreSQL is asked in one way alone")
def test_a_study_has_most_judgements_or_it_has_not(judged, collection, researcher):
    newest, answered = Judgement.objects.latest("pk").pk, judged.slots.filter(judged_at__isnull=False).count()
    assert results.has_most(judged) == (3 * answered > newest)  # other tests may have made judgements before
    other = Study.objects.create(collection=collection, name="Other", instructions="x", created_by=researcher)
    assert not results.has_most(other)


@pytest.mark.parametrize("sort", ["grade,pk", "item__topic", "-", "--grade", "9" * 40, "\0", "pk", "note"])
def test_an_order_that_there_is_not_is_the_usual_one(rita, judged, sort):
    assert shown(rita, judged, sort=sort) == shown(rita, judged)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"which": "none"}, 18),
        ({"grade": "high"}, 18),
        ({"grade": "9" * 30}, 18),
        ({"item": "9" * 30}, 18),
        ({"page": "9" * 30}, 18),
        ({"page": "-3"}, 18),
        ({"topic": "9" * 300}, 0),
        ({"docno": "\0d2\0'\""}, 0),
        ({"worker": "w" + "9" * 30}, 0),
        ({"q": "w²"}, 0),
        ({"q": "%' OR 1=1 --"}, 0),
    ],
)
def test_odd_addresses_show_the_usual_list_or_none(rita, judged, query, count):
    assert len(shown(rita, judged, **query)) == count


def test_the_pages_of_a_narrowed_list_keep_its_order(rita, judged, monkeypatch):
    monkeypatch.setattr(judgements, "A_PAGE", 4)
    address = reverse("study_judgements", args=[judged.pk])
    html = rita.get(address, {"sort": "-seconds", "which": "voting"}).content.decode()
    assert 'href="?sort=-seconds&amp;which=voting&amp;page=2"' in html and 'aria-sort="descending"' in html
    pages = [shown(rita, judged, sort="-seconds", which="voting", page=str(page)) for page in (1, 2, 3)]
    monkeypatch.setattr(judgements, "A_PAGE", 100)
    assert [row for page in pages for row in page] == shown(rita, judged, sort="-seconds", which="voting")
    assert [len(page) for page in pages] == [4, 4, 3]


def test_a_search_looks_through_the_judgements_once(rita, judged):
    with CaptureQueriesContext(connection) as queries:
        shown(rita, judged, q="voles")
    assert sum("judging_judgement" in query["sql"] and "LIKE" in query["sql"].upper() for query in queries) == 1


def test_a_list_in_which_nothing_matches_says_how_to_see_all(rita, judged):
    page = rita.get(reverse("study_judgements", args=[judged.pk]), {"topic": "77"}).content.decode()
    assert "No judgements like this" in page and ">Clear the filters</a>" in page


def test_what_the_list_shows_is_what_its_file_holds(rita, judged):
    page = rita.get(reverse("study_judgements", args=[judged.pk]), {"grade": "0", "sort": "seconds"})
    file = reverse("study_export", args=[judged.pk, "judgements", "csv"])
    assert f'href="{file}?grade=0&amp;sort=seconds"' in page.content.decode()
    lines = rita.get(f"{file}?grade=0&sort=seconds").content.decode().splitlines()
    assert len(lines) == 1 + len(page.context["rows"])
    assert len(rita.get(file).content.decode().splitlines()) == 1 + 18


def test_all_ways_to_read_judgements_are_one_tab(rita, judged):
    for name in ("study_judgements", "study_items"):
        page = rita.get(reverse(name, args=[judged.pk])).content.decode()
        tabs = re.search(r'<nav class="tabs".*?</nav>', page, re.DOTALL)[0]
        assert re.findall(r">(Judge[^<]*|[^<]*tems[^<]*)</a>", tabs) == ["Judgements"]
        assert re.search(r'aria-current="page">Judgements<', tabs)


def test_items_with_their_votes(rita, judged, researcher):
    items = list(judged.items.order_by("position"))
    adjudicate(items[1], grade=2, by=researcher)
    rows = rita.get(reverse("study_items", args=[judged.pk])).context["rows"]
    votes = [votes for _, votes, *_ in rows]
    assert votes == [[(1, 1), (3, 1)], [(0, 1), (2, 1)], [(0, 2)], [(1, 1), (2, 1)], [(0, 2)], [(1, 1)]]
    assert [settled.grade if settled else None for *_, settled, _ in rows] == [None, 2, None, None, None, None]
    assert [count for *_, count in rows] == [3] * 6


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ({"votes": "disagree"}, [0, 1, 3]),
        ({"votes": "disagree", "settled": "0"}, [0, 3]),
        ({"settled": "1"}, [1]),
        ({"votes": "lacking"}, []),
        ({"votes": "complete", "sort": "-votes"}, [5, 4, 3, 2, 1, 0]),
        ({"first": "True"}, [2]),
        ({"topic": "none"}, []),
        ({"q": "SWALLOW migration"}, [0, 1, 2]),
        ({"q": "nothing"}, []),
        ({"sort": "votes,pk"}, [0, 1, 2, 3, 4, 5]),
    ],
)
def test_items_are_narrowed_down(rita, judged, researcher, query, places):
    items = list(judged.items.order_by("position"))
    adjudicate(items[1], grade=2, by=researcher)
    Item.objects.filter(pk=items[2].pk).update(urgent=True)
    rows = [row[0] for row in rita.get(reverse("study_items", args=[judged.pk]), query).context["rows"]]
    assert rows == [items[place] for place in places]


def test_items_are_searched_and_sorted(rita, judged):
    def found(**query):
        return [row[0] for row in rita.get(reverse("study_items", args=[judged.pk]), query).context["rows"]]

    items = list(judged.items.order_by("position"))
    Judgement.objects.filter(revises__isnull=False).delete()
    Judgement.objects.filter(item=items[3]).delete()
    assert found(q=items[2].document.docno) == [item for item in items if item.document_id == items[2].document_id]
    assert found(sort="docno") == sorted(items, key=lambda item: (item.document.docno, item.pk))
    assert found(sort="judgements")[0] == found(sort="-judgements")[-1] == items[3]


def test_the_cost_of_a_page_does_not_grow_with_the_study(rita, judged, collection):
    def cost(name):
        with CaptureQueriesContext(connection) as queries:
            assert rita.get(reverse(name, args=[judged.pk])).status_code == 200
        return len(queries)

    names = ("study_judgements", "study_items", "study_workers")
    before = [cost(name) for name in names]
    topic, worker = collection.topics.first(), Worker.objects.create(study=judged)
    for n in range(60):
        document = Document.objects.create(collection=collection, docno=f"more{n}", text="Gulls")
        item = Item.objects.create(study=judged, topic=topic, document=document, position=100 + n)
        Judgement.objects.create(key=uuid4(), item=item, worker=worker, grade=1)
    assert [cost(name) for name in names] == before
    assert all(count < 20 for count in before)


def test_the_newest_page_reads_no_text_of_a_document_but_its_own(rita, judged):
    """Rows are found by their keys alone; what is shown of them is joined for those of the page."""
    with CaptureQueriesContext(connection) as queries:
        rita.get(reverse("study_judgements", args=[judged.pk]))
    sorting = [query["sql"] for query in queries if "ORDER BY" in query["sql"] and "judging_judgement" in query["sql"]]
    assert len(sorting) == 1 and "judging_document" not in sorting[0] and "LIMIT 18" in sorting[0]


@pytest.mark.parametrize("name", ["study_judgements", "study_items", "study_workers"])
def test_another_researcher_finds_nothing(client, stranger, judged, name):
    client.force_login(stranger)
    assert client.get(reverse(name, args=[judged.pk])).status_code == 404
