"""A guess at a file's format, from its beginning and, for tables, from the ending of its name."""

import os
import re
from pathlib import Path
from typing import Literal

from ireval.io.files import BadFile
from ireval.translatable import Phrase
from judging.collections.parsers.text_files import read_head

Kind = Literal["documents", "topics", "results"]

BEIR, JSON = ("beir", re.compile(r'\A\{[^\n]*"_id"\s*:')), ("jsonl", re.compile(r"\A\{"))
SMART = ("smart", re.compile(r"(?m)^\.I[ \t]+\S+[ \t\r]*$"))
MARKS: dict[Kind, list[tuple[str, re.Pattern[str]]]] = {
    "documents": [BEIR, JSON, SMART, ("trec", re.compile(r"(?i)<doc(\s[^<>]*)?>"))],
    "topics": [
        BEIR, JSON, SMART,
        ("trec", re.compile(r"(?i)<top(\s[^<>]*)?>")), ("trec-xml", re.compile(r"(?i)<topic[\s>]")),
    ],
    "results": [JSON],
}  # fmt: skip
KINDS = {"documents": Phrase("documents"), "topics": Phrase("topics"), "results": Phrase("results")}
EXPECTED = {
    "documents": Phrase("<DOC> (TREC), .I (SMART), JSON objects or a table with a header"),
    "topics": Phrase("<top> or <topic> (TREC), .I (SMART), JSON objects or a table with a header"),
    "results": Phrase("JSON objects or a table with a header"),
}
COMPRESSED = (".gz", ".xz", ".zst")


def guess_format(path: str | os.PathLike[str], kind: Kind, *, name: str | None = None) -> str:
    """The name in FORMATS of what the file seems to be; BadFile if it is empty, no text, or like none of them."""
    name = name or Path(path).name
    head = read_head(path, name=name).lstrip()
    if not head:
        raise BadFile.because(name, Phrase("the file is empty; expected %(kind)s", kind=KINDS[kind]))
    if head.startswith("["):
        raise BadFile.because(name, Phrase("this is one JSON array; expected JSON Lines, one object a line"))
    place, marked = first_mark(head, kind)
    guess = marked if marked and place == 0 else by_ending(name) or marked or by_separator(head)
    if not guess:
        raise BadFile.because(name, Phrase("cannot tell the format; expected %(expected)s", expected=EXPECTED[kind]))
    return guess


def first_mark(head: str, kind: Kind) -> tuple[int, str | None]:
    """The place of the first mark of a format, and the format; None where there is no mark."""
    marks = [(match.start(), format) for format, mark in MARKS[kind] if (match := mark.search(head))]
    return min(marks, key=lambda place_and_format: place_and_format[0], default=(0, None))


def by_ending(name: str) -> str | None:
    """Tables have no mark of their own, but often a name that tells."""
    suffix = next((suffix for suffix in reversed(Path(name.lower()).suffixes) if suffix not in COMPRESSED), "")
    return {".csv": "csv", ".tsv": "tsv", ".tab": "tsv"}.get(suffix)


def by_separator(head: str) -> str | None:
    first = head.split("\n", 1)[0]
    if "\t" in first:
        return "tsv"
    return "csv" if "," in first or ";" in first else None
