"""Items of a study: how far the votes on each agree."""

from typing import Any

import polars as pl

from ireval import item_agreement
from metrics.kinds.quality.evidence import Evidence
from metrics.kinds.studies import ROWS
from metrics.pipeline import Findings

# Most doubtful first: votes that agree least, then those that lie furthest apart.
DOUBTFUL = ["agreement", "entropy", "spread", "n"]
BY_TOPIC = [pl.col("topic").cast(pl.Int64, strict=False), pl.col("topic"), pl.col("docno")]  # 2 before 10
COLUMNS: dict[str, Any] = {
    "item": pl.Int64, "topic": pl.String, "docno": pl.String, "n": pl.Int64, "agreement": pl.Float64, "entropy": pl.Float64,
    "spread": pl.Int64, "votes": pl.List(pl.Int64),
}  # fmt: skip


def items(evidence: Evidence) -> Findings:
    """One row per item that has a vote (COLUMNS), the most doubtful first; `votes` counts each grade, the lowest first."""
    if evidence.votes.is_empty():
        return Findings({"items": 0, "several": 0, "single": 0, "unanimous": 0}, {ROWS: pl.DataFrame(schema=COLUMNS)})
    labels = evidence.labels
    votes = pl.DataFrame({"item": [int(key) for key in labels.items], "votes": labels.counts.tolist()})
    agreeing = item_agreement(labels).with_columns(pl.col("item").cast(pl.Int64))
    named = evidence.votes.group_by("item", "topic", "docno").agg(spread=pl.col("grade").max() - pl.col("grade").min())
    table = (
        agreeing.join(votes, on="item").join(named, on="item").select(pl.col(name).cast(kind) for name, kind in COLUMNS.items())
    )
    falling = [False, True, True, True, False, False, False]
    table = table.sort(*DOUBTFUL, *BY_TOPIC, descending=falling, nulls_last=True)
    several = table.filter(pl.col("n") > 1)
    unanimous = several.filter(pl.col("agreement") == 1).height
    single = table.height - several.height
    return Findings({"items": table.height, "several": several.height, "single": single, "unanimous": unanimous}, {ROWS: table})
