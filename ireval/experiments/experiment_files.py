"""Experiments from files and frames: polars reads a file; if it is wrong, its problems are found row by row."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ireval.experiments.experiment_parquet import frame_in
from ireval.experiments.observations import (
    ARM,
    BEFORE,
    PER,
    UNIT,
    BadExperiment,
    Experiment,
    N,
    complaint_about_number,
    experiment_in_table,
    metric_columns,
)
from ireval.io.delimited_tables import Shape, cells_of, header_of, rows_of, separated
from ireval.io.files import MAX_BYTES, BadFile, ProblemList, local_file, name_of
from ireval.io.first_lines import FirstLines
from ireval.io.frames import TableSource, as_table
from ireval.io.tables import is_parquet


def read_experiment(
    path: str | os.PathLike[str], *, metrics: Sequence[str] | None = None, name: str | None = None, max_bytes: int = MAX_BYTES
) -> Experiment:
    """Read an experiment: CSV with commas, semicolons or tabs, compressed or not, or Parquet; "-" is standard input.

    A header comes first. Then follow one row per unit with unit, arm and metrics, or one row per arm with arm, n and conversions.
    `experiment_of` explains the columns, and what happens to a unit in two arms. `metrics` names the columns to use; other
    columns may then hold anything.

    Raises BadFile, with up to 100 problems: missing columns, another number of columns, and cells that are empty or no number.
    Also for a unit twice in one arm, with both lines, and for what `experiment_of` refuses.
    """
    with local_file(path, max_bytes=max_bytes) as local:
        name = name or name_of(path)
        if is_parquet(local):
            return from_parquet(local, metrics, name, max_bytes)
        header = header_of(local, name, max_bytes, expected=": unit, arm and metrics, or arm, n and conversions")
        shape = shape_of(*header, metrics, name)
        frame = cells_of(local, shape, name, max_bytes, explain=lambda: explain(local, shape, name, max_bytes))
        try:
            if frame is not None:
                return experiment_in_table(frame, metrics)
        except BadExperiment as error:
            explain(local, shape, name, max_bytes)
            raise BadFile.because(name, str(error)) from error
        explain(local, shape, name, max_bytes)
        raise BadFile.because(name, "cannot be read as CSV")


def experiment_of(source: TableSource, metrics: Sequence[str] | None = None) -> Experiment:
    """An experiment from a path or a frame of polars or pandas.

    The columns are unit, arm and metrics, one row per unit; or arm, n and conversions, one row per arm. A path is read by
    read_experiment, which raises BadFile.
    For the metric `clicks`, `clicks__per` has its denominators, `clicks__before` what the unit did before the experiment and
    `clicks__per__before` its denominators then. An empty cell or NaN there is a unit that was not known, and counts as 0.
    `metrics` names the columns to use; by default all further columns.
    A unit in two arms is left out and named in `crossed`. BadExperiment for a unit twice in one arm, empty cells, cells that are
    no numbers, and what `experiment_from` refuses.

    >>> import polars as pl
    >>> rows = [("u1", "a", 1.0), ("u2", "b", 3.0), ("u3", "a", 2.0), ("u3", "b", 2.0), ("u4", "b", 0.5)]
    >>> experiment = experiment_of(pl.DataFrame(rows, schema=["unit", "arm", "clicks"], orient="row"))
    >>> experiment.n.tolist(), experiment.crossed
    ([1, 2], ('u3',))
    """
    if isinstance(source, str | os.PathLike):
        return read_experiment(source, metrics=metrics)
    return experiment_in_table(as_table(source, BadExperiment, or_path=True), metrics)


def as_experiment(source: Experiment | TableSource) -> Experiment:
    """An experiment as it is, or made by experiment_of of a path or a frame."""
    return source if isinstance(source, Experiment) else experiment_of(source)


def shape_of(number: int, line: str, metrics: Sequence[str] | None, name: str) -> Shape:
    """The layout by the separator that gives most columns."""
    mark, header = max(separated(line).items(), key=lambda choice: len(choice[1]))
    try:
        chosen = columns_of(header, metrics)
    except BadExperiment as error:
        raise BadFile.because(name, str(error), number) from error
    if twice := next((column for column in header if header.count(column) > 1), None):
        raise BadFile.because(name, f"column {twice} is there twice", number)
    return Shape(mark, len(header), {column: header.index(column) for column in chosen})


def columns_of(present: Sequence[str], metrics: Sequence[str] | None) -> list[str]:
    groups = metric_columns(present, metrics)
    keys = [UNIT, ARM] if UNIT in present else [ARM, N]
    return [*keys, *(column for group in groups.values() for column in group if column in present)]


def from_parquet(path: Path, metrics: Sequence[str] | None, name: str, max_bytes: int) -> Experiment:
    frame = frame_in(path, name, max_bytes, lambda present: columns_of(present, metrics))
    try:
        return experiment_in_table(frame, metrics)
    except BadExperiment as error:
        raise BadFile.because(name, str(error)) from error


def explain(path: Path, shape: Shape, name: str, max_bytes: int) -> None:
    """Read a file row by row and raise BadFile with everything that is wrong with it; return if nothing is."""
    problems, first_lines = ProblemList(name), FirstLines()
    for number, row in rows_of(path, shape, name, max_bytes):
        if isinstance(row, str):
            problems.add(number, row)
        else:
            for complaint in complaints_about(row):
                problems.add(number, complaint)
            if first := first_lines.first_line((row.get(UNIT), row[ARM]), number):
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
