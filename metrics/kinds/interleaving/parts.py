"""The report of interleaving: each part credits its units' impressions, and all impressions together are compared."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from ireval.interleaving.analysis import By, Multileaving, compare_multileaved
from ireval.interleaving.credit import ROUNDING
from ireval.interleaving.credit_files import Credits
from ireval.interleaving.credit_scores import scored
from ireval.io.plain import plain
from judging.logs.moments import micros
from metrics.kinds.interleaving.evidence import plan
from metrics.logs.bots import from_spec, programs
from metrics.logs.cluster import Tally
from metrics.logs.frames import Window, clicks, window_of
from metrics.logs.kind import log_kind
from metrics.models import Report
from metrics.pipeline import Findings

MOST_QUERIES = 500
LISTS_A_PIECE = 100_000

MADE = pl.Struct(
    {
        "method": pl.String,
        "arms": pl.List(pl.String),
        "shares": pl.List(pl.List(pl.Float64)),
        "places": pl.List(pl.List(pl.Int32)),
    }
)
CREDITED = {"impression": pl.Int64, "unit": pl.Int64, "query": pl.String, "time": pl.Int64, "clicks": pl.Int64}


def part(report: Report, number: int, parts: int) -> tuple[dict[str, Any], pl.DataFrame]:
    """Counts, and one row per impression: unit, query (its text), time, clicks, and each arm's credit by its number."""
    assert report.experiment and report.as_of and report.experiment.started
    window = window_of(report.experiment, report.as_of).part(number, parts)
    clicked = clicks(window).select(impression="query", document="object")
    shown = impressions(window, report, clicked)
    gone = programs(window, from_spec(report.spec["bots"]))
    kept = shown.filter(~pl.col("unit").is_in(gone.implode()))
    counts = {
        "impressions": len(shown), "units": shown["unit"].n_unique(), "kept": len(kept), "bots": len(gone),
        "clicks": len(clicked.join(kept, on="impression", how="semi")),
    }  # fmt: skip
    return counts, kept.drop("impression")


def impressions(window: Window, report: Report, clicked: pl.DataFrame) -> pl.DataFrame:
    """One row per merged list that was shown, with the credit of each arm.

    How lists were made takes much memory, so a few units are read at a time.
    """
    pieces = window.pieces(LISTS_A_PIECE)
    lists = pl.concat(credited(as_shown(piece, report), clicked, report.spec["arms"]) for piece in pieces)
    return lists.sort("time", maintain_order=True).unique("impression", keep="first", maintain_order=True)


def as_shown(window: Window, report: Report) -> pl.DataFrame:
    """One row per merged list: impression, unit, time, query in small letters, hits, and how it was made."""
    assert report.experiment and report.experiment.started
    records = window.ask(
        f"SELECT query AS impression, {window.unit} AS unit, time, text AS query, hits, made FROM queries"  # noqa: S608
        " WHERE arms[$1] IS NOT NULL AND query IS NOT NULL AND len(hits) > 0 AND made IS NOT NULL AND time >= $2"
        " ORDER BY time, received, identity",
        [report.experiment.name, micros(report.experiment.started)],
        queries=window.here,
    )
    return (
        records.with_columns(
            query=pl.col("query").str.to_lowercase().str.strip_chars(), made=pl.col("made").str.json_decode(MADE)
        )
        .filter(pl.col("made").struct.field("shares").list.len() == pl.col("hits").list.len())
        .unique("impression", keep="first", maintain_order=True)
    )


def credited(shown: pl.DataFrame, clicks: pl.DataFrame, arms: Sequence[str]) -> pl.DataFrame:
    """One row per impression: CREDITED, and the credit of each arm by its number."""
    credits = [f"credit_{number}" for number in range(len(arms))]
    if shown.is_empty():
        return pl.DataFrame(schema={**CREDITED, **dict.fromkeys(credits, pl.Float64)})
    made = shown.select("impression", pl.col("hits").alias("document"), pl.col("made").struct.unnest())
    orders = [laid_out(rows, order, arms) for (order,), rows in made.group_by("arms", maintain_order=True)]
    rows = pl.concat(orders).with_columns(rank=pl.int_range(pl.len()).over("impression"))
    once = rows.unique(["impression", "document"], keep="first", maintain_order=True)
    scores = shown.select("impression", "unit", "query", "time").join(scored(once, clicks), on="impression")
    return scores.select(*CREDITED, *credits)


