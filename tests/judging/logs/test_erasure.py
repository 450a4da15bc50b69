"""Whoever asks to be forgotten is: their records go, everybody else's stay, and a file sent again brings nothing back."""

from datetime import UTC, datetime, timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.utils import timezone

from judging.logs import erasure
from judging.logs.archive import lookups, moves
from judging.logs.erasure import RecordCounts, erase, trail_of
from judging.logs.intake import Unreadable, receive
from judging.logs.pseudonyms import written
from judging.models import ArchiveFile, AuditEntry, Event, Outbox, Quarantined, Query, Seen, Site
from judging.tasks import delete_log_files
from tests.judging.logs.sent import click, query

pytestmark = pytest.mark.django_db
OTHERS = {"client_id": "c2", "session_id": "s2"}


def left():
    return [model.objects.count() for model in (Query, Event, Quarantined)]


def test_a_client_s_records_go_and_others_stay(site):
    sent = [query(), click(), query(2, **OTHERS), click(number=2, **OTHERS)]
    receive(site, sent)
    assert erase(site, client="c1") == RecordCounts(1, 1, 0)
    assert {model.objects.get().client for model in (Query, Event)} == {*trail_of(site, client="c2").clients}
    assert receive(site, sent).statuses == ["duplicate"] * 4
    assert left() == [1, 1, 0]
    assert Seen.objects.count() == 4


def test_every_epoch_is_looked_through(site):
    now = datetime(2026, 11, 20, 12, tzinfo=UTC)
    for days in (0, 100, 200, 300):
        receive(site, [click(timestamp=(now - timedelta(days=days)).isoformat())], now=now)
    assert len(set(Event.objects.values_list("client", flat=True))) == 4
    assert erase(site, client="c1") == RecordCounts(0, 4, 0)


def test_records_of_their_sessions_and_searches_go_too(site):
    anonymous = {"client_id": None, "session_id": None}
    receive(
        site,
        [
            query(),
            click(session_id="s1"),
            click("d2", **anonymous),  # of their search
            click("d3", number=3, client_id=None),  # in their session
            query(3, client_id=None),  # whose search it was, as the event before says
            click("d4", number=3, **anonymous),  # and what came of that
            click("d5", number=9, **anonymous),
        ],
    )
    assert erase(site, client="c1") == RecordCounts(2, 4, 0)
    assert Event.objects.get().object == "d5"


def test_what_names_somebody_else_stays_although_it_has_the_same_ids(site):
    """Some producers begin counting queries anew in every browser."""
    receive(site, [query(), click(), query(client_id="c2"), click("d2", client_id="c2")])
    assert erase(site, client="c1") == RecordCounts(1, 1, 0)
    assert left() == [1, 1, 0]


def test_a_user_goes_with_what_their_browsers_sent_before_they_signed_in(site):
    receive(
        site,
        [
            query(client_id="phone"),
            query(2, client_id="phone", user_id="carol"),
            query(3, client_id="phone", user_id="dave"),
            query(4, client_id="laptop", user_id="carol"),
            query(5, client_id="library"),
        ],
    )
    assert erase(site, user="carol") == RecordCounts(3, 0, 0)
    assert sorted(Query.objects.values_list("raw__query_id", flat=True)) == ["q3", "q5"]


def test_somebody_can_be_named_by_a_pseudonym(site):
    receive(site, [click(), click("d2", **OTHERS)])
    assert erase(site, client=Event.objects.get(object="d1").raw["client_id"]) == RecordCounts(0, 1, 0)


def test_other_sites_keep_what_they_have(site, stranger):
    other = Site.objects.create(name="Other", slug="other", owner=stranger)
    for target in (site, other):
        receive(target, [click()])
    erase(site, client="c1")
    assert Event.objects.get().site_id == other.pk


def test_refused_records_that_name_them_go(site):
    receive(
        site,
        [
            {"action_name": "click", "client_id": "c1"},
            {"action_name": "click", "client_id": "c2"},
            Unreadable('{"client_id": "c1", '),
            Unreadable('{"client_id": "c11", '),
            {"action_name": "click", "message": "c1"},  # read: an id stands under client_id
            ["c1"],
        ],
    )
    assert erase(site, client="c1") == RecordCounts(0, 0, 3)
    assert left() == [0, 0, 3]


def test_refused_hits_of_opensearch_that_hold_them_go(site):
    receive(site, [{"_source": {"action_name": "click", "client_id": client}} for client in ("c1", "c2")])
    for raw in ('{"_source": {"client_id": "c1"}}', '{"_source": {"client_id": "c11"}}'):  # kept before hits were unpacked
        Quarantined.objects.create(site=site, kind="rejected", why="", raw=raw, identity=uuid4(), received=timezone.now())
    assert erase(site, client="c1") == RecordCounts(0, 0, 2)
    assert left() == [0, 0, 2]


def test_ids_are_found_as_json_writes_them(site):
    receive(site, [Unreadable(r'{"client_id": "j\u00f6rg"'), Unreadable('{"client_id": "jörg"'), Unreadable("[")])
    assert erase(site, client="jörg") == RecordCounts(0, 0, 2)


