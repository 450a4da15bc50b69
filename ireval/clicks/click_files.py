"""Files of clicks in any format that is known, which is told from their content."""

import os
from pathlib import Path

from ireval.clicks.deviations import Deviations
from ireval.clicks.sessions import Sessions
from ireval.clicks.ubi import read_ubi
from ireval.clicks.yandex import is_yandex, read_yandex
from ireval.io.files import MAX_BYTES, BadFile, lines, local_file, name_of
from ireval.io.tables import is_parquet


def read_clicks(
    path: str | os.PathLike[str], *, name: str | None = None, max_bytes: int = MAX_BYTES
) -> tuple[Sessions, Deviations]:
    """Read queries and clicks as read_ubi or read_yandex does it; "-" is standard input."""
    with local_file(path, max_bytes=max_bytes) as local:
        name = name or name_of(path)
        read = read_yandex if not is_parquet(local) and is_yandex(first_line(local, name)) else read_ubi
        return read(local, name=name, max_bytes=max_bytes)


def first_line(path: Path, name: str) -> str:
    """The first line that is not blank; "" where there is none, or no text."""
    try:
        return next((line for _, line in lines(path, name=name) if line.strip()), "")
    except BadFile:
        return ""
