"""CSV that every reader parses as it was written, and no spreadsheet executes.

A spreadsheet takes text that begins with a sign for a formula. Such text gets an apostrophe in front, which spreadsheets do not
show and `unguarded` removes. Numbers stay numbers.
"""

import csv
import io
import re
from collections.abc import Collection, Iterable
from numbers import Number
from typing import IO

import polars as pl

# Characters that spreadsheets skip in front of a sign: blanks, control characters, quotes, characters without a width.
PASSED_OVER = r"""[\s\x00-\x20\x7f-\xa0'"\u200b-\u200f\u2028-\u202e\u2060\ufeff]*"""
# Full-width signs count too: some spreadsheets take them for the usual ones. A tab or line end can begin another cell.
SIGNS = r"[=+\-@|%\uff1d\uff0b\uff0d\uff20\uff5c\uff05]"
FORMULA = rf"^(?:{PASSED_OVER}{SIGNS}|'*[\t\r\n])"
NUMBER = r"^-[0-9][0-9.,]*(?:[eE][+\-]?[0-9]+)?$"

begins_a_formula = re.compile(FORMULA).match
is_number = re.compile(NUMBER.replace("$", r"\Z")).match


def guarded(text: str) -> str:
    """Text written so that no spreadsheet takes it for a formula; `unguarded` restores it.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("-0.5"), guarded("owls")
    ("'=1+1", "''=1+1", '-0.5', 'owls')
    """
    return f"'{text}" if begins_a_formula(text) and not is_number(text) else text


def unguarded(written: str) -> str:
    """The text before `guarded`; an apostrophe that does not guard a formula stays.

    >>> unguarded("'=1+1"), unguarded("''=1+1"), unguarded("'tis")
    ('=1+1', "'=1+1", "'tis")
    """
    return written[1:] if written.startswith("'") and begins_a_formula(written) else written


class LineFeeds:
    """A file for csv.writer that ends lines with LF alone; the writer quotes a CR only if its own lines end with one."""

    def __init__(self, text: IO[str]):
        self.text = text

    def write(self, row: str) -> None:
        self.text.write(row.removesuffix("\r\n") + "\n")


def write_rows(text: IO[str], rows: Iterable[Iterable[object]]) -> None:
    """Write rows to a file opened with newline="": numbers as they are, None as nothing, all else as guarded text."""
    csv.writer(LineFeeds(text), lineterminator="\r\n").writerows(map(cell, row) for row in rows)


def cell(value: object) -> object:
    return value if value is None or isinstance(value, Number) else guarded(str(value))


def csv_of(*rows: Iterable[object]) -> str:
    """Rows as CSV, each line with its end.

    >>> csv_of(["note", "grade"], ["a\\rb", 1], ["=1", -0.5])
    'note,grade\\n"a\\rb",1\\n\\'=1,-0.5\\n'
    """
    text = io.StringIO(newline="")
    write_rows(text, rows)
    return text.getvalue()


def csv_of_frame(frame: pl.DataFrame, *, to_the_letter: Collection[str] = (), header: bool = True, separator: str = ",") -> str:
    """A frame as CSV. `to_the_letter` names columns of ids, which are not guarded, since programs look them up."""
    text = [name for name, kind in frame.schema.items() if isinstance(kind, TEXTS) and name not in to_the_letter]
    return frame.with_columns(map(guarded_column, text)).write_csv(include_header=header, separator=separator)


TEXTS = (pl.String, pl.Categorical, pl.Enum)


def unguarded_column(text: pl.Expr) -> pl.Expr:
    """`unguarded` for a column of a frame."""
    is_guarded = text.str.starts_with("'") & text.str.contains(FORMULA)
    return pl.when(is_guarded).then(text.str.slice(1)).otherwise(text)


def guarded_column(name: str) -> pl.Expr:
    """`guarded` for a column of a frame."""
    text = pl.col(name).cast(pl.String)
    is_formula = text.str.contains(FORMULA) & ~text.str.contains(NUMBER)
    return pl.when(is_formula).then("'" + text).otherwise(text).alias(name)