def laid_out(made: pl.DataFrame, order: Sequence[str], arms: Sequence[str]) -> pl.DataFrame:
    """One row per document, with each arm's share and place; all these lists name the arms in the same order."""
    rows = made.explode("document", "shares", "places")
    columns = []
    for number, arm in enumerate(arms):
        place = list(order).index(arm) if arm in order else len(order)
        columns.append(pl.col("shares").list.get(place, null_on_oob=True).fill_null(0).alias(f"share_{number}"))
        columns.append(pl.col("places").list.get(place, null_on_oob=True).alias(f"depth_{number}"))
    return rows.select("impression", "document", "method", *columns)


def combine(report: Report, parts: Sequence[Tally]) -> Findings:
    """The comparison of all impressions, the same until each look, and counts by query."""
    counts: dict[str, int] = {}
    for sums, _ in parts:
        counts = {name: counts.get(name, 0) + count for name, count in sums.items()}
    rows = pl.concat([rows for _, rows in parts if rows is not None])
    names = rows["query"].unique().sort()
    # In one order, whatever the parts: sums of fractions depend on it in their last digits.
    rows = rows.with_columns((pl.col("unit", "query").rank("dense") - 1).cast(pl.Int64)).sort(pl.all())
    looks = [(look, compared(rows.filter(pl.col("time") < look), report)) for look in report.spec["looks"]]
    queries = by_query(rows, names, report.spec["arms"])
    return Findings(plain({"counts": counts, "whole": compared(rows, report), "looks": looks, "queries": queries}))


INTERLEAVING = log_kind(Report.Kind.INTERLEAVING, plan, part, combine)


def compared(rows: pl.DataFrame, report: Report) -> Multileaving | None:
    """The comparison of every two arms; None where no click gives any arm credit."""
    experiment, arms = report.experiment, report.spec["arms"]
    assert experiment
    credit = {arm: rows[f"credit_{number}"].to_numpy() for number, arm in enumerate(arms)}
    if not any((column > 0).any() for column in credit.values()):
        return None
    by: By = "credit" if report.spec["method"] == "probabilistic" else "wins"
    users, queries, alpha = rows["unit"].to_numpy(), rows["query"].to_numpy(), experiment.alpha
    return compare_multileaved(Credits(users, queries, credit), by=by, confidence=1 - alpha, planned=experiment.planned)


def by_query(rows: pl.DataFrame, names: pl.Series, arms: Sequence[str]) -> pl.DataFrame:
    """One row per query, the MOST_QUERIES asked most often: users, impressions, those with credit, each arm's credit and wins.

    A win is an impression in which the arm alone has most credit. Queries in `rows` are numbers into `names`.
    """
    credits = [f"credit_{number}" for number in range(len(arms))]
    most = pl.max_horizontal(credits)
    alone = pl.sum_horizontal((pl.col(column) >= most - ROUNDING).cast(pl.Int64) for column in credits) == 1
    wins = [(alone & (pl.col(column) >= most - ROUNDING)).sum().alias(f"wins_{number}") for number, column in enumerate(credits)]
    queries = rows.group_by("query").agg(
        pl.col("unit").n_unique().alias("users"),
        pl.len().alias("impressions"),
        (most > 0).sum().alias("credited"),
        *(pl.col(column).sum() for column in credits),
        *wins,
    )
    most_asked = queries.sort("impressions", "query", descending=[True, False]).head(MOST_QUERIES)
    return most_asked.with_columns(query=names.gather(most_asked["query"]))
