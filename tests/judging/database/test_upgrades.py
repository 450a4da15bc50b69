"""Migrations are safe while the version before still runs: they add, and what they add asks nothing of it.

A rolling upgrade migrates first. Until the last process of the old version has ended, that reads and writes the new tables.
"""

import sys
from typing import Any

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ModelState, ProjectState

from ireval_site.docs import FOLDER

CHANGELOG = (FOLDER.parent / "CHANGELOG.md").read_text()
# The last squashed migration of each app: with these a new database begins. The rule holds for all later ones.
FIRST = {"judging": "0034", "metrics": "0011"}
# What an upgrade has to stop the old version for, and where the changelog says so: (app, migration) → words of CHANGELOG.md.
STOP_FIRST = {("judging", "0038_verdict_owners"): "no `judging.0038_verdict_owners` stops everything"}
# Sites and workers write into these all the time, and they have more rows than all others together.
LARGE = {"query", "event", "seen", "quarantined", "judgement", "slot", "document"}
# All of these are, but for what `problem` finds; that of RunPython nobody but a reader can say.
HARMLESS = (
    migrations.CreateModel,
    migrations.AddField,
    migrations.AlterField,
    migrations.AddIndex,
    migrations.RenameIndex,
    migrations.RemoveIndex,
    migrations.AddConstraint,
    migrations.RemoveConstraint,
    migrations.AlterUniqueTogether,
    migrations.AlterModelOptions,
    migrations.AlterModelManagers,
    migrations.AlterModelTableComment,
    migrations.RunPython,
)


def problem(operation, made: set[str], before: ProjectState, app: str = "judging") -> str:
    """Why the old code could not go on beside what the operation does, or nothing.

    `made` are tables of the same migration, `before` what the models were until the operation.
    """
    why = ""
    name = (getattr(operation, "model_name", "") or getattr(operation, "name", "") or "").lower()
    match operation:
        case migrations.SeparateDatabaseAndState():
            why = next(filter(None, (problem(each, made, before, app) for each in operation.database_operations)), "")
        case migrations.RemoveField() | migrations.DeleteModel():
            why = "the old code still asks for what is taken away: stop using it in one release, remove it in the next"
        case migrations.RenameField() | migrations.RenameModel() | migrations.AlterModelTable():
            why = "the old code knows the old name: add, copy, and remove a release later"
        case migrations.AddField() if name not in made:
            why = problem_of_column(operation.field, name)
        case migrations.AlterField() if name not in made:
            why = problem_of_change(before.models[app, name].fields[operation.name], operation.field, name)
        case migrations.AddIndex() if name in LARGE - made and not isinstance(operation, AddIndexConcurrently):
            why = "records wait while it is made: AddIndexConcurrently; on tables of months one by one, then attached"
        case migrations.AddConstraint() | migrations.AlterUniqueTogether() if name not in made:
            why = "the old code may write what is refused: add it a release after the code that minds"
        case _ if not isinstance(operation, HARMLESS):
            why = "nobody has said what it does to the old code: name its class in HARMLESS, or the migration in STOP_FIRST"
    return why


def problem_of_column(field: models.Field, name: str) -> str:
    why = ""
    if not may_be_left_out(field):
        why = "the old code's rows lack the column: give it db_default or null=True"
    elif field.unique and not field.null:
        why = "the old code's rows would all have the same: null=True"
    elif name in LARGE and has_index(field):
        why = "all writers wait while it is looked through: db_index=False, db_constraint=False, then AddIndexConcurrently"
    return why


def problem_of_change(old: models.Field, new: models.Field, name: str) -> str:
    why = ""
    if stored_as(old) != stored_as(new) and not is_longer_text(old, new):
        why = "the table is written anew under a lock, and the old code reads another type: add, copy, remove a release later"
    elif old.null > new.null or old.has_db_default() > (new.has_db_default() or new.null) or new.unique > old.unique:
        why = "the old code may write what is refused: alter it a release after the code that minds"
    elif name in LARGE and has_index(new) and not has_index(old):
        why = "records wait while the index is made: AddIndexConcurrently"
    return why


def may_be_left_out(field: models.Field) -> bool:
    return bool(field.null or field.has_db_default() or field.many_to_many)


