"""A site's log as User Behavior Insights writes it: with pseudonyms, and with what makes each record known again here."""

import json
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from ireval.clicks.records import inner
from judging.logs.archive import engine, lookups
from judging.logs.archive.files import Copies, steadily
from judging.logs.archive.layout import MODELS
from judging.logs.archive.selections import EVER
from judging.logs.inserts import contents_of
from judging.logs.moments import micros
from judging.logs.pseudonyms import records_key, written
from judging.logs.record_list import LAST, Place, behind, in_files, place_of
from judging.logs.records import AGENT
from judging.logs.tags import mark_of, tag_of
from judging.models import Agent, ArchiveFile, Event, Query, Site

A_STEP = 5000
RecordModel = type[Query] | type[Event]
MICROSECOND = timedelta(microseconds=1)
IDS = {"client_id": "client", "user_id": "person", "session_id": "session"}
# Written anew, from what was understood of them.
UNDERSTOOD = {
    *IDS,
    "action_name",
    "timestamp",
    "event_id",
    "query_response_hit_ids",
    "event_attributes",
    "query_attributes",
    AGENT,
}
# Where some producers put what belongs elsewhere.
BENT = ("session_id", "object.object_id", "position.ordinal", "ordinal")
# What a table has room for: other fields of a record are in NDJSON only.
TEXTS = (
    "action_name", "user_query", "query_id", "client_id", "user_id", "session_id", "timestamp", "query_attributes",
    "event_attributes", "application", "message", "message_type", "object_id_field", "query_response_id", "event_id",
)  # fmt: skip
COLUMNS: dict[str, pl.DataType | type[pl.DataType]] = {
    **dict.fromkeys(TEXTS, pl.String),
    "query_response_hit_ids": pl.List(pl.String),
}


class Exporter:
    """Writes what a site received from one moment until just before another."""

    def __init__(self, site: Site, since: datetime | None = None, until: datetime | None = None):
        self.site, self.since, self.until = site, since, until
        self.mark = mark_of(records_key(site))
        self.agents: dict[int, str] = {}

    def lines(self) -> Iterator[str]:
        return (as_json(record) + "\n" for record in self.records())

    def write_parquet(self, path: Path) -> int:
        """Write by way of a temporary file, so that no table has to fit into memory. Returns the number of rows."""
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".ndjson", dir=path.parent) as lines:
            count = 0
            for count, record in enumerate(self.records(), start=1):  # noqa: B007  it is the number of the last
                lines.write(as_json(as_row(record)) + "\n")
            lines.flush()
            frame = pl.scan_ndjson(lines.name, schema=COLUMNS) if count else pl.LazyFrame(schema=COLUMNS)
            frame.with_columns(pl.col("timestamp").str.to_datetime(time_unit="us", time_zone="UTC")).sink_parquet(path)
        return count

    def records(self) -> Iterator[dict[str, Any]]:
        for model in (Query, Event):
            for rows in steps(self.site, model, self.since or EVER[0], self.until or EVER[1]):
                contents = contents_of([row.pk for row in rows])
                self.learn({row.agent for row in rows if row.agent is not None})
                yield from (self.record(row, contents.get(row.pk.hex, 0)) for row in rows)

    def learn(self, agents: set[int]) -> None:
        self.agents |= Agent.objects.filter(pk__in=agents - self.agents.keys()).values_list("pk", "text")

    def record(self, row: Query | Event, content: int) -> dict[str, Any]:
        about = {name: value for name, value in row.raw.items() if value is not None and name not in UNDERSTOOD}
        ids = {name: written(who) for name, column in IDS.items() if (who := getattr(row, column)) is not None}
        own, attributes = query_fields(row) if isinstance(row, Query) else event_fields(row)
        if row.agent in self.agents:
            attributes[AGENT] = self.agents[row.agent]
        kept = {"query_attributes" if isinstance(row, Query) else "event_attributes": attributes} if attributes else {}
        identity = {"timestamp": row.time.isoformat().replace("+00:00", "Z"), "event_id": tag_of(self.mark, row.pk, content)}
        return {**own, **about, **ids, **kept, **identity}


def query_fields(row: Query) -> tuple[dict[str, Any], dict[str, Any]]:
    """Its own fields, and its attributes."""
    shown = {} if row.hits is None else {"query_response_hit_ids": row.hits}
    return shown, dict(inner(row.raw, "query_attributes"))


def event_fields(row: Event) -> tuple[dict[str, Any], dict[str, Any]]:
    attributes = {name: value for name, value in inner(row.raw, "event_attributes").items() if name not in BENT}
    within = {"object": dict(inner(attributes, "object")), "position": dict(inner(attributes, "position"))}
    if row.object:
        within["object"]["object_id"] = row.object
    if row.ordinal is not None:
        within["position"]["ordinal"] = row.ordinal
    if flat := {name: attributes.pop(name) for name in ("x", "y") if name in attributes}:
        within["position"].setdefault("xy", flat)
    attributes = {name: value for name, value in attributes.items() if name not in within}
    return {"action_name": row.action}, {**attributes, **{name: value for name, value in within.items() if value}}


def steps(site: Site, model: RecordModel, since: datetime, until: datetime) -> Iterator[list[Any]]:
    """The records in steps, in the order of receipt, which an index knows. No transaction lasts as long as the export."""
    place, end = Place(since - MICROSECOND, LAST), Place(until - MICROSECOND, LAST)
    with engine.folder() as folder:
        copies = Copies(folder)
        while place < end:
            step, place = steadily(site.pk, partial(next_step, site, model, place, end, copies=copies))
            yield step


def next_step(
    site: Site, model: RecordModel, place: Place, end: Place, files: list[ArchiveFile], *, copies: Copies
) -> tuple[list[Any], Place]:
    """The next A_STEP records behind a place, archived or not, or fewer; and up to where these are all.

    Of one moment there may be a million: all that were loaded into files at once.
    """
    of_kind = [file for file in files if MODELS[file.kind] is model]
    left = [file for file in of_kind if Place(file.last, LAST) > place and file.first <= end.received]
    near = [file for file in left if file.first <= min(file.last for file in left)]
    end = min([end, *(Place(file.last, LAST) for file in near)])
    rows = model.objects.filter(behind(place), site=site, received__lte=end.received).order_by("received", "identity")
    beyond, values = in_files(place, ">")
    condition = f"{beyond} AND received <= ? ORDER BY received, identity LIMIT {A_STEP}"
    archived = lookups.records(near, condition, [*values, micros(end.received)], copies)
    step = sorted([*rows[:A_STEP], *archived], key=place_of)[:A_STEP]
    return step, place_of(step[-1]) if len(step) == A_STEP else end


def as_row(record: dict[str, Any]) -> dict[str, Any]:
    """A record as a row of a table: texts as they are, all else as JSON."""
    row = {name: value if isinstance(value, str) else as_json(value) for name in TEXTS if (value := record.get(name)) is not None}
    return {**row, "query_response_hit_ids": record.get("query_response_hit_ids")}


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
