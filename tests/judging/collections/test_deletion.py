"""Deleting takes what nothing was built on, whole, and quickly."""

from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.collections import deletion
from judging.collections.deletion import InUse, delete_collection, delete_study
from judging.models import Collection, Document, Invite, Item, Judgement, Run, Slot, Study, Topic, Worker
from judging.pay import bonuses
from judging.recruiting.invites import invite, join
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots
from judging.work.exclusions import exclude


@pytest.mark.usefixtures("runs")
def test_a_collection_goes_without_any_of_its_documents_being_read(collection, django_capture_on_commit_callbacks, settings):
    with CaptureQueriesContext(connection) as queries, django_capture_on_commit_callbacks(execute=True):
        delete_collection(collection)
    assert not any(model.objects.exists() for model in (Collection, Document, Topic, Run))
    assert [path for path in settings.MEDIA_ROOT.rglob("*") if path.is_file()] == []
    of_documents = [query["sql"] for query in queries.captured_queries if '"judging_document"' in query["sql"]]
    assert of_documents[0].startswith("DELETE")  # what Django asks for afterwards is gone by then


def test_the_documents_of_other_collections_stay(collection, researcher):
    other = Collection.objects.create(name="Other", owner=researcher)
    Document.objects.create(collection=other, docno="d1", text="Gulls")
    delete_collection(collection)
    assert [document.docno for document in Document.objects.all()] == ["d1"]


def test_a_collection_with_a_study_stays_whole(collection, study):
    with CaptureQueriesContext(connection) as queries, pytest.raises(InUse, match="Studies belong to this collection"):
        delete_collection(collection)
    assert collection.documents.count() == 6
    assert not any("DELETE" in query["sql"] for query in queries)


@pytest.fixture
def joined(running, researcher):
    """A worker who came by a link and holds a document."""
    worker = join(running, link=invite(running, by=researcher))
    assert next_slots(worker)
    return worker


def judge(worker):
    return record_judgement(worker=worker, item=next_slots(worker)[0].item, answer=Answer(key=uuid4(), grade=1))


def test_a_launched_study_without_a_judgement_goes_whole_and_nothing_else(running, joined):
    delete_study(running)
    assert not any(model.objects.exists() for model in (Study, Item, Slot, Worker, Invite))
    assert (Run.objects.count(), Document.objects.count()) == (2, 6)


def test_whoever_was_excluded_goes_with_it(running, joined, researcher):
    exclude(joined, reason="a bot", by=researcher)
    delete_study(running)
    assert not Worker.objects.exists()


def test_a_study_of_which_a_bonus_was_paid_stays(running, joined, researcher):
    running.pay_a_judgement = Decimal("0.10")
    running.save()
    bonuses.give(running, [joined], amount=Decimal("1.00"), reason="for trying", by=researcher)
    with pytest.raises(InUse, match="given a bonus"):
        delete_study(running)
    assert Worker.objects.exists()


def test_a_study_with_a_judgement_stays_whole(running, joined):
    judge(joined)
    with pytest.raises(InUse, match="archive it instead"):
        delete_study(running)
    assert Study.objects.get() == running
    assert (Slot.objects.count(), Judgement.objects.count()) == (12, 1)


@pytest.mark.django_db(transaction=True)
def test_a_judgement_that_comes_at_the_last_moment_keeps_its_study(running, joined, monkeypatch):
    judge(joined)
    monkeypatch.setattr(deletion, "refuse_if_judged", lambda study: None)  # it has looked before the judgement came
    with pytest.raises(InUse, match="archive it instead"):
        delete_study(running)
    assert (Study.objects.count(), Slot.objects.count(), Judgement.objects.count()) == (1, 12, 1)
