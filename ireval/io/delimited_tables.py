"""Tables with a header and cells separated by commas, semicolons or tabs, whatever their columns."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl

from ireval.io.columns import BOM, count
from ireval.io.csv_rows import unguarded, unguarded_column
from ireval.io.files import BadFile, lines, open_file
from ireval.io.qrels import csv_lines

SEPARATORS = ",;\t"


class Shape(NamedTuple):
    """How a file is laid out: `places` are those of the columns that are read."""

    separator: str
    width: int
    places: dict[str, int]


def header_of(path: Path, name: str, max_bytes: int, *, expected: str) -> tuple[int, str]:
    """The first line that is not blank, and its number."""
    for number, line in lines(path, name=name, max_bytes=max_bytes):
        if line.strip():
            return number, line
    raise BadFile.because(name, f"is empty; expected a header{expected}")


def separated(line: str) -> dict[str, list[str]]:
    """The names of the columns by each separator."""
    return {mark: [cell.strip() for cell in next(csv.reader([line], delimiter=mark))] for mark in SEPARATORS}


def cells_of(path: Path, shape: Shape, name: str, max_bytes: int, *, explain: Callable[[], None]) -> pl.DataFrame | None:
    """The columns as text, or None if polars cannot read a line.

    `explain` is called if only reading row by row tells whether the file is right; it raises BadFile if not.
    """
    with open_file(path, name=name, max_bytes=max_bytes) as stream:
        text = stream.read().removeprefix(BOM).replace(b"\r\n", b"\n").lstrip(b"\n")
    if b"\0" in text:
        raise BadFile.because(name, "this is a binary file; expected text")
    columns = {f"column {place}": pl.String for place in range(shape.width)}
    try:
        frame = pl.read_csv(text, separator=shape.separator, has_header=False, schema=columns)
    except pl.exceptions.PolarsError:
        return None
    frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    # polars drops surplus cells, and a quoted cell may contain separators.
    if b'"' in text or count(text, shape.separator.encode()) != len(frame) * (shape.width - 1):
        explain()
    return frame.slice(1).select(cell_of(place).alias(column) for column, place in shape.places.items())


def cell_of(place: int) -> pl.Expr:
    """A column's text, "" for an empty cell, without the apostrophe that guards formulas."""
    return unguarded_column(pl.col(f"column {place}").str.strip_chars().fill_null(""))


def rows_of(path: Path, shape: Shape, name: str, max_bytes: int) -> Iterator[tuple[int, dict[str, str] | str]]:
    """Yield every row below the header with its line, or what is wrong with it if it has too few or too many cells."""
    rows = csv_lines(path, name, max_bytes, shape.separator)
    next(rows)
    for number, cells in rows:
        if len(cells) != shape.width:
            yield number, f"expected {shape.width} columns, found {len(cells)}"
        else:
            yield number, {column: unguarded(cells[place].strip()) for column, place in shape.places.items()}
