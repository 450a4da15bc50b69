"""Pooling."""

import polars as pl


def pool(runs, depth):
    """The union of the best `depth` documents of every run."""
    top = pl.concat([run.filter(pl.col("rank") <= depth).select("topic", "docno", "rank") for run in runs])
    return top.group_by("topic", "docno").agg(runs=pl.len(), best_rank=pl.col("rank").min()).sort("topic", "docno")
