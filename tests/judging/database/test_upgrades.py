"""Migrations are safe while the version before still runs: they add, and what they add asks nothing of it.

A rolling upgrade migrates first. Until the last process of the old version has ended, that reads and writes the new tables.
"""

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader

from ireval_site.docs import FOLDER

CHANGELOG = (FOLDER.parent / "CHANGELOG.md").read_text()
# The newest migration of each app in the first release, such as {"judging": "0031", "metrics": "0011"}; the rule holds for later
# ones. Empty until that release is out: nobody has a version from before it to roll on from.
FIRST_RELEASE: dict[str, str] = {}
# What an upgrade has to stop the old version for, and where the changelog says so: (app, migration) → words of CHANGELOG.md.
STOP_FIRST: dict[tuple[str, str], str] = {}
# Sites write into these all the time, and they have as many rows as all others together.
LARGE = {"query", "event", "seen", "quarantined"}


def problem(operation, made: set[str]) -> str:
    """Why the old code could not go on beside what the operation does, or nothing; `made` are tables of the same migration."""
    why = ""
    name = (getattr(operation, "model_name", "") or getattr(operation, "name", "")).lower()
    match operation:
        case migrations.RemoveField() | migrations.DeleteModel():
            why = "the old code still asks for what is taken away: stop using it in one release, remove it in the next"
        case migrations.RenameField() | migrations.RenameModel() | migrations.AlterModelTable():
            why = "the old code knows the old name: add, copy, and remove a release later"
        case migrations.AddField() if name not in made and not may_be_left_out(operation.field):
            why = "the old code's rows lack the column: give it db_default or null=True"
        case migrations.AlterField() if not operation.field.null and not may_be_left_out(operation.field):
            why = "the column may have become narrower or obligatory: alter it a release after the code that minds"
        case migrations.AddIndex() if name in LARGE - made and not isinstance(operation, AddIndexConcurrently):
            why = "records wait while it is made: AddIndexConcurrently; on tables of months one by one, then attached"
        case migrations.AddConstraint() if name not in made:
            why = "the old code may write what is refused: add it a release after the code that minds"
    return why


def may_be_left_out(field: models.Field) -> bool:
    return bool(field.null or field.has_db_default() or field.many_to_many)


def tables_of(migration) -> set[str]:
    return {operation.name.lower() for operation in migration.operations if isinstance(operation, migrations.CreateModel)}


def of_later_releases(nodes, first):
    return {
        (app, name): migration
        for (app, name), migration in sorted(nodes.items())
        if app in first and name[:4] > first[app] and not migration.replaces
    }


def all_of_ours():
    return MigrationLoader(None, ignore_no_migrations=True).disk_migrations


def wrong_ones(nodes, first):
    return [
        f"{app}/{name}: {operation.describe()}: {why}"
        for (app, name), migration in of_later_releases(nodes, first).items()
        if (app, name) not in STOP_FIRST
        for operation in migration.operations
        if (why := problem(operation, tables_of(migration)))
    ]


def test_the_old_version_runs_on_the_new_tables():
    wrong = wrong_ones(all_of_ours(), FIRST_RELEASE)
    assert wrong == [], "or name the migration in STOP_FIRST, and say in CHANGELOG.md that everything stops first"


def test_a_migration_that_takes_something_away_is_found_among_all():
    """As if what is there now were the first release."""
    newest = {app: max(name for of, name in all_of_ours() if of == app)[:4] for app in ("judging", "metrics")}
    careless = migrations.Migration("9999_careless", "judging")
    careless.operations = [
        migrations.CreateModel("other", []),
        migrations.AddField("other", "colour", models.CharField(max_length=9)),
        migrations.RemoveField("site", "name"),
    ]
    nodes = {**all_of_ours(), ("judging", "9999_careless"): careless}
    (wrong,) = wrong_ones(nodes, newest)
    assert wrong.startswith("judging/9999_careless: Remove field name from site: the old code still asks")


def test_what_stops_the_old_version_is_said_in_the_changelog():
    assert STOP_FIRST.keys() <= of_later_releases(all_of_ours(), FIRST_RELEASE).keys()
    assert [words for words in STOP_FIRST.values() if words not in CHANGELOG] == []


def test_the_rule_begins_with_the_first_release():
    """Who dates the first release names its migrations here."""
    assert bool(FIRST_RELEASE) == ("## 0.1.0, not released yet" not in CHANGELOG)


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
        (migrations.AlterField("site", "name", models.CharField(max_length=9)), False),
        (migrations.RunPython(migrations.RunPython.noop), True),
    ],
    ids=lambda value: value.describe() if hasattr(value, "describe") else str(value),
)
def test_the_check_tells_safe_from_unsafe(operation, safe):
    assert (problem(operation, {"new"}) == "") is safe
