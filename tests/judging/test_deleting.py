"""Deleting takes what nothing was built on, whole, and quickly."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.deleting import InUse, delete_collection
from judging.models import Collection, Document, Run, Topic


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
