"""Credit of interleaved systems per impression, and files of it."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
from numpy.typing import ArrayLike

from ireval.arrays import Ints
from ireval.experiments.experiment_files import is_number
from ireval.experiments.experiment_parquet import frame_in
from ireval.experiments.observations import BadExperiment, complaint_about_number, numbers_of
from ireval.io.arguments import require_type
from ireval.io.cells import require_cells, shown
from ireval.io.delimited_tables import Shape, cells_of, header_of, rows_of, separated
from ireval.io.files import MAX_BYTES, BadFile, ProblemList, local_file, name_of
from ireval.io.frames import TableSource, as_table
from ireval.io.tables import is_parquet
from ireval.labels.labels import texts

USER, QUERY = KEYS = ("user", "query")
Names = Sequence | Ints | pl.Series


@dataclass(frozen=True, eq=False)
class Credits:
    """The `user` and `query` of N impressions, (N,), and the `credit` of each system by name, (N,).

    Who has these as arrays writes Credits(user, query, {"new": …, "old": …}). What takes Credits checks them.
    """

    user: Names
    query: Names
    credit: Mapping[str, ArrayLike]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order of the table."""
        return tuple(self.credit)


def credits_of(source: TableSource, systems: Sequence[str] | None = None) -> Credits:
    """Credit from a path or a frame of polars or pandas with one row per impression: user, query and one column per system.

    A path is read by read_credits, which raises BadFile. `systems` names the columns to use, in their order; by default all
    further columns. BadExperiment for missing columns, fewer than two systems, no rows, empty cells, and credit that is no number
    from 0.

    >>> frame = pl.DataFrame({"user": ["u", "v"], "query": ["cats", "dogs"], "old": [1, 0], "new": [0, 2]})
    >>> credits_of(frame).systems, credits_of(frame, ["new", "old"]).systems
    (('old', 'new'), ('new', 'old'))
    """
    if isinstance(source, str | os.PathLike):
        return read_credits(source, systems=systems)
    table = as_table(source, BadExperiment, or_path=True)
    chosen = columns_of(table.columns, systems)[2:]
    if table.is_empty():
        raise BadExperiment("there are no rows")
    require_cells(table, KEYS, BadExperiment)
    user, query = (texts(table[column]).str.strip_chars() for column in KEYS)
    credit = {name: numbers_of(table, name) for name in chosen}
    for name, numbers in credit.items():
        if (below := numbers < 0).any():
            row = int(below.argmax())
            raise BadExperiment(f"row {row + 1:,}: column {name} is {numbers[row]:g}; expected a number from 0: mend it")
    return Credits(user, query, credit)


def as_credits(source: Credits | TableSource, systems: Sequence[str] | None = None) -> Credits:
    """Credits as they are, or made by credits_of of a path or a frame; only of these `systems`, in their order."""
    if not isinstance(source, Credits):
        return credits_of(source, systems)
    require_type("credit", source.credit, Mapping, "{system: credit of every impression}", BadExperiment)
    return replace(source, credit={name: source.credit[name] for name in chosen_systems(list(source.credit), systems)})


def columns_of(present: Sequence[str], systems: Sequence[str] | None) -> list[str]:
    if not set(KEYS) <= set(present):
        raise BadExperiment(f"has columns {', '.join(present)}; expected user, query and the credit of each system")
    return [*KEYS, *chosen_systems([column for column in present if column not in KEYS], systems)]


def chosen_systems(others: Sequence[str], systems: Sequence[str] | None) -> list[str]:
    if isinstance(systems, str) or not isinstance(systems, Sequence | None):
        raise BadExperiment(f"systems are {shown(systems)}; expected a list of names")
    for name in (*others, *(systems or ())):
        require_type("a system", name, str, "its name: write numbers as text", BadExperiment)
    chosen = list(others) if systems is None else list(dict.fromkeys(systems))
    if lacking := [name for name in chosen if name not in others]:
        raise BadExperiment(f"there is no system {lacking[0] or repr('')}; expected some of {', '.join(others)}")
    if len(chosen) < 2:
        raise BadExperiment(f"expected the credit of two systems or more, found {len(chosen)}")
    return chosen


def read_credits(
    path: str | os.PathLike[str], *, systems: Sequence[str] | None = None, name: str | None = None, max_bytes: int = MAX_BYTES
) -> Credits:
    """Read credit: CSV with commas, semicolons or tabs, or Parquet; compressed or not; "-" is standard input.

    The columns are those of `credits_of`; if `systems` are named, other columns may hold anything. Raises BadFile, with up to 100
    problems: missing columns, another number of columns, an empty cell, and credit that is no number from 0.
    """
    with local_file(path, max_bytes=max_bytes) as local:
        name = name or name_of(path)
        if is_parquet(local):
            return credits_in(frame_in(local, name, max_bytes, lambda present: columns_of(present, systems)), systems, name)
        shape = shape_of(*header_of(local, name, max_bytes, expected=": user, query and the systems"), systems, name)
        frame = cells_of(local, shape, name, max_bytes, explain=lambda: explain(local, shape, name, max_bytes))
        try:
            if frame is not None:
                return credits_of(frame, systems)
        except BadExperiment as error:
            explain(local, shape, name, max_bytes)
            raise BadFile.because(name, str(error)) from error
        explain(local, shape, name, max_bytes)
        raise BadFile.because(name, "cannot be read as CSV")


def credits_in(frame: pl.DataFrame, systems: Sequence[str] | None, name: str) -> Credits:
    try:
        return credits_of(frame, systems)
    except BadExperiment as error:
        raise BadFile.because(name, str(error)) from error


def shape_of(number: int, line: str, systems: Sequence[str] | None, name: str) -> Shape:
    """The layout by the separator that gives most columns."""
    mark, header = max(separated(line).items(), key=lambda choice: len(choice[1]))
    if twice := next((column for column in header if header.count(column) > 1), None):
        raise BadFile.because(name, f"column {twice} is there twice", number)
    try:
        return Shape(mark, len(header), {column: header.index(column) for column in columns_of(header, systems)})
    except BadExperiment as error:
        raise BadFile.because(name, str(error), number) from error


def explain(path: Path, shape: Shape, name: str, max_bytes: int) -> None:
    """Read a file row by row and raise BadFile with everything that is wrong with it; return if nothing is."""
    problems = ProblemList(name)
    for number, row in rows_of(path, shape, name, max_bytes):
        for complaint in [row] if isinstance(row, str) else complaints_about(row):
            problems.add(number, complaint)
        if problems.full:
            break
    problems.raise_if_any()


def complaints_about(row: dict[str, str]) -> Iterator[str]:
    for column, cell in row.items():
        if column in KEYS:
            if not cell:
                yield f"has no {column}"
        elif not is_number(cell):
            yield f"column {column} {complaint_about_number(cell)}"
        elif float(cell) < 0:
            yield f"column {column} is below 0"
