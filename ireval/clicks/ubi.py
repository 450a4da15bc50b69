"""Logs of User Behavior Insights 1.3.0, read leniently: records name no version, and producers deviate."""

import os
import warnings
from pathlib import Path

import polars as pl

from ireval.clicks.deviations import Deviation, Deviations
from ireval.clicks.records import records_in
from ireval.clicks.sessions import Sessions, sessions_in_table
from ireval.io.files import MAX_BYTES, BadFile, IgnoredInput, local_file, name_of, open_file
from ireval.io.tables import BYTES_A_ROW, is_parquet

CLICKS = ("click", "click_through")


def read_ubi(path: str | os.PathLike[str], *, name: str | None = None, max_bytes: int = MAX_BYTES) -> tuple[Sessions, Deviations]:
    """Read queries and events of User Behavior Insights 1.3.0, mixed in one file; "-" is standard input.

    The file is NDJSON (also OpenSearch's bulk format) or Parquet, compressed or not. An impression is a query_id. It showed the
    query_response_hit_ids of its last record that has any. Without such a record, it showed the documents of its impression
    events, by position.ordinal. Clicks (action click or click_through) belong to it by query_id and object_id. Its session is
    session_id, or else client_id; its user is user_id, or else client_id; its text is user_query.

    Records that do not fit are counted in the Deviations and never stop the reading. IgnoredInput warns of lines that are no
    JSON. Raises BadFile only for a file that is
    damaged, too long, without queries and events, or in which no query says what was shown.
    """
    with local_file(path, max_bytes=max_bytes) as local:
        name = name or name_of(path)
        raw = parquet_lines(local, name, max_bytes) if is_parquet(local) else text_lines(local, name, max_bytes)
        return sessions_in(raw, name)


def text_lines(path: Path, name: str, max_bytes: int) -> pl.Series:
    with open_file(path, name=name, max_bytes=max_bytes) as stream:
        data = stream.read()
    if b"\0" in data:
        raise BadFile.because(name, "this is a binary file; expected JSON in lines, or Parquet")
    return pl.Series("raw", data.decode("utf-8-sig", "replace").split("\n"), dtype=pl.String)


def parquet_lines(path: Path, name: str, max_bytes: int) -> pl.Series:
    """Every row as a line of JSON, so that structs, lists and JSON in text are read the same way."""
    try:
        scan = pl.scan_parquet(path, glob=False)
        if scan.select(pl.len()).collect().item() > max_bytes // BYTES_A_ROW:
            raise BadFile.because(name, f"holds more rows than {max_bytes:,} bytes, the largest file accepted, can hold")
        frame = scan.collect()
    except pl.exceptions.PolarsError as error:
        raise BadFile.because(name, f"the Parquet file is damaged ({error})") from error
    moments = [column for column, kind in frame.schema.items() if isinstance(kind, pl.Datetime)]
    frame = frame.with_columns(pl.col(column).dt.to_string("iso:strict") for column in moments)
    return frame.select(pl.struct(pl.all()).struct.json_encode().alias("raw"))["raw"]


def sessions_in(raw: pl.Series, name: str) -> tuple[Sessions, Deviations]:
    deviations = Deviations()
    records = records_in(raw, deviations)
    if broken := deviations.counted.get("not-json"):
        warnings.warn(broken_lines(broken, name), IgnoredInput, stacklevel=3)
    queries = records.filter(pl.col("action").is_null())
    events = records.filter(pl.col("action").is_not_null())
    deviations.queries = len(queries)
    actions = events.group_by("action").len().sort("len", "action", descending=[True, False])
    deviations.actions = dict(actions.rows())
    if records.is_empty():
        raise BadFile.because(name, "holds no UBI queries (user_query) and no events (action_name)")
    note_times(records, deviations)
    interactions = relevant(events, deviations)
    shown = shown_in(queries, interactions, deviations)
    if shown.is_empty():
        raise BadFile.because(name, "no query says what was shown: neither query_response_hit_ids nor impression events")
    clicks = interactions.filter(pl.col("action").is_in(CLICKS))
    return sessions_in_table(with_clicks(with_facts(shown, queries, events, deviations), clicks, deviations)), deviations


