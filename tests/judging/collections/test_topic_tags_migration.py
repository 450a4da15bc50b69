"""A database of before tags: its topics have none afterwards, and keep all else."""

import pytest
from django.core.management import call_command
from django.db import connection

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def upgrade():
    yield (upgrade := lambda: call_command("migrate", verbosity=0))
    upgrade()


def test_topics_of_before_have_no_tags(collection, upgrade):
    before = list(collection.topics.values("id", "number", "title", "description", "narrative", "subtopics"))
    call_command("migrate", "judging", "0010_qrels_are_rows", verbosity=0)
    with connection.cursor() as cursor:
        assert "tags" not in [column.name for column in connection.introspection.get_table_description(cursor, "judging_topic")]
    upgrade()
    assert list(collection.topics.values("id", "number", "title", "description", "narrative", "subtopics")) == before
    assert list(collection.topics.values_list("tags", flat=True)) == [[], []]