def has_index(field: Any) -> bool:
    """Whether a new column brings an index, or a foreign key that is checked for each row."""
    return bool(field.db_index or field.unique or (field.remote_field and not field.many_to_many and field.db_constraint))


def stored_as(field: models.Field) -> tuple[object, ...]:
    """What decides the column's name and type; of a foreign key, what it points to."""
    facts = ("db_column", "max_length", "max_digits", "decimal_places", "db_collation")
    target = field.remote_field and field.remote_field.model
    return field.get_internal_type(), target, *(getattr(field, fact, None) for fact in facts)


def is_longer_text(old: models.Field, new: models.Field) -> bool:
    """PostgreSQL makes a text longer at once."""
    if not (isinstance(old, models.CharField) and isinstance(new, (models.CharField, models.TextField))):
        return False
    return old.db_column == new.db_column and (new.max_length or sys.maxsize) >= (old.max_length or sys.maxsize)


def tables_of(migration) -> set[str]:
    return {operation.name.lower() for operation in flat(migration.operations) if isinstance(operation, migrations.CreateModel)}


def flat(operations):
    for operation in operations:
        yield operation
        yield from flat(getattr(operation, "database_operations", ()))


def of_later_releases(nodes):
    return {
        (app, name): migration
        for (app, name), migration in sorted(nodes.items())
        if app in FIRST and name[:4] > FIRST[app] and not migration.replaces
    }


def loaded():
    return MigrationLoader(None, ignore_no_migrations=True)


def wrong_ones(loader):
    """What is wrong with each migration, by app and name."""
    wrong = {}
    for (app, name), migration in of_later_releases(loader.disk_migrations).items():
        before, made = loader.project_state((app, name), at_end=False), tables_of(migration)
        for operation in migration.operations:
            if why := problem(operation, made, before, app):
                wrong.setdefault((app, name), []).append(f"{operation.describe()}: {why}")
            operation.state_forwards(app, before)
    return wrong


def test_the_old_version_runs_on_the_new_tables():
    wrong = {migration: why for migration, why in wrong_ones(loaded()).items() if migration not in STOP_FIRST}
    assert wrong == {}, "or name the migration in STOP_FIRST, and say in CHANGELOG.md that everything stops first"


def test_a_migration_that_takes_something_away_is_found_among_all():
    loader = loaded()
    newest = max(name for app, name in loader.disk_migrations if app == "judging")
    careless = migrations.Migration("9999_careless", "judging")
    careless.dependencies = [("judging", newest)]
    careless.operations = [
        migrations.CreateModel("other", []),
        migrations.AddField("other", "colour", models.CharField(max_length=9)),
        migrations.RemoveField("site", "name"),
    ]
    node = ("judging", "9999_careless")
    loader.disk_migrations[node] = careless
    loader.graph.add_node(node, careless)
    loader.graph.add_dependency(careless, node, careless.dependencies[0])
    (wrong,) = wrong_ones(loader)[node]
    assert wrong.startswith("Remove field name from site: the old code still asks")


def test_what_stops_the_old_version_is_said_in_the_changelog():
    assert STOP_FIRST.keys() <= wrong_ones(loaded()).keys(), "it stops nobody"
    assert [words for words in STOP_FIRST.values() if words not in CHANGELOG] == []


def test_the_rule_begins_where_a_new_database_does():
    squashed = [migration for migration in loaded().disk_migrations.values() if migration.replaces]
    assert {app: name[:4] for app, name in (migration.replaces[-1] for migration in squashed) if app in FIRST} == FIRST


FIELDS: dict[str, models.Field] = {
    "name": models.CharField(max_length=9),
    "words": models.CharField(max_length=9, null=True),
    "count": models.IntegerField(db_default=0),
    "owner": models.ForeignKey("auth.User", models.CASCADE),
}
BARE = models.ForeignKey("auth.User", models.CASCADE, null=True, db_index=False, db_constraint=False)
BEFORE = ProjectState()
for table in ("Site", "Event", "New"):
    BEFORE.add_model(ModelState("judging", table, list(FIELDS.items())))


