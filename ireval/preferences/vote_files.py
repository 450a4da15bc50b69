"""Votes from files and frames: polars reads a file; if it is wrong, its problems are found row by row."""

import os
from pathlib import Path

import polars as pl

from ireval.io.delimited_tables import Shape, cells_of, header_of, rows_of, separated
from ireval.io.files import MAX_BYTES, BadFile, ProblemList, local_file, name_of
from ireval.io.first_lines import FirstLines
from ireval.io.frames import TableSource, as_table
from ireval.io.tables import (
    BYTES_A_ROW,
    TOPIC,
    Aliases,
    find_columns,
    is_parquet,
    missing_columns,
    warn_of_lookalikes,
)
from ireval.labels.label_files import ITEM, WORKER
from ireval.preferences.votes import WINNERS, BadVotes, Votes, complaint_about_seconds, complaint_about_winner, votes_in_table

VOTES: Aliases = {
    "item": ITEM,
    "left": ("left", "left_system", "system_left"),
    "right": ("right", "right_system", "system_right"),
    "winner": ("winner", "preferred", "preference"),
}
OPTIONAL: Aliases = {
    "worker": WORKER,
    "topic": TOPIC,
    "seconds": ("seconds", "duration"),
    "order": ("order", "number", "time", "timestamp", "created_at"),
}


def read_votes(path: str | os.PathLike[str], *, name: str | None = None, max_bytes: int = MAX_BYTES) -> Votes:
    """Read votes: CSV with commas, semicolons or tabs, or Parquet; compressed or not; "-" is standard input.

    Columns are found by their names: item, left, right and winner (left, right, tie or both_bad); worker, topic, seconds and
    order (or time) are optional. `votes_of` explains them, and what a mirrored repeat is. Rows without a winner are left out and
    counted, and so are those with one system on both sides.

    Raises BadFile, with up to 100 problems: another number of columns, an empty cell, an unknown winner, an item of two topics.
    Also for files without votes, and a worker who votes twice on an item with the same sides, with both lines.
    """
    with local_file(path, max_bytes=max_bytes) as local:
        name = name or name_of(path)
        if is_parquet(local):
            return votes_in(from_parquet(local, name, max_bytes), name)
        shape = shape_of(*header_of(local, name, max_bytes, expected=f" that names {', '.join(VOTES)}"), name)
        frame = cells_of(local, shape, name, max_bytes, explain=lambda: explain(local, shape, name, max_bytes))
        try:
            if frame is not None:
                return votes_in_table(frame)
        except BadVotes as error:
            explain(local, shape, name, max_bytes)
            raise BadFile.because(name, str(error)) from error
        explain(local, shape, name, max_bytes)
        raise BadFile.because(name, "cannot be read as CSV")


def votes_of(source: TableSource) -> Votes:
    """Votes from a path or a frame of polars or pandas: item, left, right and winner; one row per vote.

    A path is read by read_votes, which raises BadFile. Columns may have other usual names. winner is left, right, tie or
    both_bad. A row without one, or with the same system on both sides, is left out and counted. Optional columns:

    - worker: without it, every vote counts as by a worker of its own.
    - topic: without it, every item is a topic.
    - seconds: how long the worker took.
    - order: anything that sorts a worker's votes by time. Without it, rows are in that order.

    A worker's second vote on an item, with the sides swapped, is a mirrored repeat of the first and no vote. BadVotes for
    no votes, a missing column, an empty cell, an unknown winner and an item of two topics. Also for seconds that are no number
    from 0, and a worker who votes again on an item with the same sides.

    >>> rows = [("q1", "a", "b", "left", "ann"), ("q1", "b", "a", "tie", "bob"), ("q1", "b", "a", "right", "ann")]
    >>> votes = votes_of(pl.DataFrame(rows, schema=["item", "left", "right", "winner", "worker"], orient="row"))
    >>> len(votes), votes.points.tolist(), votes.repeats.vote.tolist()
    (2, [1.0, 0.5], [0])
    """
    if isinstance(source, str | os.PathLike):
        return read_votes(source)
    table = as_table(source, BadVotes, or_path=True)
    columns = columns_of(table.columns, "votes")
    return votes_in_table(pl.DataFrame([table[column].alias(field) for field, column in columns.items()]))


