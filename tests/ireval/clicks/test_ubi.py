"""Logs as producers really write them: read as far as they go, each deviation counted."""

import json

import polars as pl
import pytest

from ireval import BadFile
from ireval.clicks import ctr_by_rank, read_ubi
from ireval.clicks.deviations import MEANING
from ireval.io.files import IgnoredInput
from tests.ireval.clicks.builders import write_ubi

QUERY = {"query_id": "1", "client_id": "c", "user_query": "owls", "timestamp": "2026-01-01T10:00:00Z"}
SHOWN = QUERY | {"query_response_hit_ids": ["a", "b", "c"]}


def event(action="click", document="b", query_id="1", time="2026-01-01T10:00:05Z", **more):
    attributes = {"object": {"object_id": document}} if document else {}
    return {"action_name": action, "query_id": query_id, "timestamp": time, "event_attributes": attributes | more}


@pytest.fixture
def read(tmp_path):
    return lambda *records, name="log.ndjson": read_ubi(write_ubi(tmp_path / name, records))


def counted(deviations):
    return {deviation.kind: deviation.cases for deviation in deviations.entries}


def documents(sessions):
    return [sessions.documents[code] for code in sessions.document]


def test_a_log_by_the_book_has_no_deviation(read):
    sessions, deviations = read(SHOWN, event("impression", "a", position={"ordinal": 1}), event(), name="log.ndjson.gz")
    assert documents(sessions) == ["a", "b", "c"]
    assert sessions.clicks.tolist() == [0, 1, 0]
    assert sessions.seconds[1] == 5
    assert (sessions.queries, sessions.users) == (("owls",), ("c",))
    assert counted(deviations) == {}
    assert (deviations.queries, deviations.actions) == (1, {"click": 1, "impression": 1})


def test_without_hits_impressions_say_what_was_shown(read):
    seen = [event("impression", name, position={"ordinal": place}) for name, place in (("b", 1), ("c", 10), ("a", 0))]
    sessions, deviations = read(QUERY, *seen, event())
    assert documents(sessions) == ["a", "b", "c"]
    assert counted(deviations) == {}


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([SHOWN, event("click_through")], {"click-through": 1}),
        ([SHOWN, event(time=1767261605000)], {"number-timestamp": 1}),
        ([SHOWN, event(time=None)], {"no-timestamp": 1}),
        ([SHOWN, event(time="yesterday")], {"unreadable-timestamp": 1}),
        ([SHOWN, event(time="2026-01-01T09:00:00Z")], {"click-before-query": 1}),
        ([SHOWN, event(query_id=None)], {"no-query-id": 1}),
        ([SHOWN, event(document=None)], {"no-object-id": 1}),
        ([SHOWN, event(document="z")], {"click-elsewhere": 1}),
        ([SHOWN, event(), event()], {"repeated-event": 1}),
        ([SHOWN, event(session_id="s")], {"session-in-attributes": 1}),
        ([SHOWN, event(x=3, y=4, position={})], {"flat-position": 1}),
        ([SHOWN, event(position={"index": {"ordinal": 2}})], {"ordinal-elsewhere": 1}),
        ([SHOWN, event("impression", "z")], {"impression-beyond-hits": 1}),
        ([SHOWN, SHOWN | {"query_response_hit_ids": []}], {"repeated-query": 1}),
        ([SHOWN, SHOWN | {"user_query": "swifts"}], {"repeated-query": 1, "two-texts": 1}),
        ([QUERY | {"query_response_hit_ids": ["a", "a"]}], {"repeated-hit": 1}),
        ([SHOWN | {"user_query": " "}], {"no-user-query": 1}),
        ([SHOWN, QUERY | {"query_id": "2"}, event(query_id="2")], {"nothing-shown": 1, "click-of-nothing-shown": 1}),
        ([event("impression", user_query="owls")], {"no-query-record": 1, "no-ordinal": 1, "no-user-query": 1}),
        (
            [QUERY, event("impression"), event("impression", time=None)],
            {"no-ordinal": 1, "repeated-impression": 1, "no-timestamp": 1},
        ),
        ([{"index": {"_index": "ubi_queries"}}, SHOWN], {"bulk": 1}),
        ([SHOWN, {"application": "shop"}], {"neither": 1}),
        ([SHOWN, [1, 2]], {"not-json": 1}),
    ],
)
def test_each_deviation_is_counted_and_nothing_else(read, records, expected):
    sessions, deviations = read(*records)
    assert counted(deviations) == expected
    assert len(sessions) == 1
    assert all(deviation.meaning for deviation in deviations.entries)


