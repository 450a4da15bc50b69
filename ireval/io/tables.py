"""Tables with named columns (Parquet): found by their usual names."""

from pathlib import Path

import polars as pl

from ireval.io.cells import Table
from ireval.io.files import MAX_BYTES, BadFile, refuse_many

MAGIC = b"PAR1"
# Even the shortest line of a text file takes this much; more rows than that allows are a bomb, not a file.
BYTES_A_ROW = 8
# More columns than anybody's table of rankings or grades has.
MOST_COLUMNS = 1000

# The names under which the world's tools write the same thing.
TOPIC = ("topic", "topic_id", "topic-id", "query", "query_id", "query-id", "qid", "q_id")
DOCNO = ("docno", "doc", "doc_id", "doc-id", "docid", "document", "document_id", "document-id", "corpus-id", "corpus_id", "did")
SUBTOPIC = ("subtopic", "subtopic_id", "subtopic-id")
GRADE = ("grade", "relevance", "rel", "label", "judgement", "judgment", "score")
SCORE = ("score", "sim", "similarity")
RANK = ("rank",)
ITERATION = ("iteration",)
# What may stand beside the column that is meant: PyTerrier's results hold the text of a query and their own number of a document,
# and a ranking may be joined with its grades.
COMPANIONS = ("query", "docid", "score")

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
) -> Table:
    """The wanted columns of a Parquet file under our names, unchecked, and of the `optional` ones those that it has.

    Raises BadFile for a damaged file, columns that are missing or there twice, and more rows than fit into the memory.
    """
    try:
        scan = pl.scan_parquet(path, glob=False)
        present = scan.collect_schema().names()
        if len(present) > MOST_COLUMNS:
            raise BadFile.because(name, f"has {len(present):,} columns; at most {MOST_COLUMNS:,} are accepted")
        called = columns_called(present, aliases, optional or {}, name)
        refuse_many(scan.select(pl.len()).collect().item(), name, max_bytes)
        frame = scan.select(pl.col(column).alias(wanted) for wanted, column in called.items()).collect()
    except pl.exceptions.PolarsError as error:
        raise BadFile.because(name, f"the Parquet file is damaged ({error})") from error
    return Table(name, frame, called, is_file=True)


def columns_called(present: list[str], aliases: Aliases, optional: Aliases, name: str) -> dict[str, str]:
    """Which column of a table is which, by our names. BadFile for one that is missing, and for two that mean the same.

    >>> columns_called(["qid", "docid", "docno", "rank", "score", "query"], {"topic": TOPIC, "docno": DOCNO}, {}, "run")
    {'topic': 'qid', 'docno': 'docno'}
    """
    if complaint := missing_columns(present, aliases):
        raise BadFile.because(name, complaint)
    called = {wanted: candidates(present, names) for wanted, names in (aliases | optional).items()}
    for wanted, same in called.items():
        if len(same) > 1:
            raise BadFile.because(name, f"columns {' and '.join(same)} both say the {wanted}: drop all but one of them")
    return {wanted: same[0] for wanted, same in called.items() if same}


def candidates(present: list[str], names: tuple[str, ...]) -> list[str]:
    same = [column for column in present if column.strip().lower() in names]
    return [column for column in same if column.strip().lower() not in COMPANIONS or names[0] in COMPANIONS] or same
