"""Files of orderings: runs order documents, tables of scores order systems."""

import math
import os
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from ireval.io.files import MAX_BYTES, BadFile, ProblemList, local_file, name_of
from ireval.io.qrels import csv_lines
from ireval.io.runs import read_run
from ireval.io.tables import DOCNO, SCORE, find_columns, is_parquet
from ireval.significance.scores import as_number, numbers_in_parquet, opening

SYSTEM = ("system", "run", "tag", "name", "runid", "run_id")
COLUMNS = {"system": SYSTEM, "score": (*SCORE, "value", "mean")}
EXPECTED = "a run, or a header with the columns system and score"


def read_ordering(path: str | os.PathLike[str]) -> pl.DataFrame | dict[str, float]:
    """Read an ordering: a run as read_run returns it, or systems with their scores, whichever the file holds.

    Systems come as CSV with commas, semicolons or tabs, or as Parquet, with the columns system and score (or run, value, mean,
    …). Files may be compressed; "-" is standard input. Raises BadFile, with up to 100 problems: scores that are no finite
    number, a system twice, and files that are neither.
    """
    with local_file(path) as local:
        name = name_of(path)
        if is_parquet(local):
            return read_run(local, name=name) if holds_documents(local, name) else scores_from_parquet(local, name)
        first = opening(local, name, EXPECTED)
        separator = next((mark for mark in "\t,;" if mark in first), None)
        if separator and COLUMNS.keys() == find_columns(first.split(separator), COLUMNS).keys():
            return scores_from_csv(local, name, separator)
        if separator and len(first.split()) < 5:
            raise BadFile.because(name, f"expected {EXPECTED}", 1)
        return read_run(local, name=name)


def holds_documents(path: Path, name: str) -> bool:
    try:
        return bool(find_columns(list(pl.read_parquet_schema(path)), {"docno": DOCNO}))
    except pl.exceptions.PolarsError as error:
        raise BadFile.because(name, f"the Parquet file is damaged ({error})") from error


def scores_from_parquet(path: Path, name: str) -> dict[str, float]:
    present = list(pl.read_parquet_schema(path))
    columns = find_columns(present, COLUMNS)
    if len(columns) < len(COLUMNS):
        raise BadFile.because(name, f"has columns {', '.join(present)}; expected {EXPECTED}")
    wanted = [columns["system"], columns["score"]]
    return dict(numbers_in_parquet(path, name, SYSTEM, wanted).select(wanted).iter_rows())


def scores_from_csv(path: Path, name: str, separator: str) -> dict[str, float]:
    lines = csv_lines(path, name, MAX_BYTES, separator)
    _, header = next(lines)
    places = [header.index(column) for column in find_columns(header, COLUMNS).values()]
    return checked(lines, name, (places[0], places[1]), len(header))


def checked(rows: Iterable[tuple[int, list[str]]], name: str, places: tuple[int, int], width: int) -> dict[str, float]:
    problems, scores = ProblemList(name), dict[str, float]()
    for number, cells in rows:
        if len(cells) != width:
            problems.add(number, f"expected {width} columns, found {len(cells)}")
            continue
        system, text = (cells[place].strip() for place in places)
        if not system or system in scores:
            problems.add(number, f"system {system} is there twice" if system else "has no system")
        elif math.isnan(as_number(text)):
            problems.add(number, f'score is "{text}"; expected a number')
        scores[system] = as_number(text)
    problems.raise_if_any()
    if not scores:
        raise BadFile.because(name, "holds no systems")
    return scores
