"""Logs come in from files, whatever form they have, a little at a time and each record once."""

import gzip
import json
import lzma
import random
from collections import Counter
from io import StringIO

import polars as pl
import pytest
from django.core.management import CommandError, call_command
from django.db.models import Count

from ireval.io.files import BadFile
from ireval.io.zst import zstd
from judging.logs import log_import
from judging.logs.log_import import import_file
from judging.models import Event, Quarantined, Query, Seen
from tests.conftest import SOAKING
from tests.ireval.clicks.builders import write_ubi, yandex
from tests.judging.logs.sent import click, query

pytestmark = pytest.mark.django_db
SENT = [query(), click("d1"), click("d2", seconds=7)]
NDJSON = "\n".join(map(json.dumps, SENT))


def imported(*arguments):
    output = StringIO()
    call_command("import_log", "bird-shop", *map(str, arguments), stdout=output)
    return output.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        NDJSON.encode(),
        f"\ufeff\n{NDJSON}\n\n".replace("\n", "\r\n").encode(),
        json.dumps(SENT, indent=1).encode(),
        f"\ufeff {json.dumps(SENT)}".encode(),
        "\n".join(f'{{"index": {{"_index": "ubi"}}}}\n{json.dumps(record)}' for record in SENT).encode(),
        gzip.compress(NDJSON.encode()),
        lzma.compress(json.dumps(SENT).encode()),
        zstd.compress(NDJSON.encode()),
    ],
)
def test_every_form_of_file_says_the_same(site, tmp_path, content):
    (tmp_path / "log").write_bytes(content)
    assert import_file(site, tmp_path / "log").counts == {"accepted": 3}
    assert (Query.objects.count(), sorted(Event.objects.values_list("object", flat=True))) == (1, ["d1", "d2"])
    (tmp_path / "plain").write_text(NDJSON)
    assert import_file(site, tmp_path / "plain").counts == {"duplicate": 3}


def test_tables_with_lists_structs_and_times(site, tmp_path):
    frame = pl.DataFrame(SENT).with_columns(pl.col("timestamp").str.to_datetime(time_zone="UTC"))
    frame.write_parquet(tmp_path / "log.parquet")
    assert import_file(site, tmp_path / "log.parquet").counts == {"accepted": 3}
    assert Query.objects.get().hits == ["d1", "d2", "d3"]
    assert "action_name" not in Query.objects.get().raw
    assert {(event.object, event.ordinal, event.time.second) for event in Event.objects.all()} == {("d1", 1, 5), ("d2", 2, 7)}


@pytest.mark.parametrize("form", ["lines", "array", "table"])
def test_files_are_read_a_little_at_a_time(site, tmp_path, monkeypatch, form):
    for name, little in {"A_CHUNK": 100, "ROWS": 3, "A_BATCH": 2}.items():
        monkeypatch.setattr(log_import, name, little)
    sent = [query(number) for number in range(10)]
    path = tmp_path / "log"
    match form:
        case "lines":
            path.write_text("\n".join(map(json.dumps, sent)))
        case "array":
            path.write_text(json.dumps(sent))
        case "table":
            pl.DataFrame(sent).write_parquet(path)
    seen = []
    import_file(site, path, progress=lambda done: seen.append(done.records))
    assert seen == [2, 4, 6, 8, 10]
    assert Query.objects.count() == 10


def test_an_interrupted_import_goes_on_where_it_was(site, tmp_path, monkeypatch):
    monkeypatch.setattr(log_import, "A_BATCH", 2)
    write_ubi(tmp_path / "log", [query(number) for number in range(6)])

    def interrupted(done):
        if done.records == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_file(site, tmp_path / "log", progress=interrupted)
    assert Query.objects.count() == 4
    assert import_file(site, tmp_path / "log").counts == {"duplicate": 4, "accepted": 2}


