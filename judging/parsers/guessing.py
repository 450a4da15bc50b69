"""Which format a file has, told from its beginning and, for tables, from the ending of its name."""

import os
import re
from pathlib import Path
from typing import Literal

from metrics.engine.files import BadFile

from .reading import read_head

Kind = Literal["documents", "topics"]

MARKS: dict[Kind, list[tuple[str, re.Pattern[str]]]] = {
    "documents": [
        ("beir", re.compile(r'\s*\{[^\n]*"_id"\s*:')),
        ("jsonl", re.compile(r"\s*\{")),
        ("smart", re.compile(r"(?m)^\.I[ \t]+\S+[ \t\r]*$")),
        ("trec", re.compile(r"(?i)<doc(\s[^<>]*)?>")),
    ],
    "topics": [
        ("beir", re.compile(r'\s*\{[^\n]*"_id"\s*:')),
        ("jsonl", re.compile(r"\s*\{")),
        ("smart", re.compile(r"(?m)^\.I[ \t]+\S+[ \t\r]*$")),
        ("trec", re.compile(r"(?i)<top>")),
        ("trec-xml", re.compile(r"(?i)<topic[\s>]")),
    ],
}
EXPECTED = {
    "documents": "<DOC> (TREC), .I (SMART), JSON objects or a table with a header",
    "topics": "<top> or <topic> (TREC), .I (SMART), JSON objects or a table with a header",
}
COMPRESSED = (".gz", ".xz", ".zst")


def guess_format(path: str | os.PathLike[str], kind: Kind, *, name: str | None = None) -> str:
    """The name in FORMATS of what the file seems to be; BadFile if it is empty, no text, or like none of them."""
    name = name or Path(path).name
    head = read_head(path, name=name)
    if not head.strip():
        raise BadFile.because(name, f"the file is empty; expected {kind}")
    marked = next((format for format, mark in MARKS[kind] if mark.search(head)), None)
    guess = marked or table_format(head, name)
    if not guess:
        raise BadFile.because(name, f"cannot tell the format; expected {EXPECTED[kind]}")
    return guess


def table_format(head: str, name: str) -> str | None:
    """Tables have no mark of their own: the ending of the name decides, or else what separates the first line."""
    suffix = next((suffix for suffix in reversed(Path(name.lower()).suffixes) if suffix not in COMPRESSED), "")
    if suffix in (".csv", ".tsv"):
        return suffix[1:]
    first = head.lstrip("\r\n").split("\n", 1)[0]
    if "\t" in first:
        return "tsv"
    return "csv" if "," in first or ";" in first else None
