"""Rows on disk that were checked and wait to be inserted: a large file is neither held in memory nor read twice.

Inserting must be quick. On SQLite everybody else's answers wait for it, and reading a file takes far longer than inserting
what was read.
"""

import json
import tempfile
from collections.abc import Iterator
from typing import Any


class Spool:
    """Batches of rows in a file without a name in the system's temporary folder; it is gone when nobody holds it any more."""

    def __init__(self) -> None:
        self.file = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115  lives as long as the spool

    def add(self, batch: list[Any]) -> None:
        if batch:
            self.file.write(json.dumps(batch, ensure_ascii=False, separators=(",", ":")) + "\n")

    def batches(self) -> Iterator[list[Any]]:
        self.file.seek(0)
        yield from map(json.loads, self.file)
