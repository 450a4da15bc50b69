"""Pooling: the documents that any of several systems ranked high, each once, to be judged."""

from collections.abc import Iterable

import polars as pl

POOL_SCHEMA = {"topic": pl.String, "docno": pl.String, "runs": pl.UInt32, "best_rank": pl.Int32}


def pool(runs: Iterable[pl.DataFrame | pl.LazyFrame], depth: int) -> pl.DataFrame:
    """The first `depth` documents of every run, as TREC pools them (Spärck Jones and van Rijsbergen, 1975).

    `runs` have topic, docno and rank, as read_run and scan_run return them. Returns topic, docno, runs (how many have it that
    high) and best_rank, by topic, then best rank, then docno; no runs give no rows. Raises ValueError for a depth below 1.

    >>> first = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"], "rank": [1, 2]})
    >>> second = pl.DataFrame({"topic": ["1", "1"], "docno": ["b", "c"], "rank": [1, 2]})
    >>> pool([first, second], depth=2).rows()
    [('1', 'a', 1, 1), ('1', 'b', 2, 1), ('1', 'c', 1, 2)]
    """
    if depth < 1:
        raise ValueError(f"the depth of a pool is {depth}; expected at least 1")
    tops = [top(run.lazy(), depth) for run in runs]
    if not tops:
        return pl.DataFrame(schema=POOL_SCHEMA)
    return (
        pl.concat(tops)
        .group_by("topic", "docno")
        .agg(runs=pl.len().cast(pl.UInt32), best_rank=pl.col("rank").min())
        .sort("topic", "best_rank", "docno")
    )


def top(run: pl.LazyFrame, depth: int) -> pl.DataFrame:
    return run.filter(pl.col("rank") <= depth).select("topic", "docno", pl.col("rank").cast(pl.Int32)).collect()
