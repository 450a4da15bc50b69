"""What is too old goes: records, what was refused, what was seen, and the secrets of pseudonyms."""

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import OperationalError, connection

from ireval_site import condition
from judging.logs import partitions, pseudonyms, retention
from judging.logs.archive import files, lookups, moves
from judging.logs.erasure import erase
from judging.logs.intake import receive
from judging.logs.pseudonyms import all_of
from judging.logs.site_sweeps import SitesFailed
from judging.models import ArchiveFile, Epoch, Event, Quarantined, Query, Seen, Site
from judging.tasks import sweep_logs
from tests.judging.logs.sent import click, query

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
needs_partitions = pytest.mark.skipif("connection.vendor != 'postgresql'", reason="only PostgreSQL has partitions")


@pytest.fixture
def site(site):
    site.keep_days, site.keep_quarantine_days, site.rotate_days = 100, 10, 30
    site.save()
    return site


def came(site, days_ago, *, number=1):
    """A query and an event that happened and were received that many days before NOW."""
    moment = NOW - timedelta(days=days_ago)
    sent = [query(number, timestamp=moment.isoformat()), click(number=number, timestamp=moment.isoformat())]
    receive(site, [*sent, {"action_name": f"click {days_ago}"}], now=moment)


def left():
    return [model.objects.count() for model in (Query, Event, Seen, Quarantined)]


def test_what_is_too_old_goes_and_nothing_else(site):
    for days_ago in (101, 99, 11, 9):
        came(site, days_ago)
    retention.sweep(NOW)
    assert left() == [3, 3, 6, 1]
    assert min(Query.objects.values_list("received", flat=True)) == NOW - timedelta(days=99)


def test_each_site_keeps_as_long_as_it_wants(site, stranger):
    longer = Site.objects.create(name="Longer", slug="longer", owner=stranger, keep_days=200)
    for target in (site, longer):
        came(target, 150)
    retention.sweep(NOW)
    assert {model.objects.get().site_id for model in (Query, Event)} == {longer.pk}
    assert set(Seen.objects.values_list("site", flat=True)) == {longer.pk}


@needs_partitions
def test_the_next_months_tables_are_not_waited_for_while_somebody_reads(db):
    """Whoever writes would wait behind whoever waits."""
    far = datetime(2041, 5, 1, tzinfo=UTC)
    reader = connection.copy()
    with closing(reader), reader.cursor() as cursor:
        reader.set_autocommit(False)
        cursor.execute("SELECT FROM judging_query")
        partitions.make_ahead(far)
        assert "judging_query_2041_05" not in partitions.months_before(far + timedelta(days=90))
        reader.rollback()
    partitions.make_ahead(far)
    assert "judging_event_2041_06" in partitions.months_before(far + timedelta(days=90))


def test_it_goes_by_steps(site, monkeypatch):
    monkeypatch.setattr(retention, "BATCH", 2)
    for vendor, (where, _) in retention.PLACES.items():
        monkeypatch.setitem(retention.PLACES, vendor, (where, 2))
    for number, days_ago in enumerate((150, 140, 130, 120, 110, 50)):
        came(site, days_ago, number=number)
    receive(site, [click(f"d{number}") for number in range(5)], now=NOW - timedelta(days=125))
    retention.sweep(NOW)
    assert left() == [1, 1, 2, 0]


def test_what_a_killed_sweep_has_left_goes_with_the_next(site, monkeypatch):
    Site.objects.create(name="Longer", slug="longer", owner=site.owner, keep_days=366)  # no month is dropped
    came(site, 150)
    whole = retention.delete_before

    def killed(rows, moment):
        whole(rows, moment)
        raise KeyboardInterrupt

    monkeypatch.setattr(retention, "delete_before", killed)
    with pytest.raises(KeyboardInterrupt):
        retention.sweep(NOW)
    assert left() == [0, 1, 2, 1]
    monkeypatch.setattr(retention, "delete_before", whole)
    retention.sweep(NOW)
    assert left() == [0, 0, 0, 0]


