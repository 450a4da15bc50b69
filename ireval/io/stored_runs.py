"""Runs in Parquet files whose topics can be read one at a time, and what a run holds in numbers."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import polars as pl

from ireval.io.believed import believe

# One topic of 1,000 documents is then read from a file of seven million without touching more than a hundredth of it.
ROWS_A_GROUP = 64 * 1024


@dataclass(frozen=True)
class RunFacts:
    """Counts of a run. `shortest` and `deepest` are documents per topic."""

    topics: int
    rows: int
    shortest: int
    deepest: int
    tags: tuple[str, ...]


def write_run(frame: pl.DataFrame, target: str | Path | IO[bytes]) -> None:
    """Write a run as read_run returned it: Parquet, zstd, in row groups small enough to read one topic alone."""
    frame.write_parquet(target, compression="zstd", statistics=True, row_group_size=ROWS_A_GROUP)


def read_run_parquet(
    source: str | Path | IO[bytes], *, topic: str | None = None, columns: Iterable[str] | None = None
) -> pl.DataFrame:
    """Read a file of write_run, unchecked: all of it, one topic, or some columns."""
    scan = scan_run(source)
    if topic is not None:
        scan = scan.filter(pl.col("topic") == topic)
    if columns is not None:
        scan = scan.select(columns)
    return believe(scan.collect(), "run")


def scan_run(source: str | Path | IO[bytes]) -> pl.LazyFrame:
    """A lazy frame of a file of write_run: `evaluate` and `pool` read only what they need, in bounded memory."""
    return pl.scan_parquet(source, glob=False)


def run_facts(frame: pl.DataFrame) -> RunFacts:
    """Count a run's topics, rows and documents per topic, and name its tags. A run without rows has 0 of everything.

    >>> run_facts(pl.DataFrame({"topic": ["1", "1", "2"], "tag": ["bm25"] * 3}))
    RunFacts(topics=2, rows=3, shortest=1, deepest=2, tags=('bm25',))
    """
    depths = frame.group_by("topic").len()["len"].to_list()
    return RunFacts(
        topics=len(depths),
        rows=len(frame),
        shortest=min(depths, default=0),
        deepest=max(depths, default=0),
        tags=tuple(frame["tag"].unique().cast(pl.String).sort()),
    )
