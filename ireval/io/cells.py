"""Checks of a table's cells: ids, scores and grades.

Parquet files, frames and dictionaries are all checked here, so that they are refused for the same reasons in the same words.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real

import polars as pl

from ireval.io.columns import has_duplicates, ids_of, of_column
from ireval.io.files import MAX_PROBLEMS, BadFile, BadInput, Problem
from ireval.translatable import Phrase

# Empty, or with a character that C's isspace takes for a blank, or with C's end of a string.
ODD_IN_FILES = r"^$|[ \t\n\v\f\r\x00]"
LONGEST_ID = 200
# Grades lie from -LARGEST_GRADE to below it.
LARGEST_GRADE = 2**31
TEXTS = (pl.String, pl.Categorical, pl.Enum)
FILL_IN = Phrase("fill it in, or leave the row out")
WHOLE, FINITE = Phrase("a whole number"), Phrase("a finite number")

# From a cell to what is wrong with it and how to mend it, or None.
Complaint = Callable[[object], Phrase | None]
# From a row, from 0, to the words for where it stands.
Place = Callable[[int], Phrase | str]


@dataclass(frozen=True)
class Table:
    """An unchecked table with our names of columns. `called` has the owner's name of each column.

    A column of type Object holds Python's own values, of any type. A `keyed` table was a dictionary, such as {topic: {docno: …}},
    whose keys stand first and in complaints. The ids of a table that `is_file` must be such as every file format can hold.
    """

    name: str
    frame: pl.DataFrame
    called: dict[str, str]
    keyed: bool = False
    is_file: bool = False

    def without(self, column: str) -> "Table":
        return replace(self, frame=self.frame.drop(column, strict=False))

    def renamed(self, column: str, wanted: str) -> "Table":
        return replace(self, frame=self.frame.rename({column: wanted}), called={**self.called, wanted: self.called[column]})

    def place(self, row: int) -> Phrase:
        place = Phrase("row %(n)s", n=f"{row + 1:,}")
        if not self.keyed:
            return place
        outer, inner, *_ = self.frame.row(row)
        return Phrase("%(row)s, %(keys)s", row=place, keys=f"[{outer!r}][{inner!r}]")

    def problem(self, row: int, message: Phrase) -> Problem:
        return Problem(self.name, 0, Phrase("%(row)s: %(problem)s", row=self.place(row), problem=message))


def checked(table: Table) -> pl.DataFrame:
    """The table with its ids as texts, its score as Float64 and its grade as Int32.

    Raises BadFile with row, column and remedy for every empty cell, every value of another type, and bad ids. Also for scores
    that are not finite, and grades that are not whole.
    """
    if table.frame.is_empty() and table.is_file:  # in memory it may be what is left of a selection
        raise BadFile.because(table.name, Phrase("holds no rows"))
    columns, problems = [], list[Problem]()
    for name in table.frame.columns:
        column = table.frame[name]
        kind = KINDS.get(name, FILE_ID if table.is_file else ID)
        bad = kind.bad_rows(column) if len(column) else []
        for row in bad[:MAX_PROBLEMS]:
            named, complaint = Phrase("column %(column)s", column=table.called[name]), kind.complaint(column[row])
            problems.append(table.problem(row, of_column(named, complaint)))
        if not bad:
            columns.append(kind.convert(column))
    if problems:
        raise BadFile(problems)
    return pl.DataFrame(columns)


def distinct(table: Table) -> pl.DataFrame:
    """The checked table, with each document once in a topic or subtopic. BadFile names the rows that repeat a document."""
    frame = checked(table)
    if not has_duplicates(frame):
        return frame
    ids = ids_of(frame)
    *others, last = [table.called[column] for column in ids]
    where = Phrase("%(names)s and %(last)s", names=", ".join(others), last=last)
    rows = frame.select(ids).with_row_index("row", offset=1).with_columns(first=pl.col("row").min().over(ids))
    again = rows.filter(pl.col("row") > pl.col("first")).head(MAX_PROBLEMS).select("row", "topic", "docno", "first")
    raise BadFile(
        table.problem(row - 1, repeated_in_row(where, topic, docno, first)) for row, topic, docno, first in again.iter_rows()
    )


def repeated_in_row(columns: Phrase, topic: str, docno: str, first: int) -> Phrase:
    return Phrase(
        "columns %(columns)s have document %(docno)s of topic %(topic)s again; row %(row)s has it: keep one of them",
        columns=columns,
        docno=docno,
        topic=topic,
        row=f"{first:,}",
    )


@dataclass(frozen=True)
class ColumnKind:
    """A kind of column: the types that it accepts, which cells are good, and the complaint about a bad cell."""

    accepts: Callable[[pl.DataType], bool]
    good: Callable[[pl.Series], pl.Series]
    complaint: Complaint
    type: type[pl.DataType]

    def bad_rows(self, column: pl.Series) -> list[int]:
        """The rows of bad cells, from 0; only the first row of a column of another type, in which all cells are bad."""
        if column.dtype == pl.Object:
            return [row for row, value in enumerate(column.to_list()) if self.complaint(value)]
        if not self.accepts(column.dtype):
            return [0]
        return (~self.good(column).fill_null(value=False)).arg_true().to_list()

    def convert(self, column: pl.Series) -> pl.Series:
        if column.is_empty():
            return pl.Series(column.name, [], dtype=self.type)
        if column.dtype == pl.Object:
            convert = str if self.type == pl.String else float
            column = pl.Series(column.name, [convert(value) for value in column.to_list()])
        return column.cast(self.type)


def good_ids(column: pl.Series) -> pl.Series:
    if column.dtype.is_integer():
        return column.is_not_null()
    text = column.cast(pl.String)
    return (text.str.len_bytes() > 0) & ~text.str.contains("\0", literal=True)


def good_ids_in_files(column: pl.Series) -> pl.Series:
    text = column.cast(pl.String)
    return ~text.str.contains(ODD_IN_FILES) & (text.str.len_chars() <= LONGEST_ID)


def good_grades(column: pl.Series) -> pl.Series:
    return column.cast(pl.Float64).is_between(-LARGEST_GRADE, LARGEST_GRADE - 1) & (column % 1 == 0)


def complaint_about_id(value: object) -> Phrase | None:
    if value is None or (isinstance(value, str) and not value):
        return Phrase("is empty; expected an id: %(remedy)s", remedy=FILL_IN)
    if isinstance(value, bool) or not isinstance(value, str | Integral):
        return Phrase("is %(value)s; expected text or whole numbers: convert the column", value=shown(value))
    text = str(value)
    if "\0" in text or text.encode(errors="ignore").decode() != text:
        return Phrase(
            "is %(value)s; expected an id without zero bytes and halves of characters: replace these", value=repr(text[:50])
        )
    return None


def complaint_about_id_in_file(value: object) -> Phrase | None:
    text = str(value)
    if len(text) > LONGEST_ID:
        return Phrase("has %(n)s characters; expected at most %(most)s: shorten it", n=f"{len(text):,}", most=LONGEST_ID)
    if text and re.search(ODD_IN_FILES, text):
        return Phrase("is %(value)s; expected an id without blanks, line ends and zero bytes: replace these", value=repr(text))
    return complaint_about_id(value)


def complaint_about_score(value: object) -> Phrase | None:
    return complaint_about_number(value, FINITE)


def complaint_about_grade(value: object) -> Phrase | None:
    if complaint := complaint_about_number(value, WHOLE):
        return complaint
    number = float(value)  # type: ignore[arg-type]
    if number % 1:
        return Phrase("is %(value)s; expected a whole number: round it, or count in smaller steps", value=str(value))
    if -LARGEST_GRADE <= number < LARGEST_GRADE:
        return None
    return Phrase("is %(value)s, which is too large: grades have 32 bits", value=str(value))


def complaint_about_number(value: object, expected: Phrase) -> Phrase | None:
    if value is None:
        return Phrase("is empty; expected %(expected)s: %(remedy)s", expected=expected, remedy=FILL_IN)
    if isinstance(value, bool) or not isinstance(value, Real):
        return Phrase("is %(value)s; expected %(expected)s: convert the column", value=shown(value), expected=expected)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isnan(number):
        return Phrase("is NaN; expected %(expected)s: %(remedy)s", expected=expected, remedy=FILL_IN)
    if math.isfinite(number):
        return None
    return Phrase(
        "is %(value)s, which is not finite; expected %(expected)s: %(remedy)s",
        value=shown(value),
        expected=expected,
        remedy=FILL_IN,
    )


def row_place(row: int) -> str:
    """Where a row stands in a frame."""
    return f"row {row + 1:,}"


def require_columns(frame: pl.DataFrame, columns: Sequence[str], refusal: type[BadInput], place: Place = row_place) -> None:
    """Raise `refusal` for a missing column, or one that is neither text nor numbers; `place` names a row, from 0."""
    for name in columns:
        if name not in frame.columns:
            raise refusal(f"there is no column {name}; expected {', '.join(columns)}: rename yours")
        column = frame[name]
        if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary):
            row = strangest(column.to_list())
            raise refusal(
                f"{place(row)}: column {name} is {shown(column[row])}; {expected_beside(column[row])}: convert the column"
            )


def strangest(values: Sequence[object]) -> int:
    """The first row that holds neither text nor a number of at most 64 bits, else the first without text, else the first."""
    strange = [row for row, value in enumerate(values) if not isinstance(value, str | None)]
    worse = (row for row in strange if not isinstance(values[row], int | float) or is_long(values[row]))
    return next(worse, strange[0] if strange else 0)


def is_long(value: object) -> bool:
    """Whether it is a whole number of more than 64 bits, which not every polars has."""
    return isinstance(value, int) and not -(2**63) <= value < 2**63


def expected_beside(value: object) -> str:
    """What was expected of a column; a number is at fault only by what stands beside it, or by its size."""
    return "expected text alone, or numbers of up to 64 bits" if isinstance(value, int | float) else "expected text or numbers"


def require_cells(
    frame: pl.DataFrame,
    columns: Sequence[str],
    refusal: type[BadInput],
    place: Place = row_place,
    blank: bool = False,
) -> None:
    """Raise `refusal` as require_columns does, and for a cell that is empty or no finite number, with row, column and remedy.

    With `blank`, texts may be blank.
    """
    require_columns(frame, columns, refusal, place)
    for name in columns:
        column = frame[name]
        bad = column.is_null()
        if column.dtype.is_float():
            bad |= ~column.is_finite().fill_null(value=True)
        elif column.dtype in TEXTS and not blank:
            bad |= (column.cast(pl.String).str.strip_chars() == "").fill_null(value=False)
        if bad.any():
            row = bad.arg_max() or 0
            what = f"is {column[row]}" if column.dtype.is_float() and column[row] is not None else "has an empty cell"
            raise refusal(f"{place(row)}: column {name} {what}: {FILL_IN}")


def first_repeated(frame: pl.DataFrame, columns: list[str]) -> int:
    """The first row, from 0, whose values in these columns an earlier row has, too; one must have.

    >>> first_repeated(pl.DataFrame({"query": ["a", "b", "a"]}), ["query"])
    2
    """
    return frame.select(pl.struct(columns).is_first_distinct()).to_series().arg_min() or 0


def shown(value: object) -> str:
    """A value, shortened and on one line, and its type."""
    text = repr(value).replace("\n", " ")
    return f"{text[:50]}{'…' if len(text) > 50 else ''}, of type {type(value).__name__}"


def is_real(kind: pl.DataType) -> bool:
    return kind.is_integer() or kind.is_float() or kind.is_decimal()


def is_id(kind: pl.DataType) -> bool:
    return kind.is_integer() or kind in TEXTS


ID = ColumnKind(is_id, good_ids, complaint_about_id, pl.String)
FILE_ID = ColumnKind(is_id, good_ids_in_files, complaint_about_id_in_file, pl.String)
SCORE = ColumnKind(is_real, lambda column: column.cast(pl.Float64).is_finite(), complaint_about_score, pl.Float64)
GRADE = ColumnKind(is_real, good_grades, complaint_about_grade, pl.Int32)
# By our name of the column; what is not here is an id.
KINDS = {"score": SCORE, "rank": SCORE, "grade": GRADE}