def test_what_is_refused_says_why_and_where_and_stops_nothing(site, tmp_path):
    lines = ["", json.dumps(query()), "{", '{"action_name": "click"}', "{", json.dumps(click())]
    (tmp_path / "log.ndjson").write_text("\n".join(lines))
    output = imported(tmp_path / "log.ndjson")
    assert "log.ndjson: 5 records: 2 accepted, 0 duplicate, 0 conflict, 3 rejected" in output
    assert "refused: 2 × is not JSON, first on line 3" in output
    assert "refused: 1 × has no timestamp, first on line 4" in output
    assert "not-json: 2, first on line 3: lines that are no JSON object" in output
    assert Quarantined.objects.count() == 2


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"PK\x03\x04\0\0", "binary file"),
        (gzip.compress(NDJSON.encode())[:-20], "damaged or cut short"),
        (json.dumps(SENT)[:-1].encode(), "after 3 items"),
        (json.dumps(SENT)[:-20].encode(), "after 2 items"),
        (b"[1, 2, oops]", "after 2 items"),
        (b"PAR1 is not all", "Parquet file is damaged"),
    ],
)
def test_files_that_are_none_say_so(site, tmp_path, content, why):
    (tmp_path / "log").write_bytes(content)
    with pytest.raises(BadFile, match=why):
        import_file(site, tmp_path / "log")


def test_a_bad_file_does_not_keep_the_others_out(site, tmp_path):
    (tmp_path / "bad").write_bytes(b"\0")
    write_ubi(tmp_path / "good", SENT)
    with pytest.raises(CommandError, match="bad: this is a binary file") as error:
        imported(tmp_path / "bad", tmp_path / "absent", tmp_path / "good")
    assert "absent: cannot be read" in str(error.value)
    assert Event.objects.count() == 2


def test_of_long_logs_the_beginning_is_looked_at(site, tmp_path, monkeypatch):
    for module in (log_import, importing_command()):
        monkeypatch.setattr(module, "MOST_LOOKED_AT", 3)
    write_ubi(tmp_path / "log", [query(number) for number in range(6)] + [{"user_query": "no timestamp"}])
    output = imported(tmp_path / "log")
    assert "7 accepted" in output
    assert "no-timestamp" not in output
    write_ubi(tmp_path / "events", [click(number=9), click("d2", number=9, timestamp=0)] * 3)
    assert "neither query_response_hit_ids nor impression events in the first 3 lines" in imported(tmp_path / "events")


def importing_command():
    from judging.management.commands import import_log

    return import_log


def test_the_sample_of_chorus_comes_in_with_every_deviation_told(site, shared_data):
    output = imported(shared_data / "clicks_ubi_chorus" / "ubi_queries_events.ndjson.gz")
    assert "3,921 records: 3,914 accepted, 1 duplicate, 0 conflict, 6 rejected" in output
    assert "refused: 6 × has no user_query, first on line 2,628" in output
    assert (Query.objects.count(), Event.objects.count()) == (473 - 6, 3448 - 1)
    assert Event.objects.filter(action="click").count() == 287
    cases = {line.split(":")[0].strip(): line.split()[1].rstrip(",") for line in output.splitlines()[1:]}
    deviations = {
        "number-timestamp": "429",
        "session-in-attributes": "429",
        "repeated-query": "189",
        "impression-beyond-hits": "82",
        "nothing-shown": "480",
        "click-elsewhere": "4",
    }
    assert deviations.items() <= cases.items()


@pytest.mark.soak(short=True)
def test_yandex_comes_in_as_its_source_counts_it_however_often(site, shared_data, tmp_path):
    """35,064 sessions with 50,321 clicks; the same file twice more, shuffled, changes nothing. The short form: a tenth."""
    records = list(yandex(shared_data))
    assert counted(records) == (35_064, 50_321)
    if not SOAKING:
        records = [record for record in records if record["client_id"].endswith("7")]
    sessions, clicks = counted(records)
    counts = Counter({"accepted": sessions + clicks})
    for seed in range(3):
        if seed:
            random.Random(seed).shuffle(records)
        assert import_file(site, write_ubi(tmp_path / f"{seed}.ndjson", records)).counts == counts
        assert (Query.objects.count(), Event.objects.filter(action="click").count()) == (sessions, clicks)
        assert Query.objects.aggregate(sessions=Count("client", distinct=True)) == {"sessions": sessions}
        counts = Counter({"duplicate": counts.total()})
    assert Seen.objects.count() == counts.total()


def counted(records):
    """Sessions and clicks."""
    clicks = sum("action_name" in record for record in records)
    return len(records) - clicks, clicks