def test_the_hourly_task_makes_months_and_sweeps(site):
    came(site, 150)
    sweep_logs()
    assert left() == [0, 0, 0, 0]


@needs_partitions
def test_months_that_nobody_wants_are_dropped(site):
    for days_ago in (300, 150, 50):
        came(site, days_ago)
    before = months()
    retention.sweep(NOW)
    assert before - months() == {f"judging_{kind}_{month}" for kind in ("query", "event") for month in ("2026_01", "2026_06")}
    assert left() == [1, 1, 2, 0]
    receive(site, [click("d9")], now=NOW - timedelta(days=300))  # somebody's clock is wrong: there is a place again
    assert Event.objects.count() == 2


@needs_partitions
def test_a_month_that_one_site_wants_stays(site, stranger):
    Site.objects.create(name="Longer", slug="longer", owner=stranger, keep_days=200)
    came(site, 150)
    before = months()
    retention.sweep(NOW)
    assert months() == before
    assert left() == [0, 0, 0, 0]


@needs_partitions
def test_the_next_month_is_there_before_it_begins():
    partitions.make_ahead(datetime(2031, 12, 31, tzinfo=UTC))
    assert {"judging_query_2031_12", "judging_event_2032_01"} <= months()


def months():
    with connection.cursor() as cursor:
        cursor.execute(partitions.EVERY_MONTH, [list(partitions.TABLES)])
        return {name for (name,) in cursor.fetchall()}


def test_secrets_are_destroyed_once_nothing_of_their_epoch_can_be_left(site):
    came(site, 150)
    came(site, 20)
    assert Epoch.objects.count() == 2
    retention.sweep(NOW)
    assert [epoch.number for epoch in Epoch.objects.all()] == [pseudonyms.number_at(NOW - timedelta(days=20), 30)]


def test_a_record_that_came_late_keeps_its_secret_so_that_its_user_can_be_forgotten(site):
    happened = NOW - timedelta(days=150)
    receive(site, [click(timestamp=happened.isoformat())], now=happened + timedelta(days=90))
    retention.sweep(NOW)
    assert all_of(site, "client", "c1") == [Event.objects.get().client]
    retention.sweep(NOW + timedelta(days=41))
    assert not Event.objects.exists()
    assert not Epoch.objects.exists()


def test_quarantine_that_is_kept_longer_keeps_its_secret(site):
    site.keep_quarantine_days = 200
    site.save()
    came(site, 150)
    retention.sweep(NOW)
    assert left() == [0, 0, 0, 1]
    assert Epoch.objects.count() == 1


def test_a_destroyed_secret_comes_back_in_no_process(site):
    """Not even where the site decides to keep its records for longer, and a process still knows the key."""
    came(site, 150)
    before = Event.objects.get().client
    retention.sweep(NOW)
    site.keep_days = 365
    receive(site, [click(timestamp=(NOW - timedelta(days=150)).isoformat())], now=NOW)
    assert Event.objects.get().client != before
    assert all_of(site, "client", "c1") == [Event.objects.get().client]


def test_a_month_that_somebody_reads_goes_with_a_later_sweep(site, monkeypatch):
    def in_use(name, **how):
        raise OperationalError("canceling statement due to lock timeout")

    monkeypatch.setattr(partitions, "months_before", lambda moment: ["judging_query_2020_01"])
    monkeypatch.setattr(partitions, "drop", in_use)
    came(site, 150)
    retention.sweep(NOW)
    assert left() == [0, 0, 0, 0]


def test_archived_days_go_whole_once_all_of_their_records_are_too_old(site):
    for days_ago in (102, 101, 100, 99):
        came(site, days_ago)
    moves.archive(site, before=NOW)
    assert left()[:2] == [0, 0]
    retention.sweep(NOW)
    for file in ArchiveFile.objects.all():
        assert sorted(record.received for record in lookups.records([file], "TRUE")) == [
            NOW - timedelta(days=100 - n) for n in (0, 1)
        ]
        assert file.rows == 2
    retention.sweep(NOW + timedelta(days=1))
    assert set(ArchiveFile.objects.values_list("rows", flat=True)) == {1}
    retention.sweep(NOW + timedelta(days=2))
    assert not ArchiveFile.objects.exists()


