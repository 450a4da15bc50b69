"""Single UBI records, whichever way their producer writes them, as rows of the same columns."""

import json
from typing import Any

import polars as pl

from .deviations import Deviations

SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "line": pl.Int64,
    "raw": pl.String,
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
    "straight": pl.Float64,
    "bent": pl.Float64,
    "flat": pl.Boolean,
}
BULK = {"index", "create", "update", "delete"}
# Numbers below this are seconds since 1970, not milliseconds: it is 1973 in these and the year 5138 in those.
LAST_SECONDS = 1e11

Row = tuple[Any, ...]


def records_in(raw: pl.Series, deviations: Deviations) -> pl.DataFrame:
    """A row a query (without an action) and a row an event; `seconds` are since 1970."""
    others: dict[str, list[int]] = {"bulk": [], "not-json": [], "neither": []}
    rows: list[Row] = []
    for line, text in enumerate(raw, start=1):
        if not text or text.isspace():
            continue
        found = row_of(line, text)
        if isinstance(found, str):
            others[found].append(line)
        else:
            rows.append(found)
    for kind, lines in others.items():
        deviations.note(kind, pl.DataFrame({"line": lines}))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").with_columns(seconds=since_1970("time"))


def row_of(line: int, text: str) -> Row | str:
    """A row of SCHEMA, or as which deviation the line is left out."""
    content = parsed(text)
    if not isinstance(content, dict):
        return "not-json"
    content = inner(content, "_source") or content
    action, query, hits = as_text(content.get("action_name")), as_text(content.get("user_query")), as_list(content)
    if action is None and query is None and hits is None:
        return "bulk" if content.keys() <= BULK and content else "neither"
    attributes = inner(content, "event_attributes")
    names = ("session_id", "client_id", "user_id", "timestamp")
    session, client, user, time = (as_text(content.get(name)) for name in names)
    query_id, within = as_text(content.get("query_id")), as_text(attributes.get("session_id"))
    return line, text, action, query, query_id, session, within, client, user, time, hits, *thing(attributes)


def thing(attributes: dict[str, Any]) -> tuple[str | None, float | None, float | None, bool]:
    """The object's id, its ordinal where it belongs and elsewhere, and whether x and y stand outside position."""
    position, index = inner(attributes, "position"), inner(attributes, "index")
    document = as_text(inner(attributes, "object").get("object_id")) or as_text(attributes.get("object.object_id"))
    elsewhere = (
        inner(position, "index").get("ordinal"),
        position.get("index"),
        index.get("ordinal"),
        attributes.get("position.ordinal"),
        attributes.get("ordinal"),
    )
    bent = next((number for number in map(as_number, elsewhere) if number is not None), None)
    return document, as_number(position.get("ordinal")), bent, "x" in attributes or "y" in attributes


def inner(content: dict[str, Any], name: str) -> dict[str, Any]:
    """An object within, also one that is written as a text; empty where it is none."""
    found = content.get(name)
    found = parsed(found) if isinstance(found, str) else found
    return found if isinstance(found, dict) else {}


def as_list(content: dict[str, Any]) -> list[str] | None:
    found = content.get("query_response_hit_ids")
    found = parsed(found) if isinstance(found, str) else found
    if not isinstance(found, list):
        return None
    return [name for name in map(as_text, found) if name is not None]


def parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def as_text(value: Any) -> str | None:
    """Texts and numbers without blanks around them, whole numbers without a point; None for anything else and for nothing."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def as_number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
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
