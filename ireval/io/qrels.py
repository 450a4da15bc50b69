"""Qrels: the grades of documents for topics, in their usual file formats."""

import csv
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from ireval.io.cells import Table, checked, complaint_about_id, distinct
from ireval.io.checked_frames import believe
from ireval.io.columns import (
    Layout,
    bounded,
    columns_of,
    distinct_blocks,
    explain,
    has_duplicates,
    of_column,
    read_blocks,
    repeated,
    split,
    wrong_number,
)
from ireval.io.files import MAX_BYTES, BadFile, Problem, ProblemList, Row, lines, local_file, name_of
from ireval.io.tables import (
    DOCNO,
    GRADE,
    ITERATION,
    SUBTOPIC,
    TOPIC,
    find_columns,
    is_parquet,
    missing_columns,
    read_parquet_table,
    warn_of_lookalikes,
)
from ireval.translatable import Phrase

QRELS_SCHEMA = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}
SUBTOPIC_SCHEMA = {**QRELS_SCHEMA, "subtopic": pl.String}
ALIASES = {"topic": TOPIC, "docno": DOCNO, "grade": GRADE}
SUBTOPIC_ALIASES = {**ALIASES, "subtopic": SUBTOPIC}
OPTIONAL = {"subtopic": SUBTOPIC, "iteration": ITERATION}
NO_SUBTOPIC = ""
WHOLE_NUMBER = re.compile(r"[+-]?\d+", re.ASCII)
LIMIT = 2**31
LONGEST_HEADER = 10_000
NO_OBJECT = Phrase("is no object; expected {…}")


def complaint_about_grade(text: str) -> Phrase | None:
    if not WHOLE_NUMBER.fullmatch(text):
        return Phrase('is "%(text)s"; expected a whole number', text=text)
    if len(text) < 12 and -LIMIT <= int(text) < LIMIT:
        return None
    return Phrase("is %(text)s, which is too large", text=text[:20])


QRELS = Layout(
    what=Phrase("judgements"),
    columns=("topic", "iteration", "docno", "grade"),
    kept={"topic": pl.String, "docno": pl.String, "grade": pl.Int32},
    checked="grade",
    check=complaint_about_grade,
    subtopic="iteration",
)
SUBTOPIC_QRELS = replace(QRELS, columns=("topic", "subtopic", "docno", "grade"), kept=SUBTOPIC_SCHEMA, subtopic="subtopic")


def read_qrels(
    path: str | os.PathLike[str], *, name: str | None = None, max_bytes: int = MAX_BYTES, subtopics: bool = False
) -> pl.DataFrame:
    """Read qrels in any of the usual formats, which are recognised by content, not by name.

    TREC (topic iteration docno grade), BEIR (query-id corpus-id score, with that header), CSV or TSV with a header, JSON Lines
    and Parquet. Columns may have their usual names. Files may be compressed (gz, xz, zst); "-" is standard input.

    TREC's second column is the subtopic if a document has several lines in a topic, or if `subtopics` is true. Otherwise it has
    no meaning here (often it is the round of judging) and is left out. Other formats have subtopics if they have a column of
    that name.

    Returns topic, docno, grade (QRELS_SCHEMA) in the order of the file, and subtopic if there are any (SUBTOPIC_SCHEMA). Raises
    BadFile, with up to 100 problems: wrong numbers of columns, grades that are no whole numbers, and documents twice in a topic
    or subtopic. Also for a file without judgements.
    """
    with local_file(path, max_bytes=max_bytes) as local:
        name = name or name_of(path)
        if is_parquet(local):
            return believe(qrels_from_parquet(local, name, max_bytes, subtopics), "qrels")
        rows = table_rows(local, name, max_bytes)
        frame = from_rows(rows, name) if rows else qrels_from_trec(local, name, max_bytes, subtopics)
        return believe(frame, "qrels")


def table_rows(path: Path, name: str, max_bytes: int) -> Iterator[Row | Problem] | None:
    """The rows of CSV or JSON Lines; None for TREC's columns."""
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
    raise BadFile.because(name, Phrase("is empty; expected lines of %(expected)s", expected=QRELS.expected))


def is_trec(line: str) -> bool:
    """Whether a line has TREC's columns, even if its topic is called "query" or "{"."""
    values = split(line, QRELS)
    return len(values) == len(QRELS.columns) and complaint_about_grade(values[-1]) is None


