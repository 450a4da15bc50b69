"""Files of clicks in any format that is known, which is told from their content."""

import os
from itertools import islice
from pathlib import Path

from ireval.clicks.deviations import Deviations
from ireval.clicks.sessions import Sessions
from ireval.clicks.ubi import read_ubi
from ireval.clicks.yandex import is_yandex, read_yandex
from ireval.io.files import MAX_BYTES, BadFile, lines, local_file, name_of
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


def first_lines(path: Path, name: str) -> list[str]:
    """The first lines that are not blank, FIRST at most; none where there is no text."""
    try:
        return list(islice((line for _, line in lines(path, name=name) if line.strip()), FIRST))
    except BadFile:
        return []
