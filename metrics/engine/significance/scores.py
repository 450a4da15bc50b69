"""One measure's values of several systems on the same topics: what every comparison starts from."""

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from ..evaluation import Evaluation
from ..files import MAX_BYTES, BadFile, ProblemList, local_file, name_of
from ..qrels import csv_lines, first_line
from ..rankings import Floats
from ..registry import Measure
from ..tables import TOPIC, is_parquet


class BadComparison(ValueError):
    """A comparison that cannot be made of what there is, and what is missing."""


@dataclass(frozen=True, eq=False)
class Scores:
    """`values` are topics × systems, none missing; `left_out` counts topics that not every system has."""

    topics: tuple[str, ...]
    systems: tuple[str, ...]
    values: Floats
    left_out: int = 0

    def __post_init__(self) -> None:
        if repeated := sorted({name for name in self.systems if self.systems.count(name) > 1}):
            raise BadComparison(f"there are several systems called {repeated[0]}; expected each once")
        if self.values.shape != (len(self.topics), len(self.systems)) or not np.isfinite(self.values).all():
            raise BadComparison("expected a number for each of the topics and systems")

    @cached_property
    def means(self) -> Floats:
        return self.values.mean(axis=0) if len(self.topics) else np.full(len(self.systems), np.nan)

    def number_of(self, system: str) -> int:
        if system not in self.systems:
            raise BadComparison(f"there is no system {system}; expected one of {', '.join(self.systems)}")
        return self.systems.index(system)


def scores_of(evaluations: Mapping[str, Evaluation], measure: Measure) -> Scores:
    """One measure of several systems, on the topics that all of them count.

    BadComparison for a measure that is nothing of single topics.
    """
    if measure.kind.only_over_all or measure.kind.aggregate == "geometric mean":
        raise BadComparison(f"{measure} is a figure over all topics; a comparison needs one a topic")
    columns = {
        system: dict(zip(evaluation.topics, evaluation.values[str(measure)].to_list(), strict=True))
        for system, evaluation in evaluations.items()
    }
    every = sorted(set().union(*columns.values()))
    shared = [topic for topic in every if all(topic in column for column in columns.values())]
    values = np.array([[column[topic] for column in columns.values()] for topic in shared], np.float64)
    return Scores(tuple(shared), tuple(columns), values.reshape(len(shared), len(columns)), len(every) - len(shared))


def read_scores(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Scores:
    """Read a table of a measure's values: a row a topic, a column a system, whose name the header gives.

    CSV with commas, semicolons or tabs, plain or compressed, or Parquet; "-" is standard input. A first column that is called
    topic (or as topics usually are) names the topics, which otherwise are numbered from 1. Raises BadFile, with up to 100
    problems, for cells that are no finite number, rows of another length, topics or systems named twice, and files without
    topics.
    """
    with local_file(path, max_bytes=max_bytes) as local:
        name = name_of(path)
        if is_parquet(local):
            return scores_from_parquet(local, name)
        first = first_line(local, name, max_bytes)
        separator = next((mark for mark in "\t;," if mark in first), ",")
        return scores_from_rows(csv_lines(local, name, max_bytes, separator), name)


def scores_from_parquet(path: Path, name: str) -> Scores:
    try:
        frame = pl.read_parquet(path, glob=False)
    except pl.exceptions.PolarsError as error:
        raise BadFile.because(name, f"the Parquet file is damaged ({error})") from error
    rows = [frame.columns, *([("" if cell is None else str(cell)) for cell in row] for row in frame.iter_rows())]
    return scores_from_rows(enumerate(rows, start=1), name, "row")


def scores_from_rows(rows: Iterable[tuple[int, list[str]]], name: str, unit: str = "line") -> Scores:
    problems = ProblemList(name)
    header: list[str] = []
    found: dict[str, list[float]] = {}
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
        topic = texts[0] if named else str(len(found) + 1)
        if topic in found or not topic:
            problems.add(number, f"topic {topic} is there twice" if topic else "has no topic")
        values = [as_number(text) for text in texts[named:]]
        for system, text, value in zip(header[named:], texts[named:], values, strict=True):
            if math.isnan(value):
                problems.add(number, f'column {system} is "{text}"; expected a number')
        found[topic] = values
    problems.raise_if_any()
    if not found:
        raise BadFile.because(name, "holds no topics; expected a header with the systems and a row a topic")
    return Scores(tuple(found), tuple(header[named:]), np.array(list(found.values())))


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
