"""What goes out is User Behavior Insights as its convention says, and comes in again as what it was."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from itertools import islice

import polars as pl
import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from judging.logs import log_export
from judging.logs.archive import lookups, moves
from judging.logs.archive.selections import EVER
from judging.logs.erasure import erase
from judging.logs.intake import receive
from judging.logs.log_export import Exporter
from judging.logs.log_import import import_file
from judging.models import ArchiveFile, AuditEntry, Event, Query, Seen, Site
from tests.judging.logs.sent import click, query

pytestmark = pytest.mark.django_db
# As producers drift.
ODD = [
    query(query_attributes={"experiment": "ranker", "arm": "new"}, application="shop", client_id=17),
    query(2, timestamp=1763632805000, query_response_hit_ids='["d1", "d2"]', user_query=" owls "),
    query(3, query_response_hit_ids=[]),
    click(event_id="e1", user_id="carol", user_query="owls"),
    click(
        "d2", session_id=None, event_attributes={"session_id": "s9", "object": {"object_id": 7, "name": "Owl"}, "ordinal": "4"}
    ),
    click("d3", event_attributes='{"object.object_id": "d3", "position.ordinal": 2, "x": 10, "y": 20}'),
    click("d4", action_name="purchase", event_attributes={"value": 12.5, "position": {"ordinal": 2.5}, "object": "d4"}),
    {"action_name": "logout", "timestamp": "2026-11-20T10:00:05.25+02:00", "message": "ünï 🦉"},
]
KEPT = ("time", "client", "person", "session", "agent")


@pytest.fixture
def other(stranger):
    return Site.objects.create(name="Other", slug="other", owner=stranger)


def rows(site):
    """All that is understood of a site's records; hashes of queries are each site's own."""
    queries = [
        (*(getattr(record, name) for name in KEPT), record.text, record.hits, record.arms)
        for record in Query.objects.filter(site=site)
    ]
    events = Event.objects.filter(site=site)
    return sorted(queries, key=repr), sorted(
        [
            (*(getattr(record, name) for name in KEPT), record.action, record.object, record.ordinal, record.value)
            for record in events
        ],
        key=repr,
    )


def exported(site):
    return list(Exporter(site).records())


def test_it_is_written_as_the_convention_says(site):
    receive(site, ODD, agent="Mozilla/5.0", now=datetime(2026, 11, 20, 12, tzinfo=UTC))
    queries = {record["query_id"]: record for record in exported(site) if "action_name" not in record}
    assert queries["q1"]["timestamp"] == "2026-11-20T10:00:00Z"
    assert queries["q1"]["query_attributes"] == {"experiment": "ranker", "arm": "new", "user_agent": "Mozilla/5.0"}
    assert queries["q1"]["client_id"][0] == "~"
    events = {
        record["event_attributes"].get("object", {}).get("object_id"): record
        for record in exported(site)
        if "action_name" in record
    }
    assert events["7"]["event_attributes"].keys() == {"object", "position", "user_agent"}
    assert events["7"]["event_attributes"]["object"] == {"object_id": "7", "name": "Owl"}
    assert events["7"]["event_attributes"]["position"] == {"ordinal": 4}
    assert events["7"]["session_id"][0] == "~"
    assert events["d3"]["event_attributes"]["position"] == {"ordinal": 2, "xy": {"x": 10, "y": 20}}
    text = json.dumps(exported(site))
    assert "carol" not in text
    assert '"e1"' not in text


@pytest.mark.parametrize("form", ["ndjson", "parquet"])
def test_what_comes_back_is_a_duplicate_and_elsewhere_it_is_new(site, other, tmp_path, form):
    receive(site, ODD, agent="Mozilla/5.0")
    path = tmp_path / f"log.{form}"
    call_command("export_log", "bird-shop", "--format", form, "--output", str(path))
    assert import_file(site, path).counts == {"duplicate": 8}
    assert import_file(other, path).counts == {"accepted": 8}
    assert import_file(other, path).counts == {"duplicate": 8}
    assert rows(other) == rows(site)
    assert AuditEntry.objects.get().about == f"the log of the site “Bird shop”, as {form}"


def test_what_was_exported_comes_back_as_itself_after_it_was_lost(site):
    receive(site, ODD)
    sent, before = exported(site), rows(site)
    for model in (Query, Event, Seen):
        model.objects.all().delete()
    assert set(receive(site, sent).statuses) == {"accepted"}
    assert rows(site) == before
    assert set(receive(site, ODD).statuses) == {"duplicate"}


values = st.none() | st.text(max_size=5) | st.integers(-5, 5) | st.just({"ordinal": 1}) | st.just('{"object_id": "d1"}')
attributes = st.dictionaries(
    st.sampled_from(["object", "position", "object.object_id", "ordinal", "x", "session_id", "user_agent", "value", "index"]),
    values,
)
records = st.fixed_dictionaries(
    {"timestamp": st.just("2026-11-20T10:00:00Z")},
    optional={
        "action_name": st.text(max_size=5),
        "user_query": st.text(max_size=5),
        "query_id": values,
        "client_id": values,
        "session_id": values,
        "query_response_hit_ids": st.lists(values, max_size=3),
        "event_attributes": attributes,
        "query_attributes": attributes,
    },
)


@given(st.lists(records, max_size=8))
@hypothesis(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_whatever_was_accepted_comes_back(site, other, sent):
    for model in (Query, Event, Seen):
        model.objects.all().delete()
    receive(site, sent)
    log = exported(site)
    assert set(receive(site, log).statuses) <= {"duplicate"}
    assert set(receive(other, json.loads(json.dumps(log))).statuses) <= {"accepted"}
    assert rows(other) == rows(site)


def test_it_goes_by_steps_and_leaves_nothing_out(site, monkeypatch):
    monkeypatch.setattr(log_export, "A_STEP", 3)
    start = datetime(2026, 11, 20, tzinfo=UTC)
    for batch in range(5):
        receive(site, [query(10 * batch + number) for number in range(batch)], now=start + timedelta(hours=batch))
    assert len({record["query_id"] for record in exported(site)}) == 10
    part = Exporter(site, start + timedelta(hours=2), start + timedelta(hours=4))
    assert len(list(part.records())) == 2 + 3


def test_what_was_loaded_at_once_goes_by_steps_although_all_of_it_came_at_one_moment(site, tmp_path, monkeypatch):
    monkeypatch.setattr(log_export, "A_STEP", 3)
    (tmp_path / "log").write_text(json.dumps([click(f"d{number}") for number in range(9)]))
    import_file(site, tmp_path / "log", into_archive=True)
    receive(site, [click(f"d{number}") for number in range(9, 14)])
    assert max(map(len, log_export.steps(site, Event, *EVER))) == 3
    assert sorted(int(record["event_attributes"]["object"]["object_id"][1:]) for record in exported(site)) == [*range(14)]


def test_the_command_packs_and_writes_to_standard_output(site, tmp_path, capfdbinary):
    receive(site, [query(), click()])
    call_command("export_log", "bird-shop", "--output", str(tmp_path / "log.ndjson.gz"))
    assert len(gzip.decompress((tmp_path / "log.ndjson.gz").read_bytes()).splitlines()) == 2
    capfdbinary.readouterr()
    call_command("export_log", "bird-shop", "--until", "2020-01-01")
    assert capfdbinary.readouterr().out == b""
    call_command("export_log", "bird-shop", "--since", "2020-01-01T12:00")
    assert len(capfdbinary.readouterr().out.splitlines()) == 2
    with pytest.raises(CommandError, match="--output"):
        call_command("export_log", "bird-shop", "--format", "parquet")


def test_a_table_without_rows_is_one(site, tmp_path):
    assert Exporter(site).write_parquet(tmp_path / "log.parquet") == 0
    assert pl.read_parquet(tmp_path / "log.parquet").schema["timestamp"] == pl.Datetime("us", "UTC")


def test_archived_records_go_out_like_others_and_none_twice_while_they_move(site, monkeypatch):
    monkeypatch.setattr(log_export, "A_STEP", 3)
    start = datetime(2026, 11, 20, tzinfo=UTC)
    for day in range(5):
        odd = [
            {**record, "message": f"day {day}", "query_id": f"{day} {n}", "event_id": f"{day} {n}"}
            for n, record in enumerate(ODD)
        ]
        receive(site, odd, now=start + timedelta(days=day))
    before = exported(site)
    assert len(before) == 40
    moves.archive(site, before=start + timedelta(days=2))
    assert exported(site) == before
    part = Exporter(site, start + timedelta(days=1), start + timedelta(days=3))
    assert len(list(part.records())) == 16
    records = Exporter(site).records()
    first = list(islice(records, 12))
    moves.archive(site, before=start + timedelta(days=4))
    assert [*first, *records] == before


@pytest.mark.django_db(transaction=True)
def test_an_export_goes_on_while_somebody_is_erased(site, monkeypatch):
    receive(site, ODD)
    assert moves.archive(site, before=datetime.now(UTC) + timedelta(days=1))
    whole, erased = lookups.select, []

    def after_erasing(*arguments):
        if not erased:
            erased.append("first")
            erased.append(erase(site, client="c1"))
        return whole(*arguments)

    monkeypatch.setattr(lookups, "select", after_erasing)
    records = exported(site)
    assert len(records) == len(ODD) - sum(erased[1])
    assert 0 < len(records) < len(ODD)


def test_a_missing_file_breaks_an_export_off(site):
    receive(site, ODD)
    moves.archive(site, before=datetime.now(UTC) + timedelta(days=1))
    default_storage.delete(ArchiveFile.objects.filter(kind="events").first().file.name)
    with pytest.raises(OSError, match="parquet"):
        exported(site)