def test_every_deviation_has_an_example_above():
    examples = test_each_deviation_is_counted_and_nothing_else.pytestmark[0].args[1]
    assert {kind for _, expected in examples for kind in expected} == set(MEANING)


def test_deviations_name_their_first_line(read):
    _, deviations = read(SHOWN, event(), event("click_through", "a"), event("click_through", "c"))
    (deviation,) = deviations.entries
    assert (deviation.kind, deviation.cases, deviation.line) == ("click-through", 2, 3)
    assert deviations["click-elsewhere"] == 0


@pytest.mark.parametrize(
    "bent", [{"position": {"index": {"ordinal": 1}}}, {"index": {"ordinal": "1"}}, {"position.ordinal": 1}, {"ordinal": 1}]
)
def test_ordinals_are_found_where_producers_put_them(read, bent):
    last = event("impression", "a", position={"ordinal": 2})
    sessions, _ = read(QUERY, last, event("impression", "b", **bent))
    assert documents(sessions) == ["b", "a"]


def test_clicks_elsewhere_are_counted_with_their_impression(read):
    sessions, _ = read(SHOWN, event(document="z"), event(document=None), event())
    assert sessions.elsewhere.tolist() == [2]
    assert sessions.total_clicks.tolist() == [3]


def test_the_last_response_that_shows_something_counts(read):
    later = {"timestamp": "2026-01-01T10:00:03Z"}
    sessions, _ = read(SHOWN | later | {"query_response_hit_ids": ["x"]}, SHOWN, QUERY | later, event())
    assert documents(sessions) == ["x"]
    assert sessions.elsewhere.tolist() == [1]


def test_times_are_read_with_and_without_a_zone(read):
    times = ["2026-01-01 10:00:05", "2026-01-01T11:00:05.000+0100", 1767261605, "1767261605000"]
    for time in times:
        sessions, _ = read(SHOWN, event(time=time))
        assert sessions.seconds[1] == 5, time


def test_parquet_says_the_same_with_structs_and_with_json_as_text(read, tmp_path):
    expected = ctr_by_rank(read(SHOWN, event())[0])
    structs = pl.DataFrame([SHOWN, event()], infer_schema_length=None)
    as_text = pl.DataFrame(
        [
            {**SHOWN, "query_response_hit_ids": '["a", "b", "c"]'},
            {**event(), "event_attributes": json.dumps(event()["event_attributes"])},
        ]
    )
    for frame in (structs, as_text, structs.with_columns(pl.col("timestamp").str.to_datetime("%+"))):
        frame.write_parquet(tmp_path / "log.parquet")
        sessions, deviations = read_ubi(tmp_path / "log.parquet")
        assert ctr_by_rank(sessions).equals(expected)
        assert sessions.seconds[1] == 5
        assert counted(deviations) == {}


def test_files_that_are_no_log_say_why(tmp_path, read):
    with pytest.raises(BadFile, match="holds no UBI queries"):
        read({"hello": 1})
    with pytest.raises(BadFile, match="no query says what was shown"):
        read(QUERY, event())
    (tmp_path / "binary").write_bytes(b"\0\1")
    with pytest.raises(BadFile, match="binary file"):
        read_ubi(tmp_path / "binary")


def test_the_sample_of_chorus_is_read_with_its_deviations(shared_data):
    sessions, deviations = read_ubi(shared_data / "clicks_ubi_chorus" / "ubi_queries_events.ndjson.gz")
    assert (deviations.queries, deviations.events) == (473, 3448)
    assert [deviations.actions[name] for name in ("impression", "click", "add_to_cart")] == [1999, 287, 234]
    assert len(sessions) == 284  # every query_id with a record showed something
    assert sessions.total_clicks.sum() == 287
    assert counted(deviations) == {
        "bulk": 473 + 3448,
        "number-timestamp": 429,
        "session-in-attributes": 429,
        "repeated-query": 189,
        "two-texts": 7,
        "impression-beyond-hits": 82,
        "no-query-record": 480,
        "no-user-query": 6,
        "nothing-shown": 480,
        "click-elsewhere": 4,
    }


def test_a_broken_line_is_named_with_its_file(tmp_path):
    path = tmp_path / "log.ndjson"
    path.write_text("\n".join([json.dumps(SHOWN), "", '{"action_name": "click", "query', json.dumps(event()), "broken, too"]))
    with pytest.warns(IgnoredInput, match=r"^log.ndjson, line 3: is no JSON object and left out; so are 1 more lines$"):
        sessions, _ = read_ubi(path)
    assert sessions.total_clicks.sum() == 1
