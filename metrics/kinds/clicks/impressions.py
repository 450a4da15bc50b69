"""Impressions of a site: what each search showed, and what was clicked of it; one part of the users at a time.

A part holds the searches of its users and all clicks on them, whomever the clicks name. A server may log a search by its user
while the browser logs the clicks by its client.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import polars as pl
from django.db import transaction

from ireval.clicks.ubi import CLICKS
from metrics.logs.bots import Filter, programs
from metrics.logs.frames import EVENTS, QUERIES, Window, frame, hits, in_micros, in_part, names_results, on_postgresql, source

# Who searched; a search that names nobody is a unit of its own.
UNIT = "coalesce(person, client, session, query)"
# Results further down say little, and would crowd out all others if a site sends a thousand of them a search.
DEPTH = 50
# What a record of a search says of its results: nothing, that there were none, and any other number which.
UNSAID, EMPTY = 0, 1
WIDE, TEXT = pl.Int64, pl.String
ASKED: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("impression", "unit", "session", "user", "time"), WIDE),
    "query": TEXT,
    "showing": WIDE,
}
SHOWN: dict[str, pl.DataType | type[pl.DataType]] = {
    "impression": pl.Int64,
    "query": pl.String,
    "session": pl.Int64,
    "user": pl.Int64,
    "elsewhere": pl.Int32,
    "document": pl.List(pl.String),
    "clicks": pl.List(pl.Int32),
    "seconds": pl.List(pl.Float32),
    "order": pl.List(pl.Int32),
}


class Impressions(NamedTuple):
    """Impressions of one part: `shown` has one row each (SHOWN), `counts` says how many searches were read and left out.

    `days` has one row per day (UTC), by DAY.
    """

    counts: dict[str, int]
    days: pl.DataFrame
    shown: pl.DataFrame


# Of the searches of people on a day: how many there were, of how many units; how many showed anything, and how many of these
# got a click on the first ten, or none at all; how many say that there was nothing to show.
DAY = ("searches", "units", "shown", "clicked", "abandoned", "empty")


def squeezed(text: pl.Expr) -> pl.Expr:
    """The text in small letters with single blanks: queries and topic titles that are equal by it are the same.

    >>> pl.select(squeezed(pl.lit("  Diet  of OWLS "))).item()
    'diet of owls'
    """
    return text.str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars(" ")


def impressions(window: Window, filter_: Filter) -> Impressions:
    """Read what the part's searches showed, without those of programs."""
    searches = latest(search_records(window))
    gone = programs(window, filter_)
    kept = searches.filter(~pl.col("unit").is_in(gone.implode()))
    listed = shown_by(window)
    clicked = clicks_on(window)
    counts = {
        "searches": len(searches),
        "units": searches["unit"].n_unique(),
        "clicks": len(clicked),
        "programs": len(gone),
        "kept": len(kept),
        "silent": len(kept.join(listed, on="impression", how="anti")),
        "deep": len(kept.join(listed.filter(pl.col("rank") > DEPTH), on="impression", how="semi")),
    }
    shown = listed.filter(pl.col("rank") <= DEPTH).join(kept, on="impression", how="inner")
    return Impressions(counts, by_day(kept, listed, clicked), as_impressions(with_clicks(shown, clicked)))


def by_day(searches: pl.DataFrame, listed: pl.DataFrame, clicked: pl.DataFrame) -> pl.DataFrame:
    """One row per day with DAY."""
    first_ten = listed.filter(pl.col("rank") <= 10).join(clicked, on=["impression", "object"], how="semi")
    of_each = searches.select(
        "unit",
        day=pl.from_epoch("time", time_unit="us").dt.strftime("%Y-%m-%d"),
        is_shown=pl.col("impression").is_in(listed["impression"].implode()),
        is_clicked=pl.col("impression").is_in(first_ten["impression"].implode()),
        is_left=~pl.col("impression").is_in(clicked["impression"].implode()),
        says="showing",
    )
    counted = of_each.group_by("day").agg(
        searches=pl.len(),
        units=pl.col("unit").n_unique(),
        shown=pl.col("is_shown").sum(),
        clicked=(pl.col("is_shown") & pl.col("is_clicked")).sum(),
        abandoned=(pl.col("is_shown") & pl.col("is_left")).sum(),
        empty=((pl.col("says") == EMPTY) & ~pl.col("is_shown")).sum(),
    )
    return counted.sort("day")


def shown_by(window: Window) -> pl.DataFrame:
    """One row per document shown: impression, object, rank.

    The result ids of a search count; where it sends none, its impression events do.
    """
    listed = hits(window).rename({"query": "impression"})
    return pl.concat([listed, from_impression_events(window).join(listed, on="impression", how="anti")])


