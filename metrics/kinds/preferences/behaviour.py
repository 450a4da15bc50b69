"""Behaviour of workers before they answered: what they opened, how long they looked, how far down they went."""

from typing import Any

import numpy as np
import polars as pl
from django.utils.translation import gettext_lazy as _

from ireval.io.plain import plain
from ireval.significance.clusters import clustered_share
from metrics.kinds.preferences.evidence import Evidence
from metrics.pipeline import Findings

SIDES = ("left", "right")
MEASURED = {"opens": _("opened more often"), "dwell": _("looked at for longer"), "deepest": _("looked at further down")}


def behaviour(evidence: Evidence) -> Findings:
    """Means by side and by system, over the answers in which anything was done, and how often the list used more is preferred."""
    answers = evidence.oriented.with_row_index("answer")
    lists = by_list(answers)
    return Findings({
        "answers": lists["answer"].n_unique(),
        "votes": answers.height,
        "sides": means(lists, "side"),
        "systems": means(lists, "system"),
        "preferred": plain([{"what": what, **preferred(answers, lists, what, evidence.confidence)} for what in MEASURED]),
    })  # fmt: skip


def by_list(answers: pl.DataFrame) -> pl.DataFrame:
    """One row per answer and side: opens, dwell (seconds), deepest (place from 1) and system.

    Answers in which nothing was done are left out.
    """
    done = (
        answers.select("answer", "seconds", "interactions")
        .explode("interactions")
        .drop_nulls("interactions")
        .unnest("interactions")
    )
    counts = done.group_by("answer", "side").agg(opens=(pl.col("what") == "open").sum(), deepest=pl.col("rank").max())
    sides = pl.DataFrame({"side": SIDES})
    every = done.select("answer").unique().join(sides, how="cross").join(counts, on=["answer", "side"], how="left")
    every = every.join(dwell(done), on=["answer", "side"], how="left").with_columns(
        pl.col("opens", "deepest").fill_null(0).cast(pl.Int64), pl.col("dwell").fill_null(0.0)
    )
    names = answers.select("answer", "left", "right").unpivot(on=SIDES, index="answer", variable_name="side", value_name="system")
    return every.join(names, on=["answer", "side"]).sort("answer", "side")


def dwell(done: pl.DataFrame) -> pl.DataFrame:
    """One row per answer and side: dwell, the seconds from opening a result to closing it, or to the answer."""
    opened = done.filter(pl.col("what").is_in(["open", "close"])).sort("answer", "milliseconds", maintain_order=True)
    until = pl.col("milliseconds").shift(-1).over("answer").fill_null(1000 * pl.col("seconds"))
    lasting = opened.with_columns(dwell=(until - pl.col("milliseconds")).clip(0) / 1000).filter(pl.col("what") == "open")
    return lasting.group_by("answer", "side").agg(pl.col("dwell").sum())


def means(lists: pl.DataFrame, by: str) -> list[dict[str, Any]]:
    """One row per side or system: name, n (answers), the share of answers with an opened result, and mean counts."""
    shown = lists.group_by(by).agg(
        n=pl.len(),
        opened=(pl.col("opens") > 0).mean(),
        opens=pl.col("opens").mean(),
        dwell=pl.col("dwell").mean(),
        deepest=pl.col("deepest").mean(),
    )
    return shown.rename({by: "name"}).sort("name").to_dicts()


def preferred(answers: pl.DataFrame, lists: pl.DataFrame, what: str, confidence: float) -> dict[str, Any]:
    """How often the preferred list is the one with more of `what`, over decided answers whose lists differ in it.

    `share` is a cluster-robust estimate by topics and workers; None where there is no such answer.
    """
    wide = lists.pivot("side", index="answer", values=what)
    wide = wide if wide.width == 3 else pl.DataFrame(schema={"answer": pl.UInt32, "left": pl.Float64, "right": pl.Float64})
    chosen = answers.filter(pl.col("winner").is_in(SIDES)).select("answer", "winner", "topic", "worker")
    both = chosen.join(wide, on="answer").filter(pl.col("left") != pl.col("right"))
    if both.is_empty():
        return {"n": 0, "preferred": 0, "share": None}
    hits = ((both["left"] > both["right"]) == (both["winner"] == "left")).to_numpy().astype(np.float64)
    share = float(hits.mean())
    clusters = {by: both[by].rank("dense").to_numpy().astype(np.int64) - 1 for by in ("topic", "worker")}
    estimate = clustered_share(share, (hits - share) / len(hits), clusters, confidence=confidence)
    return {"n": len(hits), "preferred": int(hits.sum()), "share": estimate}
