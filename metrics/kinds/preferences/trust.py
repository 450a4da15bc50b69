"""Trust in the workers: whether they favour a side, answer repeats the same, agree with others, and change over time."""

from typing import Any

import polars as pl

from ireval import wilson_interval
from ireval.io.plain import plain
from ireval.preferences import consistency, learning, side_bias, vote_agreement
from metrics.kinds.preferences.evidence import Evidence
from metrics.kinds.studies import ROWS, in_order, rows
from metrics.models import Report
from metrics.pipeline import Findings

COLUMNS: dict[str, Any] = {
    "worker": pl.String, "simulated": pl.Boolean, "answers": pl.Int64, "votes": pl.Int64, "cannot": pl.Int64, "decided": pl.Int64,
    "left": pl.Int64, "side": pl.Float64, "side_low": pl.Float64, "side_high": pl.Float64, "repeats": pl.Int64,
    "consistency": pl.Float64, "compared": pl.Int64, "agreement": pl.Float64, "seconds": pl.Float64,
}  # fmt: skip


def trust(evidence: Evidence) -> Findings:
    """Statistics of all votes, as `python -m ireval preferences` gives them, and one row per worker (COLUMNS)."""
    table = workers(evidence.answers, evidence.confidence)
    if evidence.votes is None:
        return Findings({"side": None, "consistency": None, "agreement": [], "learning": None}, {ROWS: table})
    side = side_bias(evidence.votes, confidence=evidence.confidence)._asdict()
    side.pop("by_worker")
    result = {
        "side": side,
        "consistency": consistency(evidence.votes, evidence.resampling),
        "agreement": vote_agreement(evidence.votes, evidence.resampling),
        "learning": learning(evidence.votes, confidence=evidence.confidence),
        "seconds": evidence.oriented["seconds"].median(),
        "seen": screen_times(evidence.oriented),
    }
    return Findings(plain(result), {ROWS: table})


def worker_rows(report: Report, order: str) -> pl.DataFrame:
    """The rows of a report with workers by their keys, sorted by a column, falling after a minus; else by worker."""
    frame = rows(report, "trust").with_columns(pl.col("worker").str.strip_prefix("w").cast(pl.Int64))
    return in_order(frame, order if order.removeprefix("-") in COLUMNS else "worker", ties=[pl.col("worker")])


def screen_times(answers: pl.DataFrame) -> dict[str, Any]:
    """Counts of votes, of those with measured screen times, and of those before which both lists were on the screen.

    `seconds` is the median time that the list seen less was on the screen.
    """
    least = answers.select(least=pl.min_horizontal("left_seen", "right_seen"), measured=pl.col("left_seen").is_not_null())
    measured = least.filter("measured")["least"]
    return {"votes": answers.height, "measured": len(measured), "both": int((measured > 0).sum()), "seconds": measured.median()}


def workers(answers: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """One row per worker who answered anything (COLUMNS), also excluded workers and surplus answers."""
    own, mirrored = answers.filter(~pl.col("mirrored")), answers.filter("mirrored")
    decided = pl.col("winner").is_in(["left", "right"])
    chose_left = pl.col("winner") == "left"
    table = own.group_by("worker", maintain_order=True).agg(
        pl.col("simulated").first(),
        answers=pl.len(),
        votes=pl.col("votes").sum(),
        cannot=pl.col("winner").is_null().sum(),
        decided=decided.sum(),
        left=chose_left.sum(),
        seconds=pl.col("seconds").median(),
    )
    table = table.join(consistency_of(own, mirrored), on="worker", how="left").join(
        agreement_with_others(own), on="worker", how="left"
    )
    table = table.with_columns(pl.col("repeats", "compared").fill_null(0), side=pl.col("left") / pl.col("decided"))
    low, high = wilson_interval(table["left"].to_numpy(), table["decided"].to_numpy(), confidence)
    table = table.with_columns(side_low=pl.Series(low, dtype=pl.Float64), side_high=pl.Series(high, dtype=pl.Float64))
    return table.select(pl.col(name).cast(kind) for name, kind in COLUMNS.items()).with_columns(
        pl.selectors.float().fill_nan(None)
    )


def consistency_of(own: pl.DataFrame, mirrored: pl.DataFrame) -> pl.DataFrame:
    """One row per worker: repeats (with the sides swapped), and the share of them with the same answer."""
    again = mirrored.drop_nulls("winner").select("item", "worker", answer=system("winner"), then="left")
    first = own.drop_nulls("winner").select("item", "worker", before=system("winner"), was="left")
    both = first.join(again, on=["item", "worker"]).filter(pl.col("then") != pl.col("was"))
    return both.group_by("worker").agg(repeats=pl.len(), consistency=(pl.col("answer") == pl.col("before")).mean())


def system(winner: str) -> pl.Expr:
    """The name of the preferred system; empty for a tie, which both bad is too."""
    chosen = pl.when(pl.col(winner) == "left").then("left").when(pl.col(winner) == "right").then("right")
    return chosen.otherwise(pl.lit(""))


def agreement_with_others(own: pl.DataFrame) -> pl.DataFrame:
    """One row per worker: how many answers others voted on too, and the share that agrees with most of the others.

    Where k answers are equally frequent among the others, agreeing with one of them counts 1/k.
    """
    answered = own.drop_nulls("winner").select("item", "worker", "votes", choice=system("winner"))
    every = answered.join(answered.filter("votes").select("item", "choice", by="worker"), on="item", suffix="_other")
    counted = every.filter(pl.col("by") != pl.col("worker")).group_by("item", "worker", "choice", "choice_other").agg(n=pl.len())
    lead = counted.filter(pl.col("n") == pl.col("n").max().over("item", "worker"))
    each = lead.group_by("item", "worker").agg(alike=(pl.col("choice") == pl.col("choice_other")).mean())
    return each.group_by("worker").agg(compared=pl.len(), agreement=pl.col("alike").mean())