def broken_lines(broken: Deviation, name: str) -> str:
    more = f"; so are {broken.cases - 1:,} more lines" if broken.cases > 1 else ""
    return f"{name}, line {broken.line:,}: is no JSON object and left out{more}"


def note_times(records: pl.DataFrame, deviations: Deviations) -> None:
    number = pl.col("time").cast(pl.Float64, strict=False).is_not_null()
    deviations.note("no-timestamp", records.filter(pl.col("time").is_null()))
    deviations.note("unreadable-timestamp", records.filter(pl.col("time").is_not_null() & pl.col("seconds").is_null()))
    deviations.note("number-timestamp", records.filter(number))


def relevant(events: pl.DataFrame, deviations: Deviations) -> pl.DataFrame:
    """Impressions and clicks that belong to a query, each once, with document and ordinal."""
    deviations.note("session-in-attributes", events.filter(pl.col("session").is_null() & pl.col("inner_session").is_not_null()))
    interactions = events.filter(pl.col("action").is_in(["impression", *CLICKS]))
    deviations.note("repeated-event", interactions.filter(~pl.col("raw").is_first_distinct()))
    interactions = interactions.filter(pl.col("raw").is_first_distinct())
    deviations.note("click-through", interactions.filter(pl.col("action") == "click_through"))
    deviations.note("no-query-id", interactions.filter(pl.col("query_id").is_null()))
    interactions = interactions.filter(pl.col("query_id").is_not_null())
    deviations.note("no-object-id", interactions.filter(pl.col("document").is_null()))
    deviations.note("flat-position", interactions.filter(pl.col("flat")))
    deviations.note("ordinal-elsewhere", interactions.filter(pl.col("ordinal").is_null() & pl.col("stray_ordinal").is_not_null()))
    return interactions.with_columns(ordinal=pl.coalesce("ordinal", "stray_ordinal"))


def shown_in(queries: pl.DataFrame, interactions: pl.DataFrame, deviations: Deviations) -> pl.DataFrame:
    """One row per document shown: query_id, document, rank."""
    deviations.note("no-query-id", queries.filter(pl.col("query_id").is_null()))
    identified = queries.filter(pl.col("query_id").is_not_null())
    deviations.note("repeated-query", identified.filter(~pl.col("query_id").is_first_distinct()))
    hits = hits_of(identified, deviations)
    impressions = impressions_of(interactions, deviations)
    responded = impressions.join(hits, on="query_id", how="semi")
    deviations.note("impression-beyond-hits", responded.join(hits, on=["query_id", "document"], how="anti"))
    others = impressions.join(hits, on="query_id", how="anti")
    deviations.note("no-ordinal", others.filter(pl.col("ordinal").is_null()))
    others = others.sort("ordinal", "line", nulls_last=True).with_columns(rank=pl.int_range(pl.len()).over("query_id"))
    return pl.concat([hits, others.select("query_id", "document", "rank")])


def hits_of(queries: pl.DataFrame, deviations: Deviations) -> pl.DataFrame:
    counting = last_of(queries.filter(pl.col("hits").list.len() > 0)).select("query_id", "hits", "line")
    rows = counting.explode("hits").rename({"hits": "document"})
    again = ~pl.struct("query_id", "document").is_first_distinct()
    deviations.note("repeated-hit", rows.filter(again))
    return rows.filter(~again).select("query_id", "document", rank=pl.int_range(pl.len()).over("query_id"))


def last_of(records: pl.DataFrame) -> pl.DataFrame:
    return records.sort("seconds", "line", nulls_last=False).unique("query_id", keep="last", maintain_order=True)


def impressions_of(interactions: pl.DataFrame, deviations: Deviations) -> pl.DataFrame:
    rows = interactions.filter((pl.col("action") == "impression") & pl.col("document").is_not_null())
    again = ~pl.struct("query_id", "document").is_first_distinct()
    deviations.note("repeated-impression", rows.filter(again))
    return rows.filter(~again).select("query_id", "document", "ordinal", "line")


