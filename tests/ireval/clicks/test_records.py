"""One record at a time, whichever way it is written."""

import json

import polars as pl
import pytest

from ireval.clicks import Deviations
from ireval.clicks.records import OF_A_RECORD, Fields, fields_in, fields_of, lists, records_in

EVENT = {
    "action_name": "click",
    "query_id": 7,
    "session_id": " s ",
    "client_id": "c",
    "user_id": "u",
    "user_query": "owls",
    "timestamp": 1767261605000.0,
    "event_attributes": {"object": {"object_id": "a"}, "position": {"ordinal": 3}, "session_id": "inner"},
}
SAID = Fields("click", "owls", "7", "s", "inner", "c", "u", "1767261605000", None, "a", 3.0, None, False)


def test_a_parsed_record_says_all_its_fields_without_a_file():
    assert fields_of(EVENT) == SAID
    assert Fields._fields == tuple(OF_A_RECORD)


@pytest.mark.parametrize("around", ["%s", " %s\t", '{"_source": %s}'])
def test_a_line_says_the_same(around):
    assert fields_in(around % json.dumps(EVENT)) == SAID


@pytest.mark.parametrize("beside", ["\ufeff%s", "%s %s", "%s,", "\u00a0%s"])
def test_what_json_does_not_allow_around_a_record_makes_it_none(beside):
    assert fields_in(beside.replace("%s", json.dumps(EVENT))) == "not-json"


@pytest.mark.parametrize(
    ("attributes", "document", "ordinal", "stray_ordinal", "flat"),
    [
        ({}, None, None, None, False),
        ({"object.object_id": 5}, "5", None, None, False),
        ({"object": '{"object_id": "a"}', "position": '{"ordinal": "2"}'}, "a", 2, None, False),
        ({"position": {"ordinal": 1, "index": {"ordinal": 2}}}, None, 1, 2, False),
        ({"position": {"index": 4}, "ordinal": 5}, None, None, 4, False),
        ({"position": {"index": "fourth"}, "ordinal": True, "position.ordinal": 6}, None, None, 6, False),
        ({"x": None}, None, None, None, True),
        ({"object": [1], "position": "2", "index": None}, None, None, None, False),
    ],
)
def test_the_object_and_its_place_are_found_where_producers_put_them(attributes, document, ordinal, stray_ordinal, flat):
    assert fields_of({"action_name": "click", "event_attributes": attributes})[-4:] == (document, ordinal, stray_ordinal, flat)


@pytest.mark.parametrize(
    ("hits", "expected"),
    [(["a", " b ", 3, 4.0, None, "", True, ["c"]], ["a", "b", "3", "4"]), ('["a"]', ["a"]), ([], []), ("a", None), ({}, None)],
)
def test_hits_are_texts_and_numbers_in_a_list(hits, expected):
    assert fields_of({"user_query": "owls", "query_response_hit_ids": hits}).hits == expected


@pytest.mark.parametrize(
    ("content", "kind"),
    [({}, "neither"), ({"index": {}}, "bulk"), ({"index": {}, "x": 1}, "neither"), ({"_source": {}}, "neither")],
)
def test_what_is_neither_query_nor_event_says_so(content, kind):
    assert fields_of(content) == kind


def test_lines_keep_their_numbers_and_texts_beside_what_is_left_out():
    texts = ["", "{}", json.dumps(EVENT), "no", '{"user_query": "owls", "query_response_hit_ids": []}']
    deviations = Deviations()
    records = records_in(pl.Series("raw", texts), deviations)
    assert records.select("line", "raw", "hits").rows() == [(3, texts[2], None), (5, texts[4], [])]
    assert [(deviation.kind, deviation.line) for deviation in deviations.entries] == [("not-json", 4), ("neither", 2)]


@pytest.mark.parametrize("column", [[], [None], [[]], [["a"], None, [], ["b", "a"]]])
def test_lists_are_made_as_polars_makes_them(column):
    assert lists("hits", column).equals(pl.Series("hits", column, dtype=pl.List(pl.String)), check_dtypes=True)