def search_records(window: Window) -> pl.DataFrame:
    """One row per record of a search, by ASKED."""
    return frame(
        f"SELECT query, {UNIT}, coalesce(session, client, person, query), coalesce(person, client), {in_micros()}, text,"  # noqa: S608  texts of ours
        f" CASE WHEN hits IS NULL THEN {UNSAID} WHEN {names_results()} THEN 2 ELSE {EMPTY} END FROM {QUERIES}"
        f" WHERE {window.condition} AND query IS NOT NULL AND {in_part(window)}",
        [*window.values, *window.bits],
        ASKED,
    )


def latest(records: pl.DataFrame) -> pl.DataFrame:
    """One row per search: its last record that says what was shown, else its last record."""
    searches = records.sort("showing", "time", "query").unique("impression", keep="last", maintain_order=True)
    return searches.with_columns(squeezed(pl.col("query")))


def from_impression_events(window: Window) -> pl.DataFrame:
    """One row per document of searches that send no result ids: impression, object, rank by their impression events."""
    silent = (
        f"SELECT query FROM {QUERIES} WHERE {window.condition} AND ({names_results()}) IS NOT TRUE"  # noqa: S608  texts of ours
        f" AND query IS NOT NULL AND {in_part(window)}"
    )
    records = joined(
        f"SELECT query, object, ordinal, {in_micros()} FROM {EVENTS}"  # noqa: S608  texts of ours
        f" WHERE {window.condition} AND action = 'impression' AND object <> '' AND query IN ({silent})",
        [*window.values, *window.values, *window.bits],
        {"impression": WIDE, "object": TEXT, "ordinal": WIDE, "time": WIDE},
    )
    first = records.sort("ordinal", "time", "object", nulls_last=True).unique(
        ["impression", "object"], keep="first", maintain_order=True
    )
    ranked = first.with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("impression"))
    return ranked.select("impression", "object", "rank")


def clicks_on(window: Window) -> pl.DataFrame:
    """One row per click on one of the part's searches: impression, object, time."""
    searches = f"SELECT query FROM {QUERIES} WHERE {window.condition} AND query IS NOT NULL AND {in_part(window)}"  # noqa: S608
    return joined(
        f"SELECT query, object, {in_micros()} FROM {EVENTS} WHERE {window.condition}"  # noqa: S608  texts of ours
        f" AND action IN ({', '.join(map(repr, CLICKS))}) AND query IN ({searches})",
        [*window.values, *window.values, *window.bits],
        {"impression": WIDE, "object": TEXT, "clicked": WIDE},
    )


def joined(sql: str, values: Sequence[Any], schema: dict[str, type[pl.DataType]]) -> pl.DataFrame:
    """Read a join of events and searches in columns of the schema.

    PostgreSQL takes tables that were filled since it last counted for small. It would compare every event with every search.
    """
    with transaction.atomic(using=source().alias):
        if on_postgresql():
            source().cursor().execute("SET LOCAL enable_nestloop = off")
        return frame(sql, values, schema)


def with_clicks(shown: pl.DataFrame, clicked: pl.DataFrame) -> pl.DataFrame:
    """One row per document shown, with its clicks, in the columns that `sessions_of` takes."""
    of_each = clicked.group_by("impression", "object").agg(clicks=pl.len().cast(pl.Int32), first=pl.col("clicked").min())
    rows = shown.join(of_each, on=["impression", "object"], how="left")
    elsewhere = clicked.join(shown, on=["impression", "object"], how="anti")
    rows = rows.join(elsewhere.group_by("impression").agg(elsewhere=pl.len().cast(pl.Int32)), on="impression", how="left")
    early = (pl.col("first") < pl.col("time")).fill_null(value=False)
    return rows.with_columns(
        pl.col("clicks", "elsewhere").fill_null(0),
        seconds=pl.when(~early).then((pl.col("first") - pl.col("time")) / 1e6).cast(pl.Float32),
        order=pl.col("first").rank("dense").over("impression").fill_null(0).cast(pl.Int32),
    )


def as_impressions(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per impression, its documents from the top."""
    listed = ("document", "clicks", "seconds", "order")
    by_impression = rows.rename({"object": "document"}).sort("impression", "rank").group_by("impression", maintain_order=True)
    alike = [pl.col(name).first() for name in SHOWN if name not in {"impression", *listed}]
    return by_impression.agg(*alike, *listed).select(pl.col(name).cast(kind) for name, kind in SHOWN.items())
