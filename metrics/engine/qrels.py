"""Qrels: which document has which grade for which topic, from the formats in which the world keeps them."""

import csv
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import polars as pl

from .columns import Layout, distinct_blocks, duplicate_pairs, explain, has_duplicates, repeated, split
from .files import MAX_BYTES, BadFile, Problem, ProblemList, Row, lines, local_file, name_of
from .tables import DOCNO, GRADE, TOPIC, find_columns, is_parquet, missing_columns, read_parquet_table

QRELS_SCHEMA = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}
ALIASES = {"topic": TOPIC, "docno": DOCNO, "grade": GRADE}
FORMATS = ("trec", "csv", "jsonl", "parquet")
WHOLE_NUMBER = re.compile(r"[+-]?\d+", re.ASCII)
LIMIT = 2**31
LONGEST_HEADER = 10_000


def complaint_about_grade(text: str) -> str | None:
    if not WHOLE_NUMBER.fullmatch(text):
        return f'is "{text}"; expected a whole number'
    return None if len(text) < 12 and -LIMIT <= int(text) < LIMIT else f"is {text[:20]}, which is too large"


QRELS = Layout(
    what="judgements",
    columns=("topic", "iteration", "docno", "grade"),
    kept={"topic": pl.String, "docno": pl.String, "grade": pl.Int32},
    checked="grade",
    check=complaint_about_grade,
)


def read_qrels(path: str | os.PathLike[str], *, name: str | None = None, max_bytes: int = MAX_BYTES) -> pl.DataFrame:
    """Read qrels in any of the usual formats, told apart by what the file holds, not by what it is called.

    TREC (topic iteration docno grade), BEIR (query-id corpus-id score, with that header), CSV or TSV with a header, JSON
    Lines and Parquet, each under the usual column names; gz, xz and zst are read as they are; "-" is standard input.

    Returns topic, docno, grade (QRELS_SCHEMA) in the order of the file. Raises BadFile, with up to 100 problems, for a wrong
    number of columns, a grade that is no whole number, a document twice in a topic, or a file without judgements.
    """
    with local_file(path, max_bytes=max_bytes) as local:
        name = name or name_of(path)
        if is_parquet(local):
            return qrels_from_parquet(local, name, max_bytes)
        rows = table_rows(local, name, max_bytes)
        return from_rows(rows, name) if rows else qrels_from_trec(local, name, max_bytes)


def table_rows(path: Path, name: str, max_bytes: int) -> Iterator[Row | Problem] | None:
    """The rows of CSV or of JSON Lines; None for TREC's columns."""
    first = first_line(path, name, max_bytes)
    if is_trec(first):
        return None
    if first.startswith("{"):
        return json_rows(path, name, max_bytes)
    separator = separator_of_header(first)
    return csv_rows(path, name, max_bytes, separator) if separator else None


def first_line(path: Path, name: str, max_bytes: int) -> str:
    for _, line in lines(path, name=name, max_bytes=max_bytes):
        if line.strip() and not line.startswith("#"):
            return line.strip()
    raise BadFile.because(name, f"is empty; expected lines of {QRELS.expected}")


def is_trec(line: str) -> bool:
    """Whether a line is one of TREC's, even if its topic is called "query" or "{"."""
    values = split(line, QRELS)
    return len(values) == len(QRELS.columns) and complaint_about_grade(values[-1]) is None


def separator_of_header(line: str) -> str | None:
    """What separates the columns of a header line, or None if the line is no header.

    >>> separator_of_header("query-id\\tcorpus-id\\tscore")
    '\\t'
    >>> separator_of_header("301 0 FBIS3-1 1")
    """
    if len(line) > LONGEST_HEADER:
        return None
    for separator in ("\t", ",", ";"):
        if separator in line and find_columns(next(csv.reader([line], delimiter=separator)), ALIASES):
            return separator
    return None


def qrels_from_trec(path: Path, name: str, max_bytes: int) -> pl.DataFrame:
    frame = pl.concat(distinct_blocks(path, QRELS, name=name, max_bytes=max_bytes))
    if has_duplicates(frame):
        raise explain(path, QRELS, name=name, max_bytes=max_bytes)
    return frame


def qrels_from_parquet(path: Path, name: str, max_bytes: int) -> pl.DataFrame:
    frame = read_parquet_table(path, ALIASES, name=name, max_bytes=max_bytes)
    grade = frame["grade"]
    if not grade.dtype.is_numeric():
        raise BadFile.because(name, f"has grades of type {grade.dtype}; expected whole numbers")
    if bad := int((~grade.cast(pl.Float64).is_between(-LIMIT, LIMIT - 1) | (grade % 1 != 0)).sum()):
        raise BadFile.because(name, f"has {bad:,} grades that are not whole numbers")
    if has_duplicates(frame):
        raise BadFile(Problem(name, 0, f"document {docno} twice in topic {topic}") for topic, docno in duplicate_pairs(frame))
    return frame.cast({"grade": pl.Int32})


