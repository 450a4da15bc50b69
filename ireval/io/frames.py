"""Runs and qrels from paths, frames of polars or pandas, and dictionaries {topic: {docno: score}}."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, Protocol, TypeGuard

import numpy as np
import polars as pl

from ireval.io.cells import Table, is_long, shown
from ireval.io.checked_frames import Kind, believe, believed_kind
from ireval.io.files import BadFile, BadInput
from ireval.io.profiles import DEFAULT_PROFILE
from ireval.io.qrels import ALIASES, OPTIONAL, graded_table, read_qrels
from ireval.io.runs import RUN_ALIASES, RUN_SCHEMA, ranked_table, read_run
from ireval.io.tables import RANK, Aliases, candidates, columns_called

# Python's types that polars makes a column of; a column with other types is checked cell by cell.
PLAIN = ({str}, {int}, {float})
# numpy's types as pandas writes them; cells of pandas' own types, such as Int64, may be empty.
NUMBERS = re.compile(r"u?int(8|16|32|64)|float(32|64)")


class PandasFrame(Protocol):
    """The part of a pandas frame that is used; the engine does not import pandas."""

    @property
    def iloc(self) -> Any: ...

    @property
    def columns(self) -> Any: ...


class Result(Protocol):
    """A named tuple, the form of most results."""

    def _asdict(self) -> dict[str, Any]: ...


class WithTable(Protocol):
    @property
    def table(self) -> pl.DataFrame: ...


class WithValues(Protocol):
    @property
    def values(self) -> pl.DataFrame: ...


class WithFrame(Protocol):
    @property
    def frame(self) -> pl.DataFrame | Callable[[], pl.DataFrame]: ...


Tabular = WithTable | WithValues | WithFrame
Frame = pl.DataFrame | pl.LazyFrame | PandasFrame
# A file that one of the readers reads, or its table.
TableSource = str | os.PathLike[str] | Frame
Source = TableSource | Mapping[Any, Mapping[Any, Any]]


def as_run(source: Source, *, name: str = "run", profile: str = DEFAULT_PROFILE) -> pl.DataFrame | pl.LazyFrame:
    """A run, checked and ranked as read_run does it, from a path, a frame of polars or pandas, or {topic: {docno: score}}.

    A frame from read_run or scan_run is returned as it is. Columns may have the names of ir_measures, ranx and PyTerrier. A
    frame with ranks and no scores is ordered by its ranks; if there are scores, ranks are ignored. Refusals call the run `name`.
    Raises BadFile, which names row, column and remedy.

    >>> as_run({"1": {"d1": 0.5, "d2": 2}}).select("topic", "docno", "rank").sort("rank").rows()
    [('1', 'd2', 1), ('1', 'd1', 2)]
    """
    if isinstance(source, str | os.PathLike):
        return read_run(source, profile=profile)
    if is_checked(source, "run", name) or is_stored(source):
        return source
    table = table_of(source, RUN_ALIASES if has_scores(source) else BY_RANK, name=name)
    return believe(ranked_table(table, name, profile), "run")


def as_qrels(source: Source, *, name: str = "qrels", subtopics: bool = False) -> pl.DataFrame:
    """Qrels, checked as read_qrels checks them, from a path, a frame of polars or pandas, or {topic: {docno: grade}}.

    A column iteration is the subtopic in the same cases as TREC's second column; with `subtopics` it always is. Raises BadFile,
    which names row, column and remedy.

    >>> as_qrels({"1": {"d1": 0, "d2": 2}}).rows()
    [('1', 'd1', 0), ('1', 'd2', 2)]
    """
    if isinstance(source, str | os.PathLike):
        return read_qrels(source, subtopics=subtopics)
    if is_checked(source, "qrels", name):
        return source
    return believe(graded_table(table_of(source, ALIASES, name=name, optional=OPTIONAL), subtopics), "qrels")


SPOKEN: dict[Kind, str] = {"run": "a run", "qrels": "qrels"}
# Without these columns a frame that was read in part cannot be evaluated.
NEEDED: dict[Kind, tuple[str, ...]] = {"run": ("topic", "docno", "rank"), "qrels": tuple(ALIASES)}
BY_RANK: Aliases = {**{wanted: names for wanted, names in RUN_ALIASES.items() if wanted != "score"}, "rank": RANK}


def is_checked(source: object, wanted: Kind, name: str) -> TypeGuard[pl.DataFrame]:
    """Whether it was checked as what is wanted, and has the columns. BadFile if it was checked as something else."""
    kind = believed_kind(source)
    if kind and kind != wanted:
        raise BadFile.because(name, f"was read as {SPOKEN[kind]}; expected {SPOKEN[wanted]}: change the arguments round")
    return kind is not None and set(NEEDED[kind]) <= set(names_in(source) or ())


def is_stored(source: object) -> TypeGuard[pl.LazyFrame]:
    """Whether it is a run as write_run stores it, which was checked before it was stored."""
    return isinstance(source, pl.LazyFrame) and {**source.collect_schema(), "tag": pl.Categorical} == RUN_SCHEMA


def has_scores(source: object) -> bool:
    """Whether a run has scores; also true without ranks, so that the missing scores are reported."""
    present = [] if isinstance(source, Mapping) else names_in(source) or []
    return bool(candidates(present, RUN_ALIASES["score"])) or not candidates(present, RANK)


def table_of(source: object, aliases: Aliases, *, name: str, optional: Aliases | None = None) -> Table:
    """The wanted columns, unchecked. BadFile for what is no table, and for columns that are missing or there twice."""
    if isinstance(source, Mapping):
        return keyed_table(source, list(aliases), name)
    if isinstance(source, pl.LazyFrame):
        source = source.collect()
    present = names_in(source)
    if present is None:
        what = f"{{topic: {{docno: {list(aliases)[-1]}}}}}"
        raise BadFile.because(name, f"is {shown(source)}; expected a path, a frame of polars or pandas, or {what}")
    called = columns_called(present, aliases, optional or {}, name)
    columns = {wanted: column_in(source, present.index(column)) for wanted, column in called.items()}
    return Table(name, pl.DataFrame([column.alias(wanted) for wanted, column in columns.items()]), called)


def keyed_table(source: Mapping[Any, Any], columns: list[str], name: str) -> Table:
    """The three columns of a dictionary of dictionaries, such as {topic: {docno: score}}, unchecked."""
    for row, (topic, documents) in enumerate(source.items(), start=1):
        if not isinstance(documents, Mapping):
            message = f"row {row:,}, [{topic!r}]: is {shown(documents)}; expected {{{columns[1]}: {columns[2]}}}"
            raise BadFile.because(name, message)
    rows = [(topic, docno, value) for topic, documents in source.items() for docno, value in documents.items()]
    cells = zip(*rows, strict=True) if rows else [[]] * len(columns)
    frame = pl.DataFrame([column_of(list(values)).alias(column) for column, values in zip(columns, cells, strict=True)])
    return Table(name, frame, dict(zip(columns, columns, strict=True)), keyed=True)


def names_in(frame: object) -> list[str] | None:
    """The names of a frame's columns; None if it is no frame."""
    if isinstance(frame, pl.LazyFrame):
        return frame.collect_schema().names()
    is_frame = isinstance(frame, pl.DataFrame) or (hasattr(frame, "iloc") and hasattr(frame, "columns"))
    return [str(column) for column in frame.columns] if is_frame else None  # type: ignore[attr-defined]


