"""Items of a study: how far the votes on each agree."""

from typing import Any

import polars as pl

from ireval import item_agreement
from judging.models import Item, Study
from metrics.kinds.quality.evidence import Evidence
from metrics.kinds.studies import ROWS, in_order, rows
from metrics.models import Report
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


def item_rows(report: Report, *, topic: str = "", order: str = "") -> pl.DataFrame:
    """The items of a topic, or of all; sorted by a column, falling after a minus, else as they are stored."""
    frame = rows(report, "items")
    if topic:
        frame = frame.filter(pl.col("topic") == topic)
    return in_order(frame, order, ties=BY_TOPIC) if order.removeprefix("-") in {"topic", "docno", *DOUBTFUL} else frame


def doubtful(frame: pl.DataFrame) -> pl.DataFrame:
    """The items whose votes differ."""
    return frame.filter(pl.col("agreement") < 1)


def with_items(study: Study, frame: pl.DataFrame) -> list[tuple[dict[str, Any], Item, list[tuple[int, int]]]]:
    """Each row with its item and its votes as pairs of (grade, how many)."""
    items = Item.objects.select_related("topic", "document").defer("document__text").in_bulk(frame["item"].to_list())
    grades = sorted(study.grades)
    return [
        (row, items[row["item"]], [(grade, count) for grade, count in zip(grades, row["votes"], strict=True) if count])
        for row in frame.iter_rows(named=True)
    ]
