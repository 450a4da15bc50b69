"""One measure's values of several systems on the same topics: what every comparison starts from."""

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ireval.arrays import Floats
from ireval.io.arguments import is_name_in, require_type
from ireval.io.cells import FILL_IN, checked, is_id
from ireval.io.files import MAX_BYTES, BadFile, BadInput, ProblemList, lines, local_file, name_of
from ireval.io.frames import Source, as_table, keyed_table
from ireval.io.qrels import csv_lines
from ireval.io.tables import TOPIC, is_parquet
from ireval.measures.evaluation import Evaluation, terms
from ireval.measures.names import Name, parse_measure
from ireval.measures.registry import Measure


class BadComparison(BadInput):
    """A comparison that cannot be made, and what is missing."""


@dataclass(frozen=True, eq=False)
class Scores:
    """`values` are topics × systems, none missing; `left_out` counts topics that not every system has.

    `largest_difference` is the most by which two values of the measure can differ; infinite where that is not known.
    """

    topics: tuple[str, ...]
    systems: tuple[str, ...]
    values: Floats
    left_out: int = 0
    largest_difference: float = math.inf

    def __post_init__(self) -> None:
        if repeated := sorted({name for name in self.systems if self.systems.count(name) > 1}):
            raise BadComparison(f"there are several systems called {repeated[0]}; expected each once")
        if self.values.shape != (len(self.topics), len(self.systems)) or not np.isfinite(self.values).all():
            raise BadComparison("expected a number for each of the topics and systems")

    @cached_property
    def means(self) -> Floats:
        """Each system's mean over topics, (systems,); NaN without topics."""
        return self.values.mean(axis=0) if len(self.topics) else np.full(len(self.systems), np.nan)

    def number_of(self, system: str) -> int:
        """The place of a system in `systems`; BadComparison if it is none."""
        if not is_name_in(system, self.systems):
            raise BadComparison(f"there is no system {system}; expected one of {', '.join(self.systems)}")
        return self.systems.index(system)


def scores_of(evaluations: Mapping[str, Evaluation], measure: Name) -> Scores:
    """One measure of several systems, on the topics that all of them have; `measure` is a measure or its name.

    Of a ratio of two means, such as nDCG(average='micro'), the values are its `terms`: their means are the measure's. Such a term
    says what a topic adds to the ratio and may leave the measure's range.

    BadComparison for a measure without values per topic, or that was not evaluated. Without common topics, Scores has none.

    >>> from ireval.measures.evaluation import evaluate
    >>> evaluation = evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 1}}, "RR P@1")
    >>> scores_of({"bm25": evaluation, "rm3": evaluation}, "RR").values.tolist()
    [[0.5, 0.5]]
    """
    require_type("evaluations", evaluations, Mapping, "{system: evaluation}, each as evaluate returns it")
    for system, evaluation in evaluations.items():
        require_type(f"the evaluation of {system}", evaluation, Evaluation, "an Evaluation, which evaluate returns")
    measure = measure if isinstance(measure, Measure) else parse_measure(measure)
    if measure.kind.only_over_all or measure.kind.aggregate == "geometric mean":
        raise BadComparison(f"{measure} is a figure over all topics; a comparison needs one a topic")
    for system, evaluation in evaluations.items():
        if str(measure) not in evaluation.values.columns:
            raise BadComparison(f"{system} has no {measure}; it was evaluated by {', '.join(map(str, evaluation.measures))}")
    topics = [set(evaluation.topics) for evaluation in evaluations.values()]
    shared = sorted(set.intersection(*topics)) if topics else []
    frames = [evaluation.values.filter(pl.col("topic").is_in(shared)).sort("topic") for evaluation in evaluations.values()]
    table = np.array([terms(frame, measure) for frame in frames], np.float64).reshape(len(frames), len(shared)).T.copy()
    largest = math.inf if measure.weight else measure.kind.largest_difference
    return Scores(tuple(shared), tuple(evaluations), table, len(set().union(*topics)) - len(shared), largest)


def read_scores(path: Source, *, max_bytes: int = MAX_BYTES) -> Scores:
    """Read a table of a measure's values: one row per topic, one column per system, named in the header.

    It may be a frame of polars or pandas, or a file: Parquet, or CSV with commas, semicolons or tabs, plain or compressed. "-" is
    standard input. Or it is {system: {topic: value}}, of which topics count that all systems have. In a table, a first column
    called topic, or by another of the usual names, names the topics; otherwise they are numbered from 1. Raises BadFile, with up
    to 100 problems: cells that are no finite number, rows of another length, and topics or systems named twice. Also for files
    without topics.
    """
    if isinstance(path, Mapping):
        return scores_by_system(path)
    if not isinstance(path, str | os.PathLike):
        return scores_in(as_table(path, BadComparison, or_path=True), "scores")
    with local_file(path, max_bytes=max_bytes) as local:
        name = name_of(path)
        if is_parquet(local):
            return scores_from_parquet(local, name)
        first = opening(local, name, "a header with the systems and one row per topic", max_bytes)
        separator = next((mark for mark in "\t;," if mark in first), ",")
        return scores_from_rows(csv_lines(local, name, max_bytes, separator), name)


