"""More documents than one statement can name."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.database import portions
from judging.database.portions import in_portions
from judging.models import Document, Item, Slot, Study, Topic
from judging.studies.additions import take_back
from judging.studies.growth import add_items
from judging.studies.wanted_votes import set_votes
from judging.work.overlap import balance
from judging.work.priority import prioritise

MORE_THAN_A_STATEMENT_NAMES = 65_540
LARGE = (Document, Item, Slot, Topic)


@pytest.fixture(scope="module", autouse=True)
def swept(django_db_setup, django_db_blocker):
    """What PostgreSQL's planner was told of the tables is no part of a transaction: later tests find them as never counted."""
    yield
    if connection.vendor == "postgresql":
        tables = [model._meta.db_table for model in LARGE]
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(f"VACUUM FULL {', '.join(tables)}")
            cursor.execute("UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relname = ANY(%s)", [tables])


def test_portions_have_every_key_once_and_in_order(monkeypatch):
    monkeypatch.setattr(portions, "AT_ONCE", 2)
    assert list(in_portions([5, 3, 3, 1, 9])) == [[1, 3], [5, 9]]
    assert list(in_portions(iter([7, 2, 4]))) == [[2, 4], [7]]
    assert list(in_portions([])) == []


@pytest.mark.django_db
def test_in_portions_as_at_once(running, monkeypatch):
    monkeypatch.setattr(portions, "AT_ONCE", 2)
    addition = add_items(running, [("1", "d3"), ("1", "d4")]).addition
    items = list(running.items.values_list("pk", flat=True))
    assert prioritise(running, items) == 8
    assert running.slots.filter(urgent=True).count() == 16
    running.slots.filter(number=2).delete()
    balance(items)
    assert running.slots.count() == 16
    assert take_back(addition) == 2
    assert (running.items.count(), running.slots.count()) == (6, 12)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite locks no single rows")
@pytest.mark.django_db
def test_all_slots_are_locked_before_any_item_as_by_who_excludes_a_worker(running, monkeypatch):
    monkeypatch.setattr(portions, "AT_ONCE", 2)
    with CaptureQueriesContext(connection) as captured:
        prioritise(running, running.items.values_list("pk", flat=True))
    locked = [query["sql"].split('"')[1] for query in captured if "FOR NO KEY UPDATE" in query["sql"]]
    assert locked == ["judging_study", *["judging_slot"] * 6, *["judging_item"] * 3]


@pytest.mark.slow
@pytest.mark.django_db
def test_more_topics_than_a_statement_names(running, collection, researcher):
    Study.objects.filter(pk=running.pk).update(overlap=1)
    numbers = [f"more-{number}" for number in range(MORE_THAN_A_STATEMENT_NAMES)]
    Topic.objects.bulk_create((Topic(collection=collection, number=number, title="Wings") for number in numbers), batch_size=5000)
    addition = add_items(running, [(number, "d1") for number in numbers], by=researcher).addition
    running.refresh_from_db()
    assert running.pool_counts["topics"] == 2 + len(numbers)
    assert running.slots.values("position").distinct().count() > len(numbers)
    assert take_back(addition, by=researcher) == len(numbers)
    running.refresh_from_db()
    assert running.pool_counts["topics"] == 2


@pytest.mark.slow
@pytest.mark.django_db
def test_more_than_a_statement_names(running, collection, researcher):
    docnos = [f"more-{number}" for number in range(MORE_THAN_A_STATEMENT_NAMES)]
    Document.objects.bulk_create(
        (Document(collection=collection, docno=docno, title="", text="Wings") for docno in docnos), batch_size=5000
    )
    Study.objects.filter(pk=running.pk).update(overlap=1)
    addition = add_items(running, [("1", docno) for docno in docnos], by=researcher).addition
    running.refresh_from_db()
    added = addition.items.values_list("pk", flat=True)
    assert prioritise(running, added) == len(docnos)
    balance(added)
    assert prioritise(running, list(added), urgent=False) == len(docnos)
    assert take_back(addition, by=researcher) == len(docnos)
    assert running.items.count() == 6


@pytest.mark.django_db
def test_votes_that_some_items_want_more_count_towards_the_limit(running, monkeypatch):
    set_votes(running, running.items.values_list("pk", flat=True)[:1], 4)
    monkeypatch.setattr("judging.studies.growth.MOST_JUDGEMENTS", 15)
    with pytest.raises(Exception, match="would make 16 judgements; one study may ask for 15"):
        add_items(running, [("1", "d3")])
