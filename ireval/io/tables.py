"""Tables with named columns (Parquet): found by their usual names, checked before anything is believed."""

from pathlib import Path

import polars as pl

from ireval.io.columns import ids_of
from ireval.io.files import MAX_BYTES, MAX_PROBLEMS, BadFile, Problem, refuse_many

MAGIC = b"PAR1"
# Even the shortest line of a text file takes this much; more rows than that allows are a bomb, not a file.
BYTES_A_ROW = 8
# More columns than anybody's table of rankings or grades has.
MOST_COLUMNS = 1000
# Empty, or with what C's isspace separates columns by, or with C's end of a string.
ODD = r"^$|[ \t\n\v\f\r\x00]"
LONGEST_ID = 200

# The names under which the world's tools write the same thing.
TOPIC = ("topic", "topic_id", "topic-id", "query", "query_id", "query-id", "qid", "q_id")
DOCNO = ("docno", "doc", "doc_id", "doc-id", "docid", "document", "document_id", "document-id", "corpus-id", "corpus_id", "did")
SUBTOPIC = ("subtopic", "subtopic_id", "subtopic-id")
GRADE = ("grade", "relevance", "rel", "label", "judgement", "judgment", "score")
SCORE = ("score", "sim", "similarity")

Aliases = dict[str, tuple[str, ...]]


def is_parquet(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def find_columns(present: list[str], aliases: Aliases) -> dict[str, str]:
    """Which of a table's columns is which: {"topic": "query-id", …}; names it does not have are left out.

    >>> find_columns(["query-id", "corpus-id", "score"], {"topic": TOPIC, "docno": DOCNO, "grade": GRADE})
    {'topic': 'query-id', 'docno': 'corpus-id', 'grade': 'score'}
    """
    by_name = {column.strip().lower(): column for column in present}
    found = {wanted: next((by_name[name] for name in names if name in by_name), None) for wanted, names in aliases.items()}
    return {wanted: column for wanted, column in found.items() if column is not None}


def missing_columns(present: list[str], aliases: Aliases) -> str | None:
    """What to say when a table lacks columns, or None when it has them all."""
    found = find_columns(present, aliases)
    lacking = [wanted for wanted in aliases if wanted not in found]
    if not lacking:
        return None
    names = "; ".join(f"{wanted} (or {', '.join(aliases[wanted][1:4])}, …)" for wanted in lacking)
    return f"has columns {', '.join(present)}; expected also {names}"


def read_parquet_table(
    path: Path, aliases: Aliases, *, name: str, max_bytes: int = MAX_BYTES, optional: Aliases | None = None
) -> pl.DataFrame:
    """The wanted columns of a Parquet file under our names, ids as strings, without nulls. Raises BadFile otherwise.

    Of the `optional` ones those that it has.
    """
    try:
        scan = pl.scan_parquet(path, glob=False)
        present = scan.collect_schema().names()
        if len(present) > MOST_COLUMNS:
            raise BadFile.because(name, f"has {len(present):,} columns; at most {MOST_COLUMNS:,} are accepted")
        if complaint := missing_columns(present, aliases):
            raise BadFile.because(name, complaint)
        refuse_many(scan.select(pl.len()).collect().item(), name, max_bytes)
        columns = find_columns(present, aliases | (optional or {}))
        frame = scan.select(pl.col(column).alias(wanted) for wanted, column in columns.items()).collect()
    except pl.exceptions.PolarsError as error:
        raise BadFile.because(name, f"the Parquet file is damaged ({error})") from error
    if frame.is_empty():
        raise BadFile.because(name, "holds no rows")
    for column in frame.columns:
        if nulls := frame[column].null_count():
            raise BadFile.because(name, f"column {columns[column]} is empty in {nulls:,} of {len(frame):,} rows")
    frame = frame.with_columns(pl.col(column).pipe(as_id, frame.schema[column], name) for column in ids_of(frame))
    refuse_odd_ids(frame, name)
    return frame


def as_id(column: pl.Expr, kind: pl.DataType, name: str) -> pl.Expr:
    if not (kind.is_integer() or kind in (pl.String, pl.Categorical, pl.Enum)):
        raise BadFile.because(name, f"has ids of type {kind}; expected text or whole numbers")
    return column.cast(pl.String)


def refuse_odd_ids(frame: pl.DataFrame, name: str) -> None:
    """Ids that no column of a text file could hold, or that are longer than any id. Rows count from 1."""
    problems = [problem for column in ids_of(frame) for problem in odd_ids(frame, column, name)]
    if problems:
        raise BadFile(problems)


def odd_ids(frame: pl.DataFrame, column: str, name: str) -> list[Problem]:
    ids = frame[column]
    odd = ids.str.contains(ODD) | (ids.str.len_chars() > LONGEST_ID)
    rows = odd.arg_true().head(MAX_PROBLEMS).to_list()
    return [Problem(name, 0, f"row {row + 1:,}: {column} {complaint_about_id(ids[row])}") for row in rows]


def complaint_about_id(text: str) -> str:
    if not text:
        return "is empty"
    if len(text) > LONGEST_ID:
        return f"has {len(text):,} characters; expected at most {LONGEST_ID}"
    return f"is {text!r}; expected an id without blanks, line ends and zero bytes"
