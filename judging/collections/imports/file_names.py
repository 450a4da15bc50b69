"""Names of runs and qrels that nobody named: the file's name without what only computers read."""

import re
from pathlib import Path

from ireval.io.files import BadFile
from ireval.translatable import Phrase

MAX_NAME = 120
ENDINGS = {
    ".gz", ".xz", ".zst", ".txt", ".run", ".res", ".trec", ".tsv", ".tab", ".csv", ".json", ".jsonl", ".ndjson", ".parquet",
    ".qrels", ".qrel",
}  # fmt: skip


def name_for(name: str, filename: str) -> str:
    """The given name, or the file's; BadFile where it is too long or cannot be shown.

    >>> name_for("", "bm25.title.run.xz"), name_for(" Mine ", "x.txt")
    ('bm25.title', 'Mine')
    """
    chosen = re.sub(r"\s+", " ", name).strip() or without_endings(filename)
    if len(chosen) > MAX_NAME or not chosen.isprintable():
        unusable = Phrase(
            "the name “%(name)s…” cannot be used: at most %(most)s printable characters", name=chosen[:40], most=MAX_NAME
        )
        raise BadFile.because(filename, unusable)
    return chosen


def without_endings(filename: str) -> str:
    path = Path(filename)
    while path.suffix.lower() in ENDINGS and path.stem:
        path = Path(path.stem)
    return path.name
