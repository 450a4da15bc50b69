"""Tables with named columns, which are found by their usual names, and Parquet files of them."""

import re
import warnings
from collections.abc import Collection, Iterable
from pathlib import Path

import polars as pl

from ireval.io.cells import Table
from ireval.io.files import MAX_BYTES, BadFile, IgnoredInput, refuse_many

MAGIC = b"PAR1"
# The shortest line of a text file; a file with more rows than that allows is a bomb.
BYTES_A_ROW = 8
# More columns than any table of rankings or grades has.
MOST_COLUMNS = 1000

# The names that other tools use for the same thing; capitals, blanks and punctuation do not matter.
TOPIC = ("topic", "topic_id", "topic-id", "query_id", "query-id", "qid", "q_id", "query")
DOCNO = ("docno", "doc", "doc_id", "doc-id", "docid", "document", "document_id", "document-id", "corpus-id", "corpus_id", "did")
SUBTOPIC = ("subtopic", "subtopic_id", "subtopic-id")
GRADE = ("grade", "relevance", "rel", "label", "judgement", "judgment", "score")
SCORE = ("score", "sim", "similarity")
RANK = ("rank",)
ITERATION = ("iteration",)
# Names that another column may have beside the right one: PyTerrier's results have the query's text and their own number of a
# document, and a ranking may be joined with its grades.
COMPANIONS = ("query", "docid", "score")

# Names that nobody listed, but that people take for one of these; of their letters and digits alone, in small letters.
LOOKS_LIKE = {
    "topic": re.compile(r"(topic|query|q)(id|no|nr|num|number|key|code)?s?"),
    "docno": re.compile(r"(doc|document|corpus)(id|no|nr|num|number|key|name)?s?"),
    "grade": re.compile(r"(relevance|rel|judge?ment|label|grade|gain)(level|grade|label|value|score|id)?s?"),
    "score": re.compile(r"(retrieval|similarity|sim|bm25)?(scores?|similarity|sim|rsv)"),
}
PUNCTUATION = re.compile(r"[\W_]+")

Aliases = dict[str, tuple[str, ...]]


def is_parquet(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def find_columns(present: list[str], aliases: Aliases) -> dict[str, str]:
    """The table's column for each of our names: {"topic": "query-id", …}; missing columns are left out.

    >>> find_columns(["query-id", "corpus-id", "score"], {"topic": TOPIC, "docno": DOCNO, "grade": GRADE})
    {'topic': 'query-id', 'docno': 'corpus-id', 'grade': 'score'}
    """
    by_name = {plain_name(column): column for column in reversed(present)}
    columns = {
        wanted: next((by_name[plain_name(name)] for name in names if plain_name(name) in by_name), None)
        for wanted, names in aliases.items()
    }
    return {wanted: column for wanted, column in columns.items() if column is not None}


def plain_name(column: str) -> str:
    """A column's name without what people write differently.

    >>> plain_name("topicID"), plain_name(" Query-ID"), plain_name("query_id")
    ('topicid', 'queryid', 'queryid')
    """
    return PUNCTUATION.sub("", column).lower()


def lookalike(wanted: str, columns: Iterable[str]) -> str | None:
    """The first of the columns that people would take for the wanted one.

    >>> lookalike("topic", ["docno", "topicNumber"]), lookalike("topic", ["topic title"])
    ('topicNumber', None)
    """
    pattern = LOOKS_LIKE.get(wanted)
    return next((column for column in columns if pattern and pattern.fullmatch(plain_name(column))), None)


def warn_of_lookalikes(present: Iterable[str], called: dict[str, str], wanted: Collection[str], name: str) -> None:
    """Warn of a column that looks like one of the `wanted` and is not read. `called` has the columns that are."""
    others = [column for column in present if column.strip() not in {used.strip() for used in called.values()}]
    for field in wanted:
        if column := lookalike(field, (other for other in others if other.strip().lower() not in COMPANIONS)):
            read = f"{called[field].strip()} is read as the {field}" if field in called else f"rename it to {field} if it is one"
            warnings.warn(
                f"{name}: column {column.strip()} looks like the {field} and is ignored: {read}", IgnoredInput, stacklevel=2
            )


def missing_columns(present: list[str], aliases: Aliases) -> str | None:
    """The complaint about missing columns, or None if the table has all."""
    columns = find_columns(present, aliases)
    lacking = [wanted for wanted in aliases if wanted not in columns]
    if not lacking:
        return None
    names = "; ".join(f"{wanted} (or {', '.join(aliases[wanted][1:4])}, …)" for wanted in lacking)
    others = [column for column in present if column not in columns.values()]
    similar = [f": rename {column} to {wanted} if it is one" for wanted in lacking if (column := lookalike(wanted, others))]
    return f"has columns {', '.join(present)}; expected also {names}{''.join(similar[:1])}"


def read_parquet_table(
    path: Path, aliases: Aliases, *, name: str, max_bytes: int = MAX_BYTES, optional: Aliases | None = None
) -> Table:
    """The wanted columns of a Parquet file under our names, and the `optional` columns that it has, unchecked.

    Raises BadFile for a damaged file, columns that are missing or there twice, and more rows than fit into memory.
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
    """The table's column for each of our names. BadFile for a missing column, and for two columns that mean the same.

    >>> columns_called(["qid", "docid", "docno", "rank", "score", "query"], {"topic": TOPIC, "docno": DOCNO}, {}, "run")
    {'topic': 'qid', 'docno': 'docno'}
    """
    if complaint := missing_columns(present, aliases):
        raise BadFile.because(name, complaint)
    called = {wanted: candidates(present, names) for wanted, names in (aliases | optional).items()}
    for wanted, same in called.items():
        if len(same) > 1:
            raise BadFile.because(name, f"columns {' and '.join(same)} both say the {wanted}: drop all but one of them")
    columns = {wanted: same[0] for wanted, same in called.items() if same}
    warn_of_lookalikes(present, columns, aliases, name)
    return columns


def candidates(present: list[str], names: tuple[str, ...]) -> list[str]:
    plain_names = {plain_name(name) for name in names}
    same = [column for column in present if plain_name(column) in plain_names]
    return [column for column in same if column.strip().lower() not in COMPANIONS or names[0] in COMPANIONS] or same