def with_facts(shown: pl.DataFrame, queries: pl.DataFrame, events: pl.DataFrame, deviations: Deviations) -> pl.DataFrame:
    """The documents shown, with their query's text, session, user and time."""
    identified = queries.filter(pl.col("query_id").is_not_null())
    texts = identified.group_by("query_id").agg(pl.col("text").n_unique(), pl.col("line").min())
    deviations.note("two-texts", texts.filter(pl.col("text") > 1))
    record = identified.with_columns(showing=pl.col("hits").list.len().fill_null(0) > 0)
    record = record.sort("showing", "seconds", "line", nulls_last=False).unique("query_id", keep="last", maintain_order=True)
    record = record.select(
        "query_id", text="text", asked="seconds", asker=pl.coalesce("user", "client"), visit="session", client="client"
    )
    of_events = events.filter(pl.col("query_id").is_not_null()).group_by("query_id", maintain_order=True)
    by_query = of_events.agg(
        event_text=pl.col("text").drop_nulls().first(),
        session=pl.coalesce("session", "inner_session").drop_nulls().first(),
        event_client=pl.col("client").drop_nulls().first(),
        user=pl.col("user").drop_nulls().first(),
        seen=pl.col("seconds").filter(pl.col("action") == "impression").min(),
        line=pl.col("line").min(),
    )
    ids = pl.concat([identified.select("query_id"), by_query.select("query_id")]).unique()
    deviations.note("nothing-shown", ids.join(shown, on="query_id", how="anti"))
    deviations.note("no-query-record", by_query.join(identified, on="query_id", how="anti"))
    facts = shown.select("query_id").unique(maintain_order=True).join(record, on="query_id", how="left", maintain_order="left")
    facts = facts.join(by_query, on="query_id", how="left", maintain_order="left")
    text = pl.coalesce("text", "event_text")
    deviations.note("no-user-query", facts.filter(text.is_null()))
    facts = facts.select(
        "query_id",
        query=pl.coalesce(text, "query_id"),
        session=pl.coalesce("visit", "session", "client", "event_client", "query_id"),
        user=pl.coalesce("user", "asker", "client", "event_client"),
        asked=pl.coalesce("asked", "seen"),
    )
    return shown.join(facts, on="query_id", how="left", maintain_order="left")


def with_clicks(shown: pl.DataFrame, clicks: pl.DataFrame, deviations: Deviations) -> pl.DataFrame:
    """The documents shown, with their clicks, as `sessions_of` takes them."""
    answered = clicks.join(shown, on="query_id", how="semi")
    deviations.note("click-of-nothing-shown", clicks.join(shown, on="query_id", how="anti"))
    elsewhere = answered.join(shown, on=["query_id", "document"], how="anti")
    deviations.note("click-elsewhere", elsewhere.filter(pl.col("document").is_not_null()))
    counts = answered.filter(pl.col("document").is_not_null()).group_by("query_id", "document")
    per_document = counts.agg(clicks=pl.len().cast(pl.Int64), first=pl.col("seconds").min(), line=pl.col("line").min())
    rows = shown.join(per_document, on=["query_id", "document"], how="left", maintain_order="left")
    rows = rows.join(elsewhere.group_by("query_id").agg(elsewhere=pl.len()), on="query_id", how="left", maintain_order="left")
    early = (pl.col("first") < pl.col("asked")).fill_null(value=False)
    deviations.note("click-before-query", rows.filter(early))
    return rows.select(
        "query",
        "document",
        "rank",
        "session",
        "user",
        impression="query_id",
        clicks=pl.col("clicks").fill_null(0),
        seconds=pl.when(~early).then(pl.col("first") - pl.col("asked")),
        order=pl.col("first").rank("dense").over("query_id").fill_null(0).cast(pl.Int64),
        elsewhere=pl.col("elsewhere").fill_null(0),
    )
