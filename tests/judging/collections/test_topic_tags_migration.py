"""A database of before tags: its topics have none afterwards, and keep all else."""

import pytest
from django.db import connection

from tests.migrating import migrate_back, migrate_on

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.soak]


@pytest.fixture
def upgrade():
    yield migrate_on
    migrate_on()


def test_topics_of_before_have_no_tags(collection, upgrade):
    before = list(collection.topics.values("id", "number", "title", "description", "narrative", "subtopics"))
    migrate_back(("judging", "0010_qrels_are_rows"))
    with connection.cursor() as cursor:
        assert "tags" not in [column.name for column in connection.introspection.get_table_description(cursor, "judging_topic")]
    upgrade()
    assert list(collection.topics.values("id", "number", "title", "description", "narrative", "subtopics")) == before
    assert list(collection.topics.values_list("tags", flat=True)) == [[], []]
