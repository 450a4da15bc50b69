"""UBI records as rows of the same columns, however their producer writes them."""

import json
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ireval.clicks.deviations import Deviations

Schema = dict[str, pl.DataType | type[pl.DataType]]
OF_A_RECORD: Schema = {
    "action": pl.String,
    "text": pl.String,
    "query_id": pl.String,
    "session": pl.String,
    "inner_session": pl.String,
    "client": pl.String,
    "user": pl.String,
    "time": pl.String,
    "hits": pl.List(pl.String),
    "document": pl.String,
    "ordinal": pl.Float64,
    "stray_ordinal": pl.Float64,
    "flat": pl.Boolean,
}
BULK = {"index", "create", "update", "delete"}
# What JSON takes for blank; Python takes more.
BLANKS = " \t\n\r"
DECODER = json.JSONDecoder()
# Keys of event_attributes that say where the object stood.
OF_A_PLACE = {"position", "index", "position.ordinal", "ordinal", "x", "y"}
EMPTY: dict[str, Any] = {}
# Numbers below this are seconds since 1970 (the year 5138), numbers above are milliseconds (1973).
LAST_SECONDS = 1e11

Thing = tuple[str | None, float | None, float | None, bool]
NOTHING: Thing = (None, None, None, False)


class Fields(NamedTuple):
    """The fields of a record; None for one that is missing or cannot be read.

    - action: of an event; None for a query.
    - inner_session: session_id in event_attributes.
    - time: the timestamp as it is written; `since_1970` reads it.
    - hits: query_response_hit_ids.
    - document, ordinal, stray_ordinal: the object's id, its ordinal where it belongs, and where some producers put it.
    - flat: whether x and y stand outside position.
    """

    action: str | None
    text: str | None
    query_id: str | None
    session: str | None
    inner_session: str | None
    client: str | None
    user: str | None
    time: str | None
    hits: list[str] | None
    document: str | None
    ordinal: float | None
    stray_ordinal: float | None
    flat: bool


def records_in(raw: pl.Series, deviations: Deviations) -> pl.DataFrame:
    """One row per query (without an action) and per event; `seconds` are since 1970."""
    others: dict[str, list[int]] = {"bulk": [], "not-json": [], "neither": []}
    lines: list[int] = []
    # One flat list of all fields: a tuple per record would be more objects for the garbage collector.
    flat: list[Any] = []
    for line, text in enumerate(raw.to_list(), start=1):
        if not text or text.isspace():
            continue
        fields = fields_in(text)
        if isinstance(fields, str):
            others[fields].append(line)
        else:
            lines.append(line)
            flat.extend(fields)
    for deviation, left_out in others.items():
        deviations.note(deviation, pl.DataFrame({"line": left_out}))
    numbers = pl.Series("line", lines, dtype=pl.Int64)
    columns = [numbers, raw.gather(numbers - 1).alias("raw")]
    for place, (name, kind) in enumerate(OF_A_RECORD.items()):
        column = flat[place :: len(OF_A_RECORD)]
        columns.append(lists(name, column) if kind == pl.List else pl.Series(name, column, dtype=kind))
    return pl.DataFrame(columns).with_columns(seconds=since_1970("time"))


def lists(name: str, column: list[list[str] | None]) -> pl.Series:
    """A series of lists as pl.Series makes it, in a third of the time."""
    rows = np.repeat(np.arange(len(column)), [len(values_of_row or ()) for values_of_row in column])
    values = pl.Series(list(chain.from_iterable(values_of_row for values_of_row in column if values_of_row)), dtype=pl.String)
    filled = pl.DataFrame({"row": rows, name: values}).group_by("row", maintain_order=True).agg(name)
    present = pl.Series("known", [values_of_row is not None for values_of_row in column], dtype=pl.Boolean)
    every = pl.DataFrame([pl.Series("row", np.arange(len(column))), present])
    joined = every.join(filled, on="row", how="left", maintain_order="left")
    return joined.select(pl.when("known").then(pl.col(name).fill_null([])))[name]


