"""Files of experiments: polars reads them while all is well; what is wrong is looked for row by row."""

import csv
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from ..columns import BOM, count
from ..files import MAX_BYTES, BadFile, ProblemList, lines, local_file, name_of, open_file
from ..qrels import csv_lines
from ..seen import Seen
from .experiment import (
    ARM,
    BEFORE,
    PER,
    UNIT,
    BadExperiment,
    Experiment,
    N,
    complaint_about_number,
    experiment_of,
    metric_columns,
)


class Shape(NamedTuple):
    """How a text file is laid out: `places` are those of the columns that are read."""

    separator: str
    width: int
    places: dict[str, int]


def read_experiment(
    path: str | os.PathLike[str], *, metrics: Sequence[str] | None = None, name: str | None = None, max_bytes: int = MAX_BYTES
) -> Experiment:
    """Read an experiment: CSV with commas, semicolons or tabs, compressed or not; "-" is standard input.

    A header, then a row a unit with unit, arm and metrics, or a row an arm with arm, n and conversions; what columns mean, and
    what becomes of a unit in two arms, says `experiment_of`. `metrics` names those that count; other columns may then hold
    anything.

    Raises BadFile, with up to 100 problems, for missing columns, another number of columns, an empty cell, what is no number, a
    unit that stands in one arm twice (with the lines of both), and what `experiment_of` refuses.
    """
    with local_file(path, max_bytes=max_bytes) as local:
        name = name or name_of(path)
        shape = shape_of(*first_line(local, name, max_bytes), metrics, name)
        frame = parse(local, shape, name, max_bytes)
        try:
            if frame is not None:
                return experiment_of(frame, metrics)
        except BadExperiment as error:
            explain(local, shape, name, max_bytes)
            raise BadFile.because(name, str(error)) from error
        explain(local, shape, name, max_bytes)
        raise BadFile.because(name, "cannot be read as CSV")


def first_line(path: Path, name: str, max_bytes: int) -> tuple[int, str]:
    for number, line in lines(path, name=name, max_bytes=max_bytes):
        if line.strip():
            return number, line
    raise BadFile.because(name, "is empty; expected a header: unit, arm and metrics, or arm, n and conversions")


def shape_of(number: int, line: str, metrics: Sequence[str] | None, name: str) -> Shape:
    """By the separator that gives most columns."""
    choices = {mark: [cell.strip() for cell in next(csv.reader([line], delimiter=mark))] for mark in ",;\t"}
    mark, header = max(choices.items(), key=lambda choice: len(choice[1]))
    try:
        groups = metric_columns(header, metrics)
    except BadExperiment as error:
        raise BadFile.because(name, str(error), number) from error
    if twice := next((column for column in header if header.count(column) > 1), None):
        raise BadFile.because(name, f"column {twice} is there twice", number)
    keys = [UNIT, ARM] if UNIT in header else [ARM, N]
    chosen = [column for group in groups.values() for column in group if column in header]
    return Shape(mark, len(header), {column: header.index(column) for column in [*keys, *chosen]})


def parse(path: Path, shape: Shape, name: str, max_bytes: int) -> pl.DataFrame | None:
    """The columns as text, or None if any line does not fit as far as can be seen at a glance."""
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
    # polars drops surplus cells; behind quotes a separator may be anything, which only a closer look tells.
    if b'"' in text or count(text, shape.separator.encode()) != len(frame) * (shape.width - 1):
        explain(path, shape, name, max_bytes)
    cells = [pl.col(f"column {place}").str.strip_chars().fill_null("").alias(column) for column, place in shape.places.items()]
    return frame.slice(1).select(cells)


def explain(path: Path, shape: Shape, name: str, max_bytes: int) -> None:
    """Read a file row by row and raise BadFile with everything that is wrong with it; return if nothing is."""
    problems, seen = ProblemList(name), Seen()
    rows = csv_lines(path, name, max_bytes, shape.separator)
    next(rows)
    for number, cells in rows:
        if len(cells) != shape.width:
            problems.add(number, f"expected {shape.width} columns, found {len(cells)}")
        else:
            row = {column: cells[place].strip() for column, place in shape.places.items()}
            for complaint in complaints_about(row):
                problems.add(number, complaint)
            if first := seen.first_line((row.get(UNIT), row[ARM]), number):
                what = f"unit {row[UNIT]} stands in arm {row[ARM]}" if UNIT in row else f"arm {row[ARM]} stands"
                problems.add(number, f"{what} again; the first time is on line {first}")
        if problems.full:
            break
    problems.raise_if_any()


def complaints_about(row: dict[str, str]) -> Iterator[str]:
    for column, cell in row.items():
        if column in (UNIT, ARM):
            if not cell:
                yield f"has no {column}"
        elif not is_number(cell):
            if cell or not column.endswith(BEFORE):
                yield f"column {column} {complaint_about_number(cell)}"
        elif column.endswith((PER, PER + BEFORE)) and float(cell) < 0:
            yield f"column {column} is below 0"
        elif UNIT not in row and (float(cell) < 0 or float(cell) % 1):
            yield f"column {column} is {cell}; expected a whole number from 0"
        elif UNIT not in row and is_number(row[N]) and float(cell) > float(row[N]):
            yield f"{column} is {cell} of {row[N]} units"


def is_number(text: str) -> bool:
    try:
        return abs(float(text)) < float("inf")
    except ValueError:
        return False
