"""PostgreSQL counts tables anew where much was added, and only there."""

import pytest
from django.db import connection

from judging.database.planner import update_statistics
from judging.models import Document, Topic

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL keeps statistics that can be made by hand"),
]


def rows_of(table):
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE oid = %s::regclass", [table._meta.db_table])
        return cursor.fetchone()[0]


def add_documents(collection, names):
    Document.objects.bulk_create(Document(collection=collection, docno=name, text="") for name in names)


def test_a_tenth_more_is_counted_and_less_is_left_to_the_server(collection):
    Document.objects.all().delete()
    add_documents(collection, (f"first{n}" for n in range(200)))
    update_statistics(Document)
    assert rows_of(Document) == 200

    add_documents(collection, (f"few{n}" for n in range(20)))
    update_statistics(Document, added=20)
    assert rows_of(Document) == 200, "plans stay"

    add_documents(collection, (f"many{n}" for n in range(30)))
    update_statistics(Document, Topic, added=30)
    assert rows_of(Document) == 250
