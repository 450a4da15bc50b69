"""Sessions from frames, and from logs in any format that is known, which is told from their content."""

import os
from itertools import islice
from pathlib import Path

from ireval.clicks.deviations import Deviations
from ireval.clicks.sessions import BadClicks, Sessions, sessions_in_table
from ireval.clicks.ubi import read_ubi
from ireval.clicks.yandex import is_yandex, read_yandex
from ireval.io.files import MAX_BYTES, MAX_PROBLEMS, BadFile, Problem, lines, local_file, name_of
from ireval.io.frames import TableSource, as_table
from ireval.io.tables import is_parquet

# So many lines tell the format: one alone may be damaged.
FIRST = 20


def read_clicks(
    path: str | os.PathLike[str], *, name: str | None = None, max_bytes: int = MAX_BYTES
) -> tuple[Sessions, Deviations]:
    """Read queries and clicks as read_ubi or read_yandex does it; "-" is standard input."""
    with local_file(path, max_bytes=max_bytes) as local:
        name = name or name_of(path)
        first = [] if is_parquet(local) else first_lines(local, name)
        has_json = any(line.lstrip().startswith("{") for line in first)
        read = read_yandex if any(map(is_yandex, first)) and not has_json else read_ubi
        return read(local, name=name, max_bytes=max_bytes)


def sessions_of(source: TableSource) -> Sessions:
    """Sessions from the path of a log, or from a frame of polars or pandas with one row per document shown.

    A path is read by read_clicks, which also returns how a log deviates. It raises BadFile for anything else: a file of documents
    shown is read first, for example with polars.read_csv. The columns of a frame are impression, query, document, rank (anything
    that sorts an impression's documents) and clicks (a number, or true and false). Optional columns:

    - session: without it, every impression is a session. user: without it, every session is a user.
    - seconds: from the query to the document's first click.
    - order: 1 for the document clicked first. Without it, clicks are ordered by seconds where all of the impression have them.
    - elsewhere: the impression's clicks on documents that were not shown.

    BadClicks for no rows, a missing column, a missing cell, an impression with two queries, one that shows a document twice, and
    clicks below 0.

    >>> import polars as pl
    >>> rows = [("i1", "owls", "a", 1, 0), ("i1", "owls", "b", 2, 1), ("i2", "owls", "a", 1, 2)]
    >>> sessions = sessions_of(pl.DataFrame(rows, schema=["impression", "query", "document", "rank", "clicks"], orient="row"))
    >>> len(sessions), sessions.clicked.tolist(), sessions.total_clicks.tolist()
    (2, [False, True, True], [1, 2])
    """
    if isinstance(source, str | os.PathLike):
        return sessions_in_log(source)
    return sessions_in_table(as_table(source, BadClicks, or_path=True))


def sessions_in_log(path: str | os.PathLike[str]) -> Sessions:
    """The sessions that read_clicks finds; BadFile says what becomes of a file that is no log."""
    try:
        return read_clicks(path)[0]
    except BadFile as error:
        mend = "only logs are read here: read a table of documents shown first, for example with polars.read_csv"
        raise BadFile([*error.problems[: MAX_PROBLEMS - 1], Problem(name_of(path), 0, mend)]) from error


def as_sessions(source: Sessions | TableSource) -> Sessions:
    """Sessions as they are, or made by sessions_of of a path or a frame."""
    return source if isinstance(source, Sessions) else sessions_of(source)


def first_lines(path: Path, name: str) -> list[str]:
    """The first lines that are not blank, FIRST at most; none where there is no text."""
    try:
        return list(islice((line for _, line in lines(path, name=name) if line.strip()), FIRST))
    except BadFile:
        return []