@pytest.mark.parametrize(
    ("operation", "safe"),
    [
        (migrations.AddField("site", "colour", models.CharField(max_length=9, default="red")), False),
        (migrations.AddField("site", "colour", models.CharField(max_length=9, default="red", db_default="red")), True),
        (migrations.AddField("site", "colour", models.CharField(max_length=9, null=True)), True),
        (migrations.AddField("new", "colour", models.CharField(max_length=9)), True),
        (migrations.RemoveField("site", "name"), False),
        (migrations.RenameField("site", "name", "title"), False),
        (migrations.DeleteModel("site"), False),
        (migrations.CreateModel("other", []), True),
        (migrations.AddIndex("site", models.Index(fields=["name"], name="site_name")), True),
        (migrations.AddIndex("event", models.Index(fields=["time"], name="event_time")), False),
        (AddIndexConcurrently("event", models.Index(fields=["time"], name="event_time")), True),
        (migrations.AddConstraint("site", models.UniqueConstraint(fields=["slug"], name="one_slug")), False),
        (migrations.AddConstraint("new", models.UniqueConstraint(fields=["slug"], name="one_slug")), True),
        (migrations.AlterUniqueTogether("site", {("name", "words")}), False),
        (migrations.AddField("site", "slug", models.CharField(max_length=9, db_default="", unique=True)), False),
        (migrations.AddField("site", "slug", models.CharField(max_length=9, null=True, unique=True)), True),
        (migrations.AddField("site", "by", models.ForeignKey("auth.User", models.CASCADE, null=True)), True),
        (migrations.AddField("event", "by", models.ForeignKey("auth.User", models.CASCADE, null=True)), False),
        (migrations.AddField("event", "by", BARE), True),
        (migrations.AddField("event", "by", models.ManyToManyField("auth.User")), True),
        (migrations.AddField("event", "place", models.IntegerField(null=True, db_index=True)), False),
        (migrations.AddField("judgement", "place", models.IntegerField(null=True, unique=True)), False),
        (migrations.AddField("slot", "place", models.IntegerField(null=True)), True),
        (migrations.AlterField("site", "name", models.CharField(max_length=9, help_text="So it is called.")), True),
        (migrations.AlterField("site", "name", models.CharField(max_length=9, null=True)), True),
        (migrations.AlterField("site", "name", models.CharField(max_length=10)), True),
        (migrations.AlterField("site", "name", models.TextField()), True),
        (migrations.AlterField("site", "name", models.CharField(max_length=8)), False),
        (migrations.AlterField("site", "name", models.CharField(max_length=9, unique=True)), False),
        (migrations.AlterField("site", "name", models.CharField(max_length=9, db_column="title")), False),
        (migrations.AlterField("site", "name", models.CharField(max_length=9, db_index=True)), True),
        (migrations.AlterField("event", "name", models.CharField(max_length=9, db_index=True)), False),
        (migrations.AlterField("site", "words", models.CharField(max_length=9)), False),
        (migrations.AlterField("site", "words", models.CharField(max_length=8, null=True)), False),
        (migrations.AlterField("new", "words", models.CharField(max_length=8)), True),
        (migrations.AlterField("site", "count", models.BigIntegerField(db_default=0)), False),
        (migrations.AlterField("site", "count", models.IntegerField()), False),
        (migrations.AlterField("site", "count", models.IntegerField(null=True)), True),
        (migrations.AlterField("site", "owner", models.ForeignKey("auth.Group", models.CASCADE)), False),
        (migrations.AlterField("site", "owner", models.ForeignKey("auth.User", models.PROTECT)), True),
        (migrations.AlterModelOptions("site", {"ordering": ["name"]}), True),
        (migrations.RunSQL("DROP TABLE judging_site"), False),
        (migrations.SeparateDatabaseAndState([], [migrations.RemoveField("site", "name")]), True),
        (migrations.SeparateDatabaseAndState([migrations.RemoveField("site", "name")]), False),
        (migrations.RunPython(migrations.RunPython.noop), True),
    ],
    ids=lambda value: value.describe() if hasattr(value, "describe") else str(value),
)
def test_the_check_tells_safe_from_unsafe(operation, safe):
    assert (problem(operation, {"new"}, BEFORE) == "") is safe
