"""A new database, made by the squashed migrations, is what an old one became by one migration after another."""

import json
import re
from pathlib import Path

import pytest

from judging import migrations
from tests.judging.backups.places import Place

pytestmark = [pytest.mark.slow, pytest.mark.database]

ONE_AFTER_ANOTHER = """
from judging.backups.versions import one_by_one
executor = one_by_one()
executor.migrate([node for node in executor.loader.graph.leaf_nodes() if node[0] != "judging"])
one_by_one().migrate([("judging", "{newest}")])
"""
NEWEST = max(path.stem for path in Path(migrations.__path__[0]).glob("[0-9]*.py"))
SCHEMA = """
import json
from tests.judging.database.test_squashed_migrations import schema
print(json.dumps(schema()))
"""
STATEMENTS = {
    "sqlite": {
        "indexes": "SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
        "triggers": "SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'trigger'",
    },
    "postgresql": {
        "indexes": "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
        "checks": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid > 0",
        "triggers": "SELECT tgrelid::regclass::text, tgname, tgfoid::regproc::text FROM pg_trigger WHERE NOT tgisinternal",
        "kinds": "SELECT relname, relkind::text FROM pg_class WHERE relname LIKE 'judging%' OR relname LIKE 'metrics%'",
        "defaults": "SELECT table_name, column_name, column_default FROM information_schema.columns"
        " WHERE table_schema = 'public'",
    },
}


# Names that a database or Django gave by the names of tables at the time.
GIVEN = re.compile(r"\b\w+_(pkey|key|seq|not_null\d*)\b|\b\w+_[0-9a-f]{8}(_\w+)?\b|__unnamed\w+|\bfk_\d+")


def anonymous(rows):
    return sorted(GIVEN.sub("…", repr(row)) for row in rows)


def schema():
    """All that the database says of its tables; in which order columns stand says nothing."""
    from django.db import connection

    looks = connection.introspection
    with connection.cursor() as cursor:
        tables = [name for name in looks.table_names(cursor) if name.startswith(("judging_", "metrics_"))]
        made = {
            "columns": {table: anonymous(looks.get_table_description(cursor, table)) for table in tables},
            "constraints": {table: anonymous(looks.get_constraints(cursor, table).items()) for table in tables},
        }
        for name, statement in STATEMENTS[connection.vendor].items():
            cursor.execute(statement)
            made[name] = anonymous(cursor.fetchall())
    return made


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """An old database that has had every migration, one after another."""
    place = Place(tmp_path_factory.mktemp("migrated"), "old")
    place.does(ONE_AFTER_ANOTHER.format(newest=NEWEST))
    return place


def test_they_make_the_same_tables(old, tmp_path, tmp_path_factory):
    new = Place(tmp_path, "new", migrated_by=tmp_path_factory)
    made, became = (json.loads(place.does(SCHEMA).splitlines()[-1]) for place in (new, old))
    assert len(made["columns"]) > 50
    assert made["triggers"]
    for what, seen in became.items():
        assert made[what] == seen, what


def test_an_old_database_that_has_all_takes_them_for_done(old):
    done = old.manage("migrate")
    assert done.returncode == 0, done.stderr
    assert "No migrations to apply." in done.stdout


@pytest.mark.soak
def test_an_older_database_gets_what_it_lacks_and_takes_the_rest_for_done(tmp_path):
    older = Place(tmp_path, "older")
    older.does(ONE_AFTER_ANOTHER.format(newest="0018_too_difficult"))
    done = older.manage("migrate")
    assert done.returncode == 0, done.stderr
    assert "No migrations to apply." not in done.stdout
    assert "No migrations to apply." in older.manage("migrate").stdout
