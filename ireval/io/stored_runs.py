"""Runs in Parquet files whose topics can be read one at a time, and what a run holds in numbers."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import polars as pl

from ireval.io.arguments import require_file
from ireval.io.checked_frames import believe
from ireval.io.frames import Source, as_run
from ireval.io.runs import RUN_SCHEMA

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


def write_run(run: Source, target: str | Path | IO[bytes]) -> None:
    """Write a run, which may be all that as_run takes, as Parquet (zstd) from which scan_run and read_run_parquet read.

    A frame as read_run returns it keeps its order and tags; anything else is checked and ranked as by as_run, and its tag is
    "run". Raises BadFile as as_run does, BadInput for a target that is neither a path nor a file.
    """
    require_file("target", target)
    write_rows(whole_run(run), target)


def whole_run(run: Source) -> pl.DataFrame:
    if isinstance(run, pl.DataFrame) and {**run.schema, "tag": pl.Categorical} == RUN_SCHEMA:
        return run
    return as_run(run).lazy().collect()


def write_rows(frame: pl.DataFrame, target: str | Path | IO[bytes]) -> None:
    """Write rows of topics in row groups small enough to read one topic alone."""
    frame.write_parquet(target, compression="zstd", statistics=True, row_group_size=ROWS_A_GROUP)


def read_run_parquet(
    source: str | Path | IO[bytes], *, topic: str | None = None, columns: Iterable[str] | None = None
) -> pl.DataFrame:
    """Read a file of write_run, unchecked: all of it, one topic, or some columns.

    Another file ends in an error of polars: read_run checks what it reads. A topic that is not there gives no rows.
    """
    scan = scan_run(source)
    if topic is not None:
        scan = scan.filter(pl.col("topic") == topic)
    if columns is not None:
        scan = scan.select(columns)
    return believe(scan.collect(), "run")


def scan_run(source: str | Path | IO[bytes]) -> pl.LazyFrame:
    """A lazy frame of a file of write_run: `evaluate` and `pool` read only what they need, in bounded memory.

    Nothing is read yet. `evaluate` checks a frame of other columns than write_run's as any other.
    """
    require_file("source", source, "read")
    return pl.scan_parquet(source, glob=False)


def run_facts(run: Source) -> RunFacts:
    """Count a run's topics, rows and documents per topic, and name its tags. A run without rows has 0 of everything.

    The run may be all that as_run takes. Raises BadFile as as_run does.

    >>> run_facts({"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}})
    RunFacts(topics=2, rows=3, shortest=1, deepest=2, tags=('run',))
    """
    frame = whole_run(run)
    depths = frame.group_by("topic").len()["len"].to_list()
    return RunFacts(
        topics=len(depths),
        rows=len(frame),
        shortest=min(depths, default=0),
        deepest=max(depths, default=0),
        tags=tuple(frame["tag"].unique().cast(pl.String).sort()),
    )
