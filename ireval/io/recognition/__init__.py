"""What a file seems to be, told by what it holds: its kind, its format, and why.

Only its beginning is looked at, so that a file of any size is recognised before all of it is read. A Parquet file names its
columns at its end, which is read, too. Its name counts for nothing. `head` unpacks the beginning; `marks` knows formats with tags
or dots, `fields` those with names of columns or keys, `columns` those with columns alone.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ireval.io.recognition import bare_columns, fields, marks
from ireval.io.recognition.head import LENGTH, NoText, head_of, is_image, refuse_what_is_no_text
from ireval.io.recognition.kinds import (
    CLICKS,
    DOCUMENTS,
    IMAGES,
    NOTHING,
    QRELS,
    RESULTS,
    RUN,
    TOPICS,
    Recognition,
    nothing,
    shortened,
)
from ireval.io.tables import MAGIC as PARQUET
from ireval.translatable import Phrase

__all__ = [
    "CLICKS", "DOCUMENTS", "IMAGES", "NOTHING", "QRELS", "RESULTS", "RUN", "TAKEN", "TOPICS", "Recognition",
    "recognise", "recognise_file",
]  # fmt: skip

# What is taken of a file: enough of an archive to unpack LENGTH bytes of text.
TAKEN = 4 * LENGTH
RULES = (
    marks.of_tags,
    marks.of_dots,
    fields.of_json,
    fields.of_table,
    bare_columns.of_clicks,
    bare_columns.of_blanks,
    bare_columns.of_tabs,
)


def recognise_file(path: str | os.PathLike[str]) -> Recognition:
    """Recognise a file on disk; see recognise."""
    with open(path, "rb") as file:
        beginning = file.read(TAKEN)
        file.seek(max(0, Path(path).stat().st_size - LENGTH))
        return recognise(beginning, file.read())


def recognise(beginning: bytes, end: bytes = b"") -> Recognition:
    """What the file seems to be that begins with these bytes (TAKEN of them, or all) and ends with those.

    >>> recognise(b"301 Q0 FBIS3-1 1 2.5 bm25").kind, recognise(b"301 0 FBIS3-1 1").kind, recognise(b"Read me first.").kind
    ('run', 'qrels', '')
    """
    try:
        head = head_of(beginning)
        if is_image(head.content):
            return Recognition(IMAGES, "auto", Phrase("An image, or a zip archive of images: pictures of documents."))
        is_parquet = head.content.startswith(PARQUET)
        if not is_parquet:
            refuse_what_is_no_text(head.content)
    except NoText as no_text:
        return nothing(Phrase("This is %(what)s.", what=no_text.what))
    recognition = fields.of_parquet(end) if is_parquet else of_text(head.lines())
    return replace(recognition, sample=shortened(recognition.sample), compressed=head.compressed or "")


def of_text(lines: Sequence[str]) -> Recognition:
    lines = [line for line in lines if line.strip()]
    recognition = next(filter(None, (rule(lines) for rule in RULES)), None)
    return recognition or nothing(Phrase("This is a text in none of the formats that are read here."), {"begins": lines[0]})
