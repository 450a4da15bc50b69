"""Pooling: the documents that any of several systems ranked high, each once, to be judged."""

import os
from collections.abc import Iterable, Mapping

import polars as pl

from ireval.io.arguments import require_count
from ireval.io.cells import shown
from ireval.io.files import BadInput
from ireval.io.frames import Source, as_run, names_in

POOL_SCHEMA = {"topic": pl.String, "docno": pl.String, "runs": pl.UInt32, "best_rank": pl.Int32}


def pool(runs: Iterable[Source] | Mapping[str, Source], depth: int) -> pl.DataFrame:
    """The first `depth` documents of every run, as TREC pools them (Spärck Jones and van Rijsbergen, 1975).

    `runs` are a list of what as_run takes, or {name: run}. Documents with equal scores come in trec_eval's order, by docno from
    the last to the first; a run from `read_run(path, ties=…)` keeps its own. Returns topic, docno, runs (how many rank it within
    `depth`) and best_rank, sorted by topic, best rank and docno; no runs give no rows. Raises BadInput for a depth below 1 and a
    run without a list around it. For an invalid run it gives the run's name or number, the row, the column and the remedy.

    >>> pool([{"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 0.9, "c": 0.8}}], depth=2).rows()
    [('1', 'a', 1, 1), ('1', 'b', 2, 1), ('1', 'c', 1, 2)]
    """
    require_count("the depth of a pool", depth)
    if isinstance(runs, str | os.PathLike) or names_in(runs) is not None or not isinstance(runs, Iterable) or is_keyed_run(runs):
        raise BadInput(f"runs are {shown(runs)}; expected a list of runs or {{name: run}}, such as [run] for a single one")
    named = runs.items() if isinstance(runs, Mapping) else ((f"run {number}", run) for number, run in enumerate(runs, start=1))
    tops = [top(as_run(run, name=str(name)).lazy(), depth) for name, run in named]
    if not tops:
        return pl.DataFrame(schema=POOL_SCHEMA)
    return (
        pl.concat(tops)
        .group_by("topic", "docno")
        .agg(runs=pl.len().cast(pl.UInt32), best_rank=pl.col("rank").min())
        .sort("topic", "best_rank", "docno")
    )


def is_keyed_run(runs: object) -> bool:
    """Whether it is one run, {topic: {docno: score}}, and not {name: run}."""
    documents = [part for part in runs.values() if isinstance(part, Mapping)] if isinstance(runs, Mapping) else []
    return any(not isinstance(value, Mapping) for part in documents for value in part.values())


def top(run: pl.LazyFrame, depth: int) -> pl.DataFrame:
    return run.filter(pl.col("rank") <= depth).select("topic", "docno", pl.col("rank").cast(pl.Int32)).collect()
