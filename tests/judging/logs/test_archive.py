"""Records of closed days leave their tables for files: each is in one place, whoever dies or comes at the same moment."""

import json
import os
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from judging.logs import overviews, volume
from judging.logs.archive import engine, files, moves, selections
from judging.logs.archive.selections import EVER, Rows, Selection, ask
from judging.logs.erasure import erase
from judging.logs.intake import receive
from judging.logs.site_deletion import delete_records, delete_site
from judging.models import ArchiveFile, Event, Query, Site
from judging.tasks import sweep_archive, sweep_files
from tests.judging.logs.sent import click, query

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def log(site):
    """Three days, each with searches and clicks of four clients, and a click that names nobody."""
    for day in range(3):
        sent = [query(n, client_id=f"c{n}", query_attributes={"device": "phone", "n": day}) for n in range(4)]
        sent += [click(number=n, client_id=f"c{n}", message=f"day {day}") for n in range(4)]
        sent += [click("d2", client_id=None, message=f"day {day}")]
        receive(site, [{**record, "page": day} for record in sent], now=NOW - timedelta(days=3 - day))


def everything(site, kind="events"):
    columns = {"events": "action, object, ordinal, value", "queries": "text, hits, arms, attributes, made"}[kind]
    common = "identity::VARCHAR AS identity, received, time, query, client, person, session, agent, raw"
    frame = ask(Selection(site.pk, *EVER, *EVER), f"SELECT {common}, {columns} FROM {kind} ORDER BY 1", **{kind: Rows()})
    return frame.with_columns(raw=frame["raw"].map_elements(lambda raw: json.dumps(json.loads(raw), sort_keys=True))).rows()


def stored():
    return {
        f"logs/{site}/{name}"
        for site in default_storage.listdir("logs")[0]
        for name in default_storage.listdir(f"logs/{site}")[1]
    }


def test_what_is_read_is_the_same_with_nothing_some_and_all_archived(site, log):
    before = [everything(site, kind) for kind in ("queries", "events")]
    for day, rows in ((2, 9), (1, 9), (0, 9)):
        assert moves.archive(site, before=NOW - timedelta(days=day)) == rows
        assert [everything(site, kind) for kind in ("queries", "events")] == before
    assert not Query.objects.exists()
    assert not Event.objects.exists()
    assert {archived.file.name for archived in ArchiveFile.objects.all()} == stored()


def test_who_reads_within_a_block_shares_a_database_and_reads_the_same(site, log, monkeypatch):
    before, made, database = [everything(site, kind) for kind in ("queries", "events")], [], engine.database
    monkeypatch.setattr(engine, "database", lambda folder, **options: made.append(folder) or database(folder, **options))
    with engine.kept_open():
        assert moves.archive(site, before=NOW - timedelta(days=2)) == 9
        made.clear()
        assert [everything(site, kind) for kind in ("queries", "events")] == before
        assert made == []
        with pytest.raises(engine.Unreadable), engine.database_of_readers(made) as db:
            db.execute("SELECT * FROM read_parquet('/nowhere')")
        assert [everything(site, kind) for kind in ("queries", "events")] == before
    everything(site)
    assert len(made) == 1 and not made[0].exists()


def test_typed_columns_hold_what_reports_look_for(site):
    made = {"method": "team_draft", "arms": ["a", "b"]}
    attributes = {"experiment": "e", "arm": "a", "device": None, "size": 1.5, "interleaving": made}
    receive(site, [query(query_attributes=attributes), query(2, query_attributes='"text"', query_response_hit_ids=[])], now=NOW)
    for _ in range(2):
        first, second = sorted((row[9:] for row in everything(site, "queries")), key=lambda row: not row[1])
        assert first[:3] == ("diet of owls", ["d1", "d2", "d3"], {"e": "a"})
        assert dict(first[3]) == {"experiment": "e", "arm": "a", "device": None, "size": "1.5"}
        assert json.loads(first[4]) == made
        assert second[1:] == ([], {}, None, None)
        moves.archive(site, before=NOW + timedelta(days=1))


def test_few_records_stay_and_today_s_do(site, log):
    assert moves.archive(site, before=NOW, least=moves.LEAST) == 0
    receive(site, [click("d9")], now=NOW)
    call_command("archive_log", site.slug, "--before", "2026-11-20")
    assert [event.object for event in Event.objects.all()] == ["d9"]


def test_buckets_hold_whole_clients(site, log, monkeypatch):
    monkeypatch.setattr(moves, "ROWS_A_FILE", 4)
    before = everything(site)
    clients = {row[4] for row in before} - {None}
    moves.archive(site, before=NOW)
    assert {archived.buckets for archived in ArchiveFile.objects.all()} == {4}
    for archived in ArchiveFile.objects.filter(kind="events", bucket__isnull=False):
        assert archived.bucket in {client % 4 for client in clients}
    for parts in (2, 16):
        parted = [
            ask(
                Selection(site.pk, *EVER, *EVER),
                "SELECT client FROM events",
                events=Rows(f"(client & {parts - 1}) = {n}", (n, parts)),
            )
            for n in range(parts)
        ]
        assert sorted(client for part in parted for client in part["client"]) == sorted(row[4] for row in before if row[4])
    assert everything(site) == before


def test_a_long_day_goes_by_stretches_between_two_moments(site, monkeypatch):
    monkeypatch.setattr(moves, "MOST", dict.fromkeys(moves.MOST, 3))
    for minute in range(4):
        receive(site, [click(f"d{minute}", event_id=f"{minute}-{n}") for n in range(2)], now=NOW + timedelta(minutes=minute))
    receive(site, [click("d7", event_id=f"7-{n}") for n in range(5)], now=NOW + timedelta(minutes=9))
    before = everything(site)
    moves.archive(site, before=NOW + timedelta(days=1))
    assert [archived.rows for archived in ArchiveFile.objects.all()] == [2, 2, 2, 2, 5]
    assert everything(site) == before


