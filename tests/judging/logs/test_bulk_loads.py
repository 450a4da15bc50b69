"""A log that goes straight into the archive is the same as one that was sent in: what is kept, refused and there already."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
import time_machine
from django.core.management import call_command
from django.db import OperationalError, transaction
from psycopg.errors import DeadlockDetected

from ireval.io.files import BadFile
from judging.logs import log_import
from judging.logs.archive import bulk_loads, files, moves
from judging.logs.archive.selections import EVER, Rows, Selection, ask, count
from judging.logs.intake import receive
from judging.logs.log_import import import_file
from judging.logs.site_deletion import delete_site
from judging.models import Agent, ArchiveFile, Event, Quarantined, Query, Seen
from tests.judging.logs.sent import click, query
from tests.judging.logs.test_archive import everything, stored

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LOG = [
    json.dumps({"index": {"_index": "ubi"}}),
    *map(json.dumps, (query(number, query_attributes={"device": "phone", "n": number}) for number in range(5))),
    *map(json.dumps, (click(f"d{number}", number=number, event_id=f"e-{number}") for number in range(5))),
    "",
    json.dumps(query(3, query_attributes={"device": "phone", "n": 3})),  # again
    json.dumps(click("d3", number=3, event_id="e-3")),  # again
    json.dumps(click("d9", number=3, event_id="e-3")),  # another one under its id
    "{",
    json.dumps({"action_name": "click"}),
    json.dumps(click("d7", client_id=None, user_agent="Mozilla/5.0 (X11)", event_attributes={"value": 2.5, "unit": "€ \\ \t"})),
    json.dumps(query(9, query_response_hit_ids=[], query_attributes="text")),
]
TOLD = {"accepted": 12, "duplicate": 2, "conflict": 1, "rejected": 2}


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.ndjson"
    path.write_text("\n".join(LOG))
    return path


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(log_import, "A_BATCH", 3)


def forget():
    for model in (Event, Query, Seen, Quarantined, ArchiveFile):
        model.objects.all().delete()


def known(site):
    quarantined = Quarantined.objects.order_by("identity").values_list("identity", "kind", "why", "raw", "known", "agent")
    return [
        everything(site, "queries"),
        everything(site, "events"),
        sorted(Seen.objects.values_list("identity", "content", "received")),
        [(*row[:3], json.loads(row[3]) if row[3] != "{" else row[3], *row[4:]) for row in quarantined],
    ]


@pytest.mark.parametrize("most", [1000, 6, 2])
def test_both_ways_keep_and_refuse_the_same(site, log, monkeypatch, most):
    monkeypatch.setattr(bulk_loads, "MOST", dict.fromkeys(bulk_loads.MOST, most))
    monkeypatch.setattr(bulk_loads, "A_CHUNK", 2)
    with time_machine.travel(NOW, tick=False):
        by_rows = import_file(site, log)
        there = known(site)
        assert len(there[0]) + len(there[1]) == TOLD["accepted"]
        forget()
        into_files = import_file(site, log, into_archive=True)
        assert known(site) == there
    assert dict(into_files.counts) == dict(by_rows.counts) == TOLD
    assert into_files.refusals == by_rows.refusals
    assert (Query.objects.count(), Event.objects.count()) == (0, 0)
    assert Agent.objects.filter(text="Mozilla/5.0 (X11)").exists()


def test_whatever_way_it_came_the_first_time_it_is_there(site, log):
    told = {"duplicate": 14, "conflict": 1, "rejected": 2}
    import_file(site, log, into_archive=True)
    assert import_file(site, log, into_archive=True).counts == told
    assert import_file(site, log).counts == told
    assert receive(site, [click("d0", number=0, event_id="e-0")]).statuses == ["duplicate"]
    forget()
    import_file(site, log)
    assert import_file(site, log, into_archive=True).counts == told
    assert not ArchiveFile.objects.exists()


def test_of_what_was_interrupted_nothing_is_there(site, log, monkeypatch):
    whole = moves.write_buckets

    def interrupted(*arguments, **named):
        whole(*arguments, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(moves, "write_buckets", interrupted)
    with pytest.raises(KeyboardInterrupt):
        import_file(site, log, into_archive=True)
    assert not any(model.objects.exists() for model in (Seen, ArchiveFile, Quarantined))
    monkeypatch.setattr(moves, "write_buckets", whole)
    assert import_file(site, log, into_archive=True).counts == TOLD


def test_a_load_that_the_database_stops_for_another_begins_again(site, log, monkeypatch):
    whole, calls = bulk_loads.keep, []

    def stopped_at_first(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise OperationalError("deadlock detected") from DeadlockDetected()
        whole(*arguments)

    monkeypatch.setattr(bulk_loads, "keep", stopped_at_first)
    done = import_file(site, log, into_archive=True)
    assert (done.counts, done.refusals[bulk_loads.SAME_ID][0]) == (TOLD, 1)
    assert {file.file.name for file in ArchiveFile.objects.all()} == stored()


def test_what_came_before_the_end_of_a_bad_file_is_there(site, tmp_path):
    (tmp_path / "log").write_text(json.dumps([query(number) for number in range(5)])[:-20])
    with pytest.raises(BadFile, match="after 4 items"):
        import_file(site, tmp_path / "log", into_archive=True)
    assert ArchiveFile.objects.get().rows == 3  # the whole batches


def test_nothing_goes_into_a_site_that_was_deleted_meanwhile(site, log, monkeypatch):
    whole = bulk_loads.store

    def deleted_first(load):
        delete_site(site, by=site.owner)
        whole(load)

    monkeypatch.setattr(bulk_loads, "store", deleted_first)
    with pytest.raises(bulk_loads.SiteIsGone, match="deleted meanwhile"):
        import_file(site, log, into_archive=True)
    assert not ArchiveFile.objects.exists()


def test_it_is_received_when_it_is_stored_however_long_it_was_read(site, log, monkeypatch):
    whole = bulk_loads.store
    with time_machine.travel(NOW, tick=False) as clock:

        def later(load):
            clock.shift(timedelta(minutes=10))
            whole(load)

        monkeypatch.setattr(bulk_loads, "store", later)
        import_file(site, log, into_archive=True)
    then = NOW + timedelta(minutes=10)
    assert set(ArchiveFile.objects.values_list("first", "last")) == {(then, then)}
    assert set(Seen.objects.values_list("received", flat=True)) == {then}


def test_who_asked_while_it_was_being_loaded_never_reads_it(site, log):
    """So each part of a report reads the same, whether it comes before the load's end or after it."""
    import_file(site, log, into_archive=True)
    events = ArchiveFile.objects.filter(kind="events")
    with transaction.atomic():
        for file in events:
            files.rewrite(file, "client IS NOT NULL", [])
    file = events.get()
    assert file.last < file.loaded < file.created
    for asked, rows in ((file.last, 0), (file.loaded, 5)):
        selection = Selection(site.pk, EVER[0], asked, *EVER)
        assert count(selection, "events", Rows()) == len(ask(selection, "SELECT time FROM events", events=Rows())) == rows


def test_a_file_of_nothing_is_nothing(site, tmp_path):
    (tmp_path / "log").write_text("\n\n")
    assert not import_file(site, tmp_path / "log", into_archive=True).counts


def test_the_command_says_what_became_of_it(site, log):
    output = StringIO()
    call_command("import_log", "bird-shop", str(log), "--archive", stdout=output)
    assert "log.ndjson: 17 records: 12 accepted, 2 duplicate, 1 conflict, 2 rejected" in output.getvalue()
    assert sum(ArchiveFile.objects.values_list("rows", flat=True)) == 12