def as_table(source: Frame, refusal: type[BadInput], *, or_path: bool = False) -> pl.DataFrame:
    """A frame of polars or pandas with all its columns, unchecked.

    Raises `refusal` for anything else. With `or_path` it says that a path would do, too, which the caller has read.
    """
    if isinstance(source, pl.DataFrame):
        return source
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    names = names_in(source)
    if names is None:
        expected = "a path, or a frame of polars or pandas" if or_path else "a frame of polars or pandas"
        mend = ": read the file first, for example with polars.read_csv" if isinstance(source, str | os.PathLike) else ""
        raise refusal(f"expected {expected}; found {shown(source)}{mend}")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise refusal(f"column {twice} is there twice: drop or rename one of them")
    return with_plain_cells(pl.DataFrame([column_in(source, place).alias(name) for place, name in enumerate(names)]))


def with_plain_cells(table: pl.DataFrame) -> pl.DataFrame:
    """Python's booleans and numbers, also of several types, and cells that are all empty, as polars has them.

    Scalars of numpy are as Python's. Whole numbers of more than 64 bits stay as they are, since some polars make them empty.
    """
    return table.with_columns(plain_column(column) for column in table if column.dtype == pl.Object)


def plain_column(column: pl.Series) -> pl.Series:
    values = [value.item() if isinstance(value, np.generic) else value for value in column.to_list()]
    if set(map(type, values)) <= {bool, int, float, type(None)} and not any(is_long(value) for value in values):
        return pl.Series(column.name, values, strict=False)
    return column_of(values).alias(column.name)


