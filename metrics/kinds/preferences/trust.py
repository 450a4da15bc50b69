"""The step that looks at workers: whether they favour a side, stay with what they said, agree, and change as they go on."""

from typing import Any

import polars as pl

from ireval import wilson_interval
from ireval.io.plain import plain
from ireval.preferences import consistency, learning, side_bias, vote_agreement
from metrics.kinds.preferences.evidence import Evidence
from metrics.kinds.studies import ROWS
from metrics.pipeline import Findings

COLUMNS: dict[str, Any] = {
    "worker": pl.String, "simulated": pl.Boolean, "answers": pl.Int64, "votes": pl.Int64, "cannot": pl.Int64, "decided": pl.Int64,
    "left": pl.Int64, "side": pl.Float64, "side_low": pl.Float64, "side_high": pl.Float64, "repeats": pl.Int64,
    "consistency": pl.Float64, "compared": pl.Int64, "agreement": pl.Float64, "seconds": pl.Float64,
}  # fmt: skip


def trust(evidence: Evidence) -> Findings:
    """Of the votes together what `python -m ireval preferences` says; of each worker what all that they answered says."""
    table = workers(evidence.answers, evidence.confidence)
    if evidence.votes is None:
        return Findings({"side": None, "consistency": None, "agreement": [], "learning": None}, {ROWS: table})
    side = side_bias(evidence.votes, confidence=evidence.confidence)._asdict()
    side.pop("by_worker")
    found = {
        "side": side,
        "consistency": consistency(evidence.votes, evidence.resampling),
        "agreement": vote_agreement(evidence.votes, evidence.resampling),
        "learning": learning(evidence.votes, confidence=evidence.confidence),
        "seconds": evidence.told["seconds"].median(),
        "seen": seen(evidence.told),
    }
    return Findings(plain(found), {ROWS: table})


def seen(told: pl.DataFrame) -> dict[str, Any]:
    """Before how many votes both lists were on the screen, where it was measured; and how long (seconds) the one seen less."""
    least = told.select(least=pl.min_horizontal("left_seen", "right_seen"), measured=pl.col("left_seen").is_not_null())
    measured = least.filter("measured")["least"]
    return {"votes": told.height, "measured": len(measured), "both": int((measured > 0).sum()), "seconds": measured.median()}


def workers(answers: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """One row per worker who answered anything, whether it counts or not: excluded workers and surplus answers are there."""
    own, mirrored = answers.filter(~pl.col("mirrored")), answers.filter("mirrored")
    decided = pl.col("winner").is_in(["left", "right"])
    chose_left = pl.col("winner") == "left"
    found = own.group_by("worker", maintain_order=True).agg(
        pl.col("simulated").first(),
        answers=pl.len(),
        votes=pl.col("votes").sum(),
        cannot=pl.col("winner").is_null().sum(),
        decided=decided.sum(),
        left=chose_left.sum(),
        seconds=pl.col("seconds").median(),
    )
    found = found.join(stayed(own, mirrored), on="worker", how="left").join(with_the_others(own), on="worker", how="left")
    found = found.with_columns(pl.col("repeats", "compared").fill_null(0), side=pl.col("left") / pl.col("decided"))
    low, high = wilson_interval(found["left"].to_numpy(), found["decided"].to_numpy(), confidence)
    found = found.with_columns(side_low=pl.Series(low, dtype=pl.Float64), side_high=pl.Series(high, dtype=pl.Float64))
    return found.select(pl.col(name).cast(kind) for name, kind in COLUMNS.items()).with_columns(
        pl.selectors.float().fill_nan(None)
    )


def stayed(own: pl.DataFrame, mirrored: pl.DataFrame) -> pl.DataFrame:
    """Of what a worker was asked again with the sides changed round, the share that says the same."""
    again = mirrored.drop_nulls("winner").select("item", "worker", said=system("winner"), then="left")
    first = own.drop_nulls("winner").select("item", "worker", before=system("winner"), was="left")
    both = first.join(again, on=["item", "worker"]).filter(pl.col("then") != pl.col("was"))
    return both.group_by("worker").agg(repeats=pl.len(), consistency=(pl.col("said") == pl.col("before")).mean())


def system(winner: str) -> pl.Expr:
    """The name of the one that was preferred; both bad is a tie, which has none."""
    chosen = pl.when(pl.col(winner) == "left").then("left").when(pl.col(winner) == "right").then("right")
    return chosen.otherwise(pl.lit(""))


def with_the_others(own: pl.DataFrame) -> pl.DataFrame:
    """Of a worker's answers on what others have voted on, the share that is what most of the others say; k that tie count 1/k."""
    answered = own.drop_nulls("winner").select("item", "worker", "votes", choice=system("winner"))
    every = answered.join(answered.filter("votes").select("item", "choice", by="worker"), on="item", suffix="_other")
    counted = every.filter(pl.col("by") != pl.col("worker")).group_by("item", "worker", "choice", "choice_other").agg(n=pl.len())
    lead = counted.filter(pl.col("n") == pl.col("n").max().over("item", "worker"))
    each = lead.group_by("item", "worker").agg(alike=(pl.col("choice") == pl.col("choice_other")).mean())
    return each.group_by("worker").agg(compared=pl.len(), agreement=pl.col("alike").mean())
