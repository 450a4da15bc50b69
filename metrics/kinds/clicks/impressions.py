"""Impressions of a site: what each search showed, and what was clicked of it; one part of the users at a time.

A part holds the searches of its users and all clicks on them, whomever the clicks name. A server may log a search by its user
while the browser logs the clicks by its client.
"""

from typing import NamedTuple

import polars as pl

from judging.logs.archive.selections import Rows
from metrics.logs.bots import Filter, programs
from metrics.logs.frames import CLICKED, Window, hits

# Who searched; a search that names nobody is a unit of its own.
UNIT = "coalesce(person, client, session, query)"
# Results further down say little, and would crowd out all others if a site sends a thousand of them a search.
DEPTH = 50
# What a record of a search says of its results: nothing, that there were none, and any other number which.
UNSAID, EMPTY = 0, 1
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


# What is counted of the searches of people on a day: how many there were, and of how many units. Then how many showed anything,
# and how many of these got a click on the first ten, or none at all. Last, how many say that there was nothing to show.
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
    """One row per record of a search: impression, unit, session, user, time, query (its text), showing."""
    return window.ask(
        f"SELECT query AS impression, {UNIT} AS unit, coalesce(session, client, person, query) AS session,"  # noqa: S608
        " coalesce(person, client) AS user, time, text AS query,"
        f" CASE WHEN hits IS NULL THEN {UNSAID} WHEN len(hits) > 0 THEN 2 ELSE {EMPTY} END AS showing"
        " FROM queries WHERE queries.query IS NOT NULL",
        queries=window.here,
    )


def latest(records: pl.DataFrame) -> pl.DataFrame:
    """One row per search: its last record that says what was shown, else its last record."""
    searches = records.sort("showing", "time", "query").unique("impression", keep="last", maintain_order=True)
    return searches.with_columns(squeezed(pl.col("query")))


def from_impression_events(window: Window) -> pl.DataFrame:
    """One row per document of searches that send no result ids: impression, object, rank by their impression events."""
    records = window.ask(
        "SELECT query AS impression, object, ordinal, time FROM events WHERE object <> ''"
        " AND query IN (SELECT query FROM queries WHERE len(hits) > 0 IS NOT TRUE)",
        queries=window.here,
        events=Rows("action = 'impression'"),
    )
    first = records.sort("ordinal", "time", "object", nulls_last=True).unique(
        ["impression", "object"], keep="first", maintain_order=True
    )
    ranked = first.with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("impression"))
    return ranked.select("impression", "object", "rank")


def clicks_on(window: Window) -> pl.DataFrame:
    """One row per click on one of the part's searches: impression, object, time."""
    return window.ask(
        "SELECT query AS impression, object, time AS clicked FROM events WHERE query IN (SELECT query FROM queries)",
        queries=window.here,
        events=Rows(CLICKED),
    )


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