def separator_of_header(line: str) -> str | None:
    """The separator of the columns of a header line, or None if the line is no header.

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


def qrels_from_trec(path: Path, name: str, max_bytes: int, subtopics: bool) -> pl.DataFrame:
    frame = None if subtopics else ordinary_qrels(path, name, max_bytes)
    if frame is not None:
        return frame
    blocks = distinct_blocks(path, SUBTOPIC_QRELS, name=name, max_bytes=max_bytes)
    frame = pl.concat(bounded(blocks, name=name, max_bytes=max_bytes))
    if has_duplicates(frame):
        raise explain(path, SUBTOPIC_QRELS, name=name, max_bytes=max_bytes)
    return frame


def ordinary_qrels(path: Path, name: str, max_bytes: int) -> pl.DataFrame | None:
    """Qrels without the second column; None if a document has two lines in a topic, which that may distinguish."""
    blocks = []
    for block in bounded(read_blocks(path, QRELS, name=name, max_bytes=max_bytes), name=name, max_bytes=max_bytes):
        if has_duplicates(block):
            return None
        blocks.append(block)
    frame = pl.concat(blocks)
    return None if has_duplicates(frame) else frame


def qrels_from_parquet(path: Path, name: str, max_bytes: int, subtopics: bool) -> pl.DataFrame:
    return graded_table(read_parquet_table(path, ALIASES, name=name, max_bytes=max_bytes, optional=OPTIONAL), subtopics)


def graded_table(table: Table, subtopics: bool) -> pl.DataFrame:
    """A table of topic, docno, grade and perhaps subtopic, checked: QRELS_SCHEMA or SUBTOPIC_SCHEMA. Raises BadFile.

    An iteration is the subtopic in the same cases as TREC's second column, and is left out otherwise.
    """
    if "subtopic" in table.frame.columns:
        return distinct(table.without("iteration"))
    if "iteration" not in table.frame.columns:
        return distinct(table)
    plain = checked(table.without("iteration"))
    return distinct(table.renamed("iteration", "subtopic")) if subtopics or has_duplicates(plain) else plain


def csv_rows(path: Path, name: str, max_bytes: int, separator: str) -> Iterator[Row | Problem]:
    header: list[str] = []
    places: list[int] = []
    for number, values in csv_lines(path, name, max_bytes, separator):
        if not header:
            header = values
            if complaint := missing_columns(header, ALIASES):
                raise BadFile.because(name, complaint, number)
            columns = find_columns(header, SUBTOPIC_ALIASES)
            warn_of_lookalikes(header, columns, ALIASES, name)
            places = [header.index(column) for column in columns.values()]
        elif len(values) == len(header):
            topic, docno, grade, *subtopic = (values[place].strip() for place in places)
            yield number, topic, docno, grade, subtopic[0] if subtopic else NO_SUBTOPIC
        else:
            yield Problem(name, number, wrong_number(columns_of(header), len(values)))


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
        raise BadFile.because(name, Phrase("is not CSV (%(error)s)", error=str(error)), begins) from error


def json_rows(path: Path, name: str, max_bytes: int) -> Iterator[Row | Problem]:
    warned = False
    for number, line in lines(path, name=name, max_bytes=max_bytes):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield Problem(name, number, Phrase("is not JSON (%(error)s)", error=str(error)))
            continue
        complaint = missing_columns(list(entry), ALIASES) if isinstance(entry, dict) else NO_OBJECT
        if complaint:
            yield Problem(name, number, complaint)
        else:
            columns = find_columns(list(entry), SUBTOPIC_ALIASES)
            if not warned:
                warn_of_lookalikes(entry, columns, ALIASES, name)
                warned = True
            fields = {wanted: entry[column] for wanted, column in columns.items()}
            grade = fields.pop("grade")
            if complaint := complaint_about_ids(fields):
                yield Problem(name, number, complaint)
                continue
            written = grade if isinstance(grade, str) and grade.isprintable() else json.dumps(grade)
            yield number, str(fields["topic"]), str(fields["docno"]), written, str(fields.get("subtopic", NO_SUBTOPIC))


def complaint_about_ids(ids: Mapping[str, object]) -> Phrase | None:
    """What is wrong with the first bad id of a line, by the names of their columns; a subtopic may be empty."""
    for column, value in ids.items():
        complaint = None if column == "subtopic" and value == NO_SUBTOPIC else complaint_about_id(value)
        if complaint:
            return of_column(Phrase("column %(column)s", column=column), complaint)
    return None


def from_rows(rows: Iterable[Row | Problem], name: str) -> pl.DataFrame:
    problems = ProblemList(name)
    first_seen: dict[tuple[str, str, str], int] = {}
    grades: list[int] = []
    for row in rows:
        if isinstance(row, Problem):
            problems.add(row.line, row.message)
            continue
        number, topic, docno, grade, subtopic = row
        if not topic or not docno:
            problems.add(number, Phrase("has no %(column)s", column="docno" if topic else "topic"))
        elif complaint := complaint_about_grade(grade):
            problems.add(number, of_column(Phrase("grade"), complaint))
        elif (topic, docno, subtopic) in first_seen:
            problems.add(number, repeated((topic, docno), first_seen[topic, docno, subtopic]))
        else:
            first_seen[topic, docno, subtopic] = number
            grades.append(int(grade))
        if problems.full:
            break
    problems.raise_if_any()
    if not grades:
        raise BadFile.because(name, Phrase("holds no judgements, only a header"))
    topics, docnos, subtopics = zip(*first_seen, strict=True)
    frame = pl.DataFrame({"topic": topics, "docno": docnos, "grade": grades, "subtopic": subtopics}, schema=SUBTOPIC_SCHEMA)
    if not any(subtopics):
        return frame.select(list(QRELS_SCHEMA))
    for (*_, subtopic), number in first_seen.items():
        if not subtopic:
            raise BadFile.because(name, Phrase("has no subtopic, as other rows have"), number)
    return frame


def highest_grades(frame: pl.DataFrame) -> pl.DataFrame:
    """Each document of a topic once, with its highest grade over subtopics.

    >>> highest_grades(pl.DataFrame({"topic": ["1", "1"], "docno": ["d", "d"], "grade": [0, 2], "subtopic": ["1", "2"]})).rows()
    [('1', 'd', 2)]
    """
    if "subtopic" not in frame.columns:
        return frame
    return frame.group_by("topic", "docno", maintain_order=True).agg(pl.col("grade").max())