def scores_by_system(values: Mapping[Any, Mapping[Any, Any]]) -> Scores:
    """Scores of {system: {topic: value}}; BadFile names the keys of what is no number."""
    if any(isinstance(value, Evaluation) for value in values.values()):
        raise BadComparison("found evaluations; expected {system: {topic: value}}: scores_of makes scores of evaluations")
    columns = ["system", "topic", "score"]
    frame = checked(keyed_table(values, columns, "scores"))
    keys = frame.select(columns[:2])
    if (again := keys.is_duplicated()).any():
        system, topic = keys.row(int(again.arg_max() or 0))
        raise BadFile.because("scores", f"[{system!r}][{topic!r}] is there twice, as a number and as text: keep one of them")
    rows = {str(system): {} for system in values} | {
        name: dict(part.select(columns[1:]).iter_rows()) for (name,), part in frame.group_by("system")
    }
    shared = sorted(set.intersection(*map(set, rows.values()))) if rows else []
    table = np.array([[row[topic] for row in rows.values()] for topic in shared]).reshape(len(shared), len(rows))
    return Scores(tuple(shared), tuple(rows), table, frame["topic"].n_unique() - len(shared))


def opening(path: Path, name: str, expected: str, max_bytes: int = MAX_BYTES) -> str:
    """The first line that is not blank."""
    for _, line in lines(path, name=name, max_bytes=max_bytes):
        if line.strip():
            return line
    raise BadFile.because(name, f"is empty; expected {expected}")


def as_scores(source: Scores | Source) -> Scores:
    """Scores as they are, or what read_scores takes; evaluations become Scores by scores_of."""
    return source if isinstance(source, Scores) else read_scores(source)


def scores_from_parquet(path: Path, name: str) -> Scores:
    return scores_in(parquet_in(path, name), name)


def scores_in(table: pl.DataFrame, name: str) -> Scores:
    frame = numbers_in(table, name, names=TOPIC)
    if not frame.columns[frame.columns[0].lower() in TOPIC :]:
        raise BadFile.because(name, "expected a column per system besides the topic")
    topics = frame[frame.columns[0]].to_list() if frame.columns[0].lower() in TOPIC else [str(n + 1) for n in range(len(frame))]
    systems = frame.columns[frame.columns[0].lower() in TOPIC :]
    return Scores(tuple(topics), tuple(systems), frame.select(systems).to_numpy().reshape(len(topics), len(systems)))


def numbers_in_parquet(path: Path, name: str, names: tuple[str, ...], columns: list[str] | None = None) -> pl.DataFrame:
    """Some columns, or all, as `numbers_in` has them."""
    return numbers_in(parquet_in(path, name, columns), name, names)


def parquet_in(path: Path, name: str, columns: list[str] | None = None) -> pl.DataFrame:
    try:
        return pl.read_parquet(path, glob=False, columns=columns)
    except pl.exceptions.PolarsError as error:
        raise BadFile.because(name, f"the Parquet file is damaged ({error})") from error


def numbers_in(frame: pl.DataFrame, name: str, names: tuple[str, ...]) -> pl.DataFrame:
    """Finite numbers (Float64), and a column called as in `names`, which has each entry (String) once."""
    if frame.is_empty():
        raise BadFile.because(name, "holds no rows")
    for column in frame.get_columns():
        is_name = column.name.lower() in names
        if not (is_id(column.dtype) if is_name else column.dtype.is_numeric()):
            expected = "text or whole numbers" if is_name else "numbers"
            raise BadFile.because(name, f"column {column.name} is of type {column.dtype}; expected {expected}: convert it")
        cells = column.cast(pl.String if is_name else pl.Float64)
        bad = cells.is_null() | ~cells.is_first_distinct() if is_name else ~cells.is_finite().fill_null(value=False)
        if bad.any():
            row = bad.arg_max() or 0
            problem = "empty" if cells[row] is None else f"{cells[row]}, which is there twice" if is_name else cells[row]
            expected = "each once" if is_name else "a finite number"
            raise BadFile.because(name, f"row {row + 1:,}: column {column.name} is {problem}; expected {expected}: {FILL_IN}")
        frame = frame.with_columns(cells)
    return frame


def scores_from_rows(rows: Iterable[tuple[int, list[str]]], name: str) -> Scores:
    problems = ProblemList(name)
    header: list[str] = []
    by_topic: dict[str, list[float]] = {}
    named = False
    for number, cells in rows:
        texts = [cell.strip() for cell in cells]
        if not header:
            named, header = texts[0].lower() in TOPIC, texts
            refuse_bad_header(header[named:], name, number)
            continue
        if len(texts) != len(header):
            problems.add(number, f"expected {len(header)} columns ({', '.join(header[:4])}, …), found {len(texts)}")
            continue
        topic = texts[0] if named else str(len(by_topic) + 1)
        if topic in by_topic or not topic:
            problems.add(number, f"topic {topic} is there twice" if topic else "has no topic")
        values = [as_number(text) for text in texts[named:]]
        for system, text, value in zip(header[named:], texts[named:], values, strict=True):
            if math.isnan(value):
                problems.add(number, f'column {system} is "{text}"; expected a number')
        by_topic[topic] = values
    problems.raise_if_any()
    if not by_topic:
        raise BadFile.because(name, "holds no topics; expected a header with the systems and one row per topic")
    return Scores(tuple(by_topic), tuple(header[named:]), np.array(list(by_topic.values())))


def refuse_bad_header(systems: list[str], name: str, number: int) -> None:
    repeated = [system for place, system in enumerate(systems) if system in systems[:place]]
    if repeated:
        raise BadFile.because(name, f"column {repeated[0]} is there twice; expected each system once", number)
    if not systems or all(not math.isnan(as_number(system)) for system in systems):
        raise BadFile.because(name, "expected a header: topic, then one column a system", number)


def as_number(text: str) -> float:
    """NaN for what is no finite number."""
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) and "_" not in text else math.nan