def test_a_site_whose_file_is_lost_keeps_no_other_from_being_swept(site, stranger):
    other = Site.objects.create(name="Later", slug="later", owner=stranger, keep_days=100)
    for target in (site, other):
        for days_ago in (101, 99):
            came(target, days_ago)
    moves.archive(site, before=NOW)
    default_storage.delete(ArchiveFile.objects.first().file.name)
    for _ in range(2):
        with pytest.raises(SitesFailed, match=r"^Bird shop: Unreadable: .*parquet"):
            retention.sweep(NOW)
    assert [model.objects.filter(site=other).count() for model in (Query, Event, Seen)] == [1, 1, 2]
    assert Seen.objects.filter(site=site).count() == 4
    with time_machine.travel(NOW + timedelta(days=9)), pytest.MonkeyPatch.context() as patch:
        whole = moves.archive
        patch.setattr(moves, "LEAST", 1)
        patch.setattr(moves, "archive", lambda target, **how: whole(target, **how) if target == other else 1 / 0)
        with pytest.raises(SitesFailed, match=r"^Bird shop: ZeroDivisionError"):
            moves.sweep()
    assert ArchiveFile.objects.filter(site=other).count() == 2


def test_administrators_read_at_which_site_retention_fails_until_it_goes_well(site):
    for days_ago in (101, 99):
        came(site, days_ago)
    moves.archive(site, before=NOW)
    name = ArchiveFile.objects.first().file.name
    with default_storage.open(name) as file:
        content = file.read()
    default_storage.delete(name)
    with time_machine.travel(NOW):
        with pytest.raises(SitesFailed):
            sweep_logs()
        failing = condition.failing_sweeps()
        assert not failing.well and not failing.reason
        assert failing.says.startswith("What failed: deleting records that are too old: SitesFailed: Bird shop: Unreadable: ")
        default_storage.save(name, ContentFile(content))
        sweep_logs()
    assert condition.failing_sweeps().says == "All went well the last time."


def test_what_is_erased_while_files_are_written_anew_does_not_come_back(site, monkeypatch):
    for days_ago in (101, 99):
        came(site, days_ago)
    other = NOW - timedelta(days=99)
    receive(site, [click(number=9, client_id="c9", session_id="s9", timestamp=other.isoformat())], now=other)
    moves.archive(site, before=NOW)
    whole = files.hold

    def after_erasing(*arguments):
        monkeypatch.setattr(files, "hold", whole)
        erase(site, client="c1")
        return whole(*arguments)

    monkeypatch.setattr(files, "hold", after_erasing)
    for _ in range(2):
        retention.sweep(NOW)
    (file,) = ArchiveFile.objects.all()
    assert [record.raw["query_id"] for record in lookups.records([file], "TRUE")] == ["q9"]


def test_a_secret_stays_as_long_as_archived_records_may_need_it(site):
    happened = NOW - timedelta(days=150)
    receive(site, [click(timestamp=happened.isoformat())], now=happened + timedelta(days=90))
    moves.archive(site, before=NOW)
    retention.sweep(NOW)
    assert Epoch.objects.exists()
    retention.sweep(NOW + timedelta(days=42))
    assert not Epoch.objects.exists()


@needs_partitions
def test_a_month_goes_once_all_of_it_is_archived(site):
    for days_ago in (50, 15):
        came(site, days_ago)
    moves.archive(site, before=NOW - timedelta(days=30))
    retention.sweep(NOW)
    assert months() & {"judging_event_2026_10", "judging_event_2026_11"} == {"judging_event_2026_11"}
    assert left() == [1, 1, 4, 0]