def fields_in(text: str) -> Fields | str:
    """The fields of a line, or the kind of deviation for which it is left out."""
    content = parsed(text)
    return fields_of(content) if isinstance(content, dict) else "not-json"


def fields_of(content: dict[str, Any]) -> Fields | str:
    """The fields of a parsed record, or the kind of deviation for which it is left out."""
    content = unpacked(content)
    get = content.get
    action, query, hits = as_text(get("action_name")), as_text(get("user_query")), as_list(get("query_response_hit_ids"))
    if action is None and query is None and hits is None:
        return "bulk" if content.keys() <= BULK and content else "neither"
    attributes = inner(content, "event_attributes")
    return Fields(
        action,
        query,
        as_text(get("query_id")),
        as_text(get("session_id")),
        as_text(attributes.get("session_id")),
        as_text(get("client_id")),
        as_text(get("user_id")),
        as_text(get("timestamp")),
        hits,
        *(thing(attributes) if attributes else NOTHING),
    )


def unpacked(content: Any) -> Any:
    """The record itself, where it came as a hit of OpenSearch: its `_source`."""
    while isinstance(content, dict) and "_source" in content and (source := inner(content, "_source")):
        content = source
    return content


def thing(attributes: dict[str, Any]) -> Thing:
    """The object's id, its ordinal where it belongs and where it does not, and whether x and y stand outside position."""
    document = as_text(inner(attributes, "object").get("object_id")) or as_text(attributes.get("object.object_id"))
    if OF_A_PLACE.isdisjoint(attributes):
        return document, None, None, False
    position = inner(attributes, "position")
    return (
        document,
        as_number(position.get("ordinal")),
        stray_ordinal(attributes, position),
        "x" in attributes or "y" in attributes,
    )


def stray_ordinal(attributes: dict[str, Any], position: dict[str, Any]) -> float | None:
    elsewhere = (
        inner(position, "index").get("ordinal"),
        position.get("index"),
        inner(attributes, "index").get("ordinal"),
        attributes.get("position.ordinal"),
        attributes.get("ordinal"),
    )
    return next((number for number in map(as_number, elsewhere) if number is not None), None)


def inner(content: dict[str, Any], name: str) -> dict[str, Any]:
    """A nested object, also one that is written as text; empty where it is no object."""
    value = content.get(name)
    if isinstance(value, str):
        value = parsed(value)
    return value if isinstance(value, dict) else EMPTY


def as_list(value: Any) -> list[str] | None:
    value = parsed(value) if isinstance(value, str) else value
    if not isinstance(value, list):
        return None
    # No call for texts, which nearly all are: this is half of what a query costs.
    return [name for entry in value if (name := entry.strip() if isinstance(entry, str) else as_text(entry))]


def parsed(text: str) -> Any:
    stripped = text.strip(BLANKS)
    try:
        content, end = DECODER.raw_decode(stripped)
    except (ValueError, RecursionError):
        return None
    return content if end == len(stripped) else None


def as_text(value: Any) -> str | None:
    """Texts without blanks around them and numbers as text, whole ones without a point; None for anything else and for ""."""
    if isinstance(value, str):
        return value.strip() or None
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def as_number(value: Any) -> float | None:
    if value is None or isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def since_1970(column: str) -> pl.Expr:
    """Seconds since 1970 of ISO 8601 (UTC where no zone is named) and of numbers; null for anything else."""
    text = pl.col(column)
    number = text.cast(pl.Float64, strict=False)
    iso = text.str.replace(r"^(\d{4}-\d\d-\d\d) ", "${1}T").str.replace(r"([+-]\d\d)(\d\d)$", "${1}:${2}")
    zoned = pl.when(iso.str.contains(r"(Z|[+-]\d\d:\d\d)$")).then(iso).otherwise(iso + "Z")
    moment = zoned.str.to_datetime("%+", time_unit="us", time_zone="UTC", strict=False).dt.timestamp("us") / 1e6
    return pl.when(number.is_not_null()).then(number / pl.when(number < LAST_SECONDS).then(1).otherwise(1000)).otherwise(moment)
