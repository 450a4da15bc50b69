"""The grades of qrels as rows of the database: a frame goes in, and the same frame comes out."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

import polars as pl
from django.db import connection

from ireval.io.columns import ids_of
from ireval.io.files import MAX_PROBLEMS, BadFile, Problem
from ireval.io.qrels import SUBTOPIC_SCHEMA
from ireval.io.written_qrels import HOW_SURE
from ireval.translatable import Phrase
from judging.models import Grade, Qrels
from judging.models.grade import LONGEST_ID

# Rows that are Python's objects, or text, at the same time.
PORTION = 20_000
# What has a column of its own; whatever else says how sure a grade is stands in `uncertainty`.
OWN_COLUMNS = {**SUBTOPIC_SCHEMA, "votes": pl.Int32, "confidence": pl.Float64}
ROW = ("qrels_id", "topic", "subtopic", "docno", "grade", "votes", "confidence", "uncertainty")
INSERT = f"INSERT INTO judging_grade ({', '.join(ROW)}) VALUES ({', '.join(['%s'] * len(ROW))})"  # noqa: S608  names of ours
COPY = f"COPY judging_grade ({', '.join(ROW)}) FROM STDIN (FORMAT csv)"

Row = TypeVar("Row")


def ordered_grades(frame: pl.DataFrame) -> pl.DataFrame:
    """The grades as they are kept, by their ids: topic, docno, grade, subtopic where there is one, votes, how sure they are.

    What is no finite number becomes null, and −0 becomes 0: databases know neither.
    """
    own = [column for column in (*SUBTOPIC_SCHEMA, "votes") if column in frame.columns]
    sure = [column for column in frame.columns if HOW_SURE.fullmatch(column) and column not in own]
    numbers = [pl.when(pl.col(name).cast(pl.Float64).is_finite()).then(pl.col(name).cast(pl.Float64) + 0.0) for name in sure]
    return (
        frame.select(*own, *numbers)
        .cast({name: pl.Int32 for name in own if name in ("grade", "votes")})
        .sort(ids_of(frame))
        .rechunk()
    )


def refuse_ids(frame: pl.DataFrame, name: str) -> None:
    """Raise BadFile for ids that a row cannot hold: too long, or with a zero byte in them."""
    problems: list[Problem] = []
    for column in ids_of(frame):
        ids = frame[column]
        odd = ids.filter(ids.str.contains("\0", literal=True) | (ids.str.len_chars() > LONGEST_ID))
        problems += [Problem(name, 0, complaint(column, text)) for text in odd.head(MAX_PROBLEMS)]
    if problems:
        raise BadFile(problems)


def complaint(column: str, text: str) -> Phrase:
    start = {"column": column, "start": repr(text[:20])}
    if "\0" in text:
        return Phrase("%(column)s %(start)s … has a zero byte in it", **start)
    n = f"{len(text):,}"
    return Phrase("%(column)s %(start)s … has %(n)s characters; expected at most %(most)s", n=n, most=LONGEST_ID, **start)


def insert(frame: pl.DataFrame, qrels: int) -> None:
    """Store an ordered frame as the rows of a qrels version. Call it in the transaction that stores the version."""
    rows = as_rows(frame, qrels)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with connection.wrap_database_errors, cursor.copy(COPY) as copy:
                for portion in rows.iter_slices(PORTION):
                    copy.write(portion.write_csv(include_header=False, quote_style="non_numeric"))
        else:
            for portion in rows.iter_slices(PORTION):
                cursor.executemany(INSERT, portion.rows())


def as_rows(frame: pl.DataFrame, qrels: int) -> pl.DataFrame:
    besides = [column for column in frame.columns if column not in OWN_COLUMNS]
    columns = {
        "qrels_id": pl.lit(qrels),
        "subtopic": pl.lit(""),
        "votes": pl.lit(None, pl.Int32),
        "confidence": pl.lit(None, pl.Float64),
        "uncertainty": pl.struct(besides).struct.json_encode() if besides else pl.lit(None, pl.String),
    }
    return frame.with_columns(**{name: value for name, value in columns.items() if name not in frame.columns}).select(ROW)


def read(qrels: Qrels, topic: str | None = None) -> pl.DataFrame:
    """The rows of a qrels version as the frame that was stored: all of them, or one topic's."""
    own = [column for column in qrels.columns if column in OWN_COLUMNS]
    besides = [column for column in qrels.columns if column not in OWN_COLUMNS]
    schema = {column: OWN_COLUMNS.get(column, pl.Float64) for column in [*own, *besides]}
    rows = Grade.objects.filter(qrels=qrels) if topic is None else Grade.objects.filter(qrels=qrels, topic=topic)
    values = rows.values_list(*own, *(["uncertainty"] if besides else [])).iterator(PORTION)
    spread = ((*row[: len(own)], *numbers_of(row[-1], besides)) for row in values)
    portions = [pl.DataFrame(portion, schema, orient="row") for portion in portions_of(spread)]
    frame = pl.concat([pl.DataFrame(schema=schema), *portions])
    return frame.select(qrels.columns).sort(ids_of(frame)).rechunk()


def numbers_of(uncertainty: dict, names: Sequence[str]) -> list[float | None]:
    """Read as floats: PostgreSQL writes large ones out as whole numbers."""
    return [None if (number := uncertainty[name]) is None else float(number) for name in names]


def portions_of(rows: Iterable[Row]) -> Iterator[list[Row]]:
    rows = iter(rows)
    while portion := list(islice(rows, PORTION)):
        yield portion