def test_nothing_moves_where_records_went_meanwhile(site, log, monkeypatch):
    whole = moves.write

    def and_one_goes(*arguments):
        written = whole(*arguments)
        Event.objects.filter(pk=Event.objects.first().pk).delete()
        return written

    monkeypatch.setattr(moves, "write", and_one_goes)
    with pytest.raises(moves.RecordsChanged):
        moves.archive_kind(site, "events", NOW, least=1)
    assert not ArchiveFile.objects.exists()
    assert Event.objects.count() == 15


def test_a_file_that_was_damaged_on_its_way_is_not_named(site, log, monkeypatch):
    before, whole = everything(site), files.local

    def damaged(archived, copy):
        path = whole(archived, copy)
        path.write_bytes(path.read_bytes()[:-9])
        return path

    monkeypatch.setattr(files, "local", damaged)
    with pytest.raises(files.Damaged):
        moves.archive(site, before=NOW)
    assert not ArchiveFile.objects.exists()
    assert everything(site) == before


def test_where_no_room_is_left_what_is_read_or_moved_is_given_up(site, log, monkeypatch, tmp_path):
    """While the database is still sending rows; it is asked again at once, and a move is taken back."""
    before = everything(site)
    with monkeypatch.context() as patched:
        patched.setattr(engine, "folder", lambda: nullcontext(tmp_path / "gone"))
        with pytest.raises(OSError, match="No such file"):
            everything(site)
        with pytest.raises(OSError, match="No such file"):
            moves.archive(site, before=NOW)
    assert everything(site) == before
    assert Event.objects.count() == 15 and not ArchiveFile.objects.exists()


def test_a_replayed_record_is_a_duplicate_although_it_is_archived(site):
    receive(site, [query(), click()], now=NOW)
    moves.archive(site, before=NOW + timedelta(days=1))
    assert receive(site, [query(), click()], now=NOW + timedelta(days=2)).statuses == ["duplicate"] * 2


def test_whoever_reads_while_records_move_reads_each_once(site, log, monkeypatch):
    before, whole, moved = everything(site), selections.fresh, []

    def and_all_move(*arguments):
        read = whole(*arguments)
        if not moved:
            moved.append(moves.archive(site, before=NOW))
        return read

    monkeypatch.setattr(selections, "fresh", and_all_move)
    assert everything(site) == before
    assert moved == [27]


def test_a_deleted_site_leaves_no_file(site, log, researcher, django_capture_on_commit_callbacks):
    moves.archive(site, before=NOW - timedelta(days=1))
    pk = site.pk
    delete_site(site, by=researcher)
    with django_capture_on_commit_callbacks(execute=True):
        assert delete_records(pk) == 27
    assert not ArchiveFile.objects.exists()
    assert not stored()


def test_a_file_that_a_killed_process_left_is_deleted_and_does_not_wait_in_the_trash(site, log):
    moves.archive(site, before=NOW)
    sweep_files()
    orphan = default_storage.save("logs/7/left.parquet", ContentFile(b"PAR1"))
    long_ago = (timezone.now() - timedelta(days=1.1)).timestamp()
    os.utime(default_storage.path(orphan), (long_ago, long_ago))
    sweep_files()
    assert stored() == {archived.file.name for archived in ArchiveFile.objects.all()}
    assert not default_storage.exists(f"trash/{orphan}")


def test_the_hourly_task_moves_what_is_worth_it(site, log, monkeypatch):
    monkeypatch.setattr(moves, "LEAST", 10)
    with time_machine.travel(NOW + timedelta(days=6)):
        sweep_archive()
    assert [(archived.kind, archived.first) for archived in ArchiveFile.objects.filter(bucket__isnull=False)] == [
        ("events", NOW - timedelta(days=3))
    ]
    assert (Query.objects.count(), Event.objects.count()) == (12, 5)


def test_counts_of_a_site_stay_when_records_are_archived(site, log):
    def numbers():
        shown = overviews.overview(site, NOW)
        assert volume.has_queries(site)
        users = [volume.users(site, model) for model in (Query, Event)]
        row = overviews.with_activity(Site.objects.all()).get()
        return shown.queries, shown.events, shown.last, [volume.total(site, Event)], users, overviews.last_of_both(row)

    before = numbers()
    assert before[0].month.least == 12
    for days in (1, 0):
        moves.archive(site, before=NOW - timedelta(days=days))
        assert numbers() == before


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer")
def test_of_two_at_once_the_second_leaves(site, log):
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(files.LOCKS[False], [site.pk])
        assert moves.archive(site, before=NOW) == 0
        cursor.execute("ROLLBACK")
    other.close()
    assert moves.archive(site, before=NOW) == 27


@pytest.mark.django_db(transaction=True)
def test_whoever_reads_while_somebody_is_erased_reads_again(site, log, monkeypatch):
    moves.archive(site, before=NOW)
    whole, erased = selections.engine.frame_of, []

    def after_erasing(*arguments):
        if not erased:
            erased.append(erase(site, client="c1"))
        return whole(*arguments)

    monkeypatch.setattr(selections.engine, "frame_of", after_erasing)
    assert len(everything(site)) == 9
    assert erased == [(3, 6, 0)]


def test_a_file_that_is_missing_is_said_to_be(site, log):
    moves.archive(site, before=NOW)
    default_storage.delete(ArchiveFile.objects.filter(kind="events").first().file.name)
    with pytest.raises(engine.Unreadable, match="parquet"):
        everything(site)