def test_the_audit_says_how_much_and_not_whose(site, researcher):
    receive(site, [query(client_id="carol-1815")])
    erase(site, client="carol-1815", by=researcher)
    entry = AuditEntry.objects.get()
    assert (entry.deed, entry.by, entry.site) == ("erased", researcher, site)
    assert "1 queries" in entry.about
    assert "carol" not in entry.about


def test_nothing_is_erased_where_the_audit_fails(site, monkeypatch):
    receive(site, [query()])
    monkeypatch.setattr(erasure, "note", lambda *args, **kwargs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        erase(site, client="c1")
    assert Query.objects.count() == 1


def test_many_records_go_by_steps(site, monkeypatch):
    monkeypatch.setattr(erasure, "A_STEP", 2)
    receive(site, [query(number) for number in range(7)] + [click(number=number, client_id=None) for number in range(7)])
    assert erase(site, client="c1") == RecordCounts(7, 7, 0)
    assert left() == [0, 0, 0]


def test_the_command_looks_and_erases(site):
    receive(site, [query()])
    output = StringIO()
    call_command("erase_searcher", "bird-shop", "--client", "c1", "--preview", stdout=output)
    call_command("erase_searcher", str(site.pk), "--client", "c1", stdout=output)
    assert output.getvalue().splitlines() == [
        "There are 1 queries, 0 events, 0 records in quarantine.",
        "Erased 1 queries, 0 events, 0 records in quarantine.",
    ]
    assert not Query.objects.exists()
    for arguments in (["bird-shop"], ["bird-shop", "--user", " "], ["fish-shop", "--user", "c"]):
        with pytest.raises(CommandError):
            call_command("erase_searcher", *arguments)


def archive_all(site):
    assert moves.archive(site, before=datetime.now(UTC) + timedelta(days=1))


def archived_raws(site):
    return [record.raw for file in ArchiveFile.objects.filter(site=site) for record in lookups.records([file], "TRUE")]


@pytest.mark.django_db(transaction=True)
def test_somebody_who_is_archived_goes_and_the_files_that_held_them(site):
    """And the trail leads on from files to rows, and from rows to files."""
    receive(site, [query(), click(session_id="s7"), query(2, **OTHERS), click(number=2, **OTHERS)])
    archive_all(site)
    receive(site, [click("d3", number=5, client_id=None, session_id="s7"), query(5, client_id=None), click("d4", **OTHERS)])
    before = {file.file.name for file in ArchiveFile.objects.all()}
    assert erase(site, client="c1") == RecordCounts(2, 2, 0)
    assert [record["client_id"] for record in archived_raws(site)] == [
        record.raw["client_id"] for record in Event.objects.all()
    ] * 2
    assert left() == [0, 1, 0]
    assert not any(default_storage.exists(name) for name in before)
    assert erase(site, client="c2") == RecordCounts(1, 2, 0)
    assert not ArchiveFile.objects.exists()


def test_only_the_files_are_opened_that_may_have_records_of_a_client(site, monkeypatch):
    monkeypatch.setattr(moves, "ROWS_A_FILE", 4)
    clicks = [click(number=number, client_id=f"c{number}", session_id=f"s{number}") for number in range(16)]
    receive(site, [*clicks, click("d2", client_id=None)])
    archive_all(site)
    opened, whole = [], lookups.paths_of
    monkeypatch.setattr(lookups, "paths_of", lambda files, folder: opened.extend(files) or whole(files, folder))
    trail = trail_of(site, client="c1")
    (client,) = trail.clients
    assert trail.counts == RecordCounts(0, 2, 0)
    assert {(file.bucket, file.buckets) for file in opened} == {(client % 8, 8), (None, 8)}


def test_the_files_go_also_where_the_process_dies_once_it_has_committed(site):
    """Nothing that follows a commit runs here."""
    receive(site, [query(), query(2, **OTHERS)])
    archive_all(site)
    name = ArchiveFile.objects.get().file.name
    erase(site, client="c1")
    assert default_storage.exists(name)
    delete_log_files(**Outbox.objects.get(task="judging.tasks.delete_log_files").arguments)
    assert not default_storage.exists(name)
    assert default_storage.exists(ArchiveFile.objects.get().file.name)


def test_records_that_move_while_they_are_looked_for_go_too(site, monkeypatch):
    receive(site, [query(), click(), click("d2", **OTHERS)])
    whole, moved = erasure.refused_records, []

    def and_all_move(*arguments):
        if not moved:
            moved.append(archive_all(site))
        return whole(*arguments)

    monkeypatch.setattr(erasure, "refused_records", and_all_move)
    assert erase(site, client="c1") == RecordCounts(1, 1, 0)
    assert [record["client_id"] for record in archived_raws(site)] == [written(*trail_of(site, client="c2").clients)]


@pytest.mark.django_db(transaction=True)
def test_two_erasures_at_once_end_well_although_one_deletes_the_files_of_the_other(site, monkeypatch):
    receive(site, [query(), click(), query(2, **OTHERS), click("d2", **OTHERS), click("d3", client_id="c3", session_id="s3")])
    archive_all(site)
    whole, erased = lookups.read, []

    def after_another(*arguments, **where):
        if not erased:
            erased.append("first")
            erased.append(erase(site, client="c2"))
        return whole(*arguments, **where)

    monkeypatch.setattr(lookups, "read", after_another)
    assert erase(site, client="c1") == erased[1] == RecordCounts(1, 1, 0)
    assert len(archived_raws(site)) == 1