def csv_rows(path: Path, name: str, max_bytes: int, separator: str) -> Iterator[Row | Problem]:
    header: list[str] = []
    places: list[int] = []
    for number, values in csv_lines(path, name, max_bytes, separator):
        if not header:
            header = values
            if complaint := missing_columns(header, ALIASES):
                raise BadFile.because(name, complaint, number)
            places = [header.index(column) for column in find_columns(header, ALIASES).values()]
        elif len(values) == len(header):
            topic, docno, grade = (values[place].strip() for place in places)
            yield number, topic, docno, grade
        else:
            yield Problem(name, number, f"expected {len(header)} columns ({', '.join(header)}), found {len(values)}")


def csv_lines(path: Path, name: str, max_bytes: int, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not empty, with the number of the line on which each begins."""
    texts = (line + "\n" for _, line in lines(path, name=name, max_bytes=max_bytes))
    reader = csv.reader(texts, delimiter=separator, strict=True)
    begins = 1
    try:
        for values in reader:
            if values:
                yield begins, values
            begins = reader.line_num + 1
    except csv.Error as error:
        raise BadFile.because(name, f"is not CSV ({error})", begins) from error


def json_rows(path: Path, name: str, max_bytes: int) -> Iterator[Row | Problem]:
    for number, line in lines(path, name=name, max_bytes=max_bytes):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield Problem(name, number, f"is not JSON ({error})")
            continue
        complaint = missing_columns(list(entry), ALIASES) if isinstance(entry, dict) else "is no object; expected {…}"
        if complaint:
            yield Problem(name, number, complaint)
        else:
            topic, docno, grade = (entry[column] for column in find_columns(list(entry), ALIASES).values())
            if isinstance(topic, str | int) and isinstance(docno, str | int):
                yield number, str(topic), str(docno), grade if isinstance(grade, str) else json.dumps(grade)
            else:
                yield Problem(name, number, "has a topic or document that is neither text nor a whole number")


def from_rows(rows: Iterable[Row | Problem], name: str) -> pl.DataFrame:
    problems = ProblemList(name)
    first_seen: dict[tuple[str, str], int] = {}
    grades: list[int] = []
    for row in rows:
        if isinstance(row, Problem):
            problems.add(row.line, row.message)
            continue
        number, topic, docno, grade = row
        if not topic or not docno:
            problems.add(number, f"has no {'docno' if topic else 'topic'}")
        elif complaint := complaint_about_grade(grade):
            problems.add(number, f"grade {complaint}")
        elif (topic, docno) in first_seen:
            problems.add(number, repeated((topic, docno), first_seen[topic, docno]))
        else:
            first_seen[topic, docno] = number
            grades.append(int(grade))
        if problems.full:
            break
    problems.raise_if_any()
    if not grades:
        raise BadFile.because(name, "holds no judgements, only a header")
    topics, docnos = zip(*first_seen, strict=True)
    return pl.DataFrame({"topic": topics, "docno": docnos, "grade": grades}, schema=QRELS_SCHEMA)


def write_qrels(frame: pl.DataFrame, file: BinaryIO, kind: str) -> None:
    """Write topic, docno and grade to a binary file object as "trec", "csv", "jsonl" or "parquet".

    The order of rows is kept. Every one of these is read back by read_qrels to the same frame. Raises ValueError for ids that
    TREC's format cannot carry (with a blank in them, or a # in front).
    """
    frame = frame.select(list(QRELS_SCHEMA))
    if kind == "trec":
        refuse_blanks(frame)
        trec = frame.select("topic", pl.lit("0").alias("iteration"), "docno", "grade")
        trec.write_csv(file, include_header=False, separator=" ", quote_style="never")
    elif kind == "csv":
        frame.write_csv(file)
    elif kind == "jsonl":
        frame.write_ndjson(file)
    elif kind == "parquet":
        frame.write_parquet(file, compression="zstd")
    else:
        raise ValueError(f"there is no format {kind!r}; choose one of {', '.join(FORMATS)}")


def refuse_blanks(frame: pl.DataFrame) -> None:
    for column in ("topic", "docno"):
        split_up = frame[column].filter(frame[column].str.contains(r"^$|^#|\s"))
        if len(split_up):
            raise ValueError(f"{column} {split_up[0]!r} cannot be written in TREC's format, whose columns blanks separate")