def with_text_keys(table: pl.DataFrame, columns: Iterable[str]) -> pl.DataFrame:
    """The table with a dictionary's keys as text if they are text and whole numbers, as runs take them."""
    return table.with_columns(text_keys(table[column]) for column in columns if table.schema[column] == pl.Object)


def text_keys(column: pl.Series) -> pl.Series:
    keys = column.to_list()
    are_ids = all(isinstance(key, str | Integral) and not isinstance(key, bool) for key in keys)
    return pl.Series(column.name, [str(key) for key in keys]) if are_ids else column


def column_in(frame: Any, place: int) -> pl.Series:
    if isinstance(frame, pl.DataFrame):
        return frame.to_series(place)
    column = frame.iloc[:, place]
    if NUMBERS.fullmatch(str(column.dtype)):
        return pl.Series(column.to_numpy())
    return column_of([None if empty else value for value, empty in zip(column.tolist(), column.isna().tolist(), strict=True)])


def frame_of(results: Result | Tabular | Iterable[Result]) -> pl.DataFrame:
    """Results as a frame, one row per result: named tuples such as those of arm_effects or agreement_of, or a single one.

    The fields of a result within a result have both names, such as score_low. Tables and lists within a result are left out.
    A result that has a table is that table. Such are the results of evaluate, compare, aggregate, ladder, implicit_labels,
    pooled_documents, difference_bounds and sampled_differences. No results give no columns. BadInput for what is no result.

    >>> from ireval.agreement import agreement_of
    >>> from ireval.labels import labels_of
    >>> labels = labels_of(pl.DataFrame({"item": [1, 1, 2, 2], "worker": ["ann", "ben"] * 2, "label": [0, 0, 1, 1]}))
    >>> frame_of(agreement_of(labels)).select("name", "value", "items").row(0)
    ('percent', 1.0, 2)
    """
    if (table := table_within(results)) is not None:
        return table
    rows: list[Any] = [*results] if isinstance(results, Iterable) and not hasattr(results, "_asdict") else [results]
    if strange := [row for row in rows if not hasattr(row, "_asdict")]:
        raise BadInput(f"found {shown(strange[0])}; expected results such as those of arm_effects")
    return pl.DataFrame([dict(fields_of(row)) for row in rows], infer_schema_length=None)


def table_within(results: Any) -> pl.DataFrame | None:
    """The table of what is no named tuple and has one: by the name table, values or frame, the last also as a method."""
    if hasattr(results, "_asdict"):
        return None
    frame = getattr(results, "frame", None)
    tables = getattr(results, "table", None), getattr(results, "values", None), frame() if callable(frame) else frame
    return next((table for table in tables if isinstance(table, pl.DataFrame)), None)


def fields_of(result: Result, within: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in result._asdict().items():
        if hasattr(value, "_asdict"):
            yield from fields_of(value, f"{within}{name}_")
        elif not isinstance(value, pl.DataFrame | list | dict | np.ndarray):
            yield within + name, value


def to_pandas(results: pl.DataFrame | Result | Tabular | Iterable[Result]) -> Any:
    """A frame of polars, or results as frame_of takes them, as a frame of pandas. It needs no pyarrow.

    ImportError if pandas is not installed.

    >>> to_pandas(pl.DataFrame({"topic": ["1"], "nDCG": [0.5]})).to_dict("list")
    {'topic': ['1'], 'nDCG': [0.5]}
    """
    frame = results if isinstance(results, pl.DataFrame) else frame_of(results)
    try:
        import pandas  # noqa: PLC0415 - the engine does without
    except ImportError as error:
        raise ImportError("pandas is not installed: pip install pandas") from error
    return pandas.DataFrame({column.name: values_of(column) for column in frame})


def values_of(column: pl.Series) -> Any:
    """Numbers as an array, which keeps their type; anything else, and numbers with missing ones, as a list."""
    is_array = column.dtype.is_numeric() and not column.dtype.is_decimal() and not column.null_count()
    return column.to_numpy() if is_array else column.to_list()


def column_of(values: Sequence[Any]) -> pl.Series:
    """Python's values as a column: of their type if all have the same, else of type Object, which holds them unchanged.

    >>> column_of(["a", None]).dtype, column_of([1, True]).dtype
    (String, Object)
    """
    if set(map(type, values)) - {type(None)} in PLAIN:
        try:
            return pl.Series(values)
        except (OverflowError, TypeError, UnicodeError):  # polars has a TypeError where only a later number is too long
            pass
    return pl.Series(values, dtype=pl.Object)