def as_votes(source: Votes | TableSource) -> Votes:
    """Votes as they are, or made by votes_of of a path or a frame."""
    return source if isinstance(source, Votes) else votes_of(source)


def votes_in(frame: pl.DataFrame, name: str) -> Votes:
    try:
        return votes_in_table(frame)
    except BadVotes as error:
        raise BadFile.because(name, str(error)) from error


def from_parquet(path: Path, name: str, max_bytes: int) -> pl.DataFrame:
    try:
        scan = pl.scan_parquet(path, glob=False)
        present = scan.collect_schema().names()
        if complaint := missing_columns(present, VOTES):
            raise BadFile.because(name, complaint)
        if scan.select(pl.len()).collect().item() > max_bytes // BYTES_A_ROW:
            raise BadFile.because(name, f"holds more rows than {max_bytes:,} bytes, the largest file accepted, can hold")
        columns = columns_of(present, name)
        frame = scan.select(pl.col(column).alias(field) for field, column in columns.items()).collect()
    except pl.exceptions.PolarsError as error:
        raise BadFile.because(name, f"the Parquet file is damaged ({error})") from error
    for column in frame.columns:
        if frame.schema[column].is_nested():
            raise BadFile.because(name, f"column {columns[column]} is of type {frame.schema[column]}; expected text or numbers")
    return frame


def shape_of(number: int, header: str, name: str) -> Shape:
    """The layout by the separator that gives most of the columns."""
    mark, present = max(separated(header).items(), key=lambda choice: (len(find_columns(choice[1], VOTES)), len(choice[1])))
    if complaint := missing_columns(present, VOTES):
        raise BadFile.because(name, complaint, number)
    places = {field: present.index(column) for field, column in columns_of(present, name).items()}
    return Shape(mark, len(present), places)


def columns_of(present: list[str], name: str) -> dict[str, str]:
    """The file's column of each field that it has."""
    columns = find_columns(present, VOTES | OPTIONAL)
    warn_of_lookalikes(present, columns, ["topic"], name)
    return columns


def explain(path: Path, shape: Shape, name: str, max_bytes: int) -> None:
    """Read a file row by row and raise BadFile with everything that is wrong with it; return if nothing is."""
    problems, first_lines, topics = ProblemList(name), FirstLines(), dict[str, str]()
    for number, row in rows_of(path, shape, name, max_bytes):
        if isinstance(row, str):
            problems.add(number, row)
        elif complaint := complaint_about(row):
            problems.add(number, complaint)
        elif row["winner"] and row["left"] != row["right"]:
            item, worker = row["item"], row.get("worker", "")
            if worker and (first := first_lines.first_line((item, row["left"], row["right"], worker), number)):
                problems.add(number, f"worker {worker} votes again on item {item}; the first time is on line {first}")
            if (topic := topics.setdefault(item, row.get("topic", ""))) != row.get("topic", ""):
                problems.add(number, f"item {item} is of topic {row['topic']} here and of {topic} before")
        if problems.full:
            break
    problems.raise_if_any()


def complaint_about(row: dict[str, str]) -> str | None:
    """What is wrong with a single row; nothing can be in a row without a winner."""
    if not row["winner"]:
        return None
    lacking = [column for column in ("item", "topic", "left", "right", "worker") if not row.get(column, "-")]
    if lacking:
        return f"has no {lacking[0]}"
    if row["winner"] not in WINNERS:
        return complaint_about_winner(row["winner"])
    seconds = row.get("seconds", "")
    return None if not seconds or is_duration(seconds) else complaint_about_seconds(seconds)


def is_duration(text: str) -> bool:
    try:
        return 0 <= float(text) < float("inf")
    except ValueError:
        return False
