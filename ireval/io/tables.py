"""Tables with named columns, which are found by their usual names, and Parquet files of them."""

import io
import re
import warnings
from collections.abc import Collection, Iterable
from pathlib import Path

import polars as pl

from ireval.io.cells import Table
from ireval.io.field_names import MOST_COLUMNS, too_many_columns
from ireval.io.files import MAX_BYTES, BadFile, IgnoredInput, Problem, refuse_many
from ireval.translatable import Phrase, joined, listed

MAGIC = b"PAR1"
# The shortest line of a text file; a file with more rows than that allows is a bomb.
BYTES_A_ROW = 8

# The names that other tools use for the same thing; capitals, blanks and punctuation do not matter.
TOPIC = ("topic", "topic_id", "topic-id", "query_id", "query-id", "qid", "q_id", "query")
DOCNO = ("docno", "doc", "doc_id", "doc-id", "docid", "document", "document_id", "document-id", "corpus-id", "corpus_id", "did")
SUBTOPIC = ("subtopic", "subtopic_id", "subtopic-id")
GRADE = ("grade", "relevance", "rel", "label", "judgement", "judgment", "score")
SCORE = ("score", "sim", "similarity")
RANK = ("rank",)
ITERATION = ("iteration",)
# Names that another column may have beside the right one. PyTerrier's results have the query's text and their own number of a
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


def parquet_of(frame: pl.DataFrame) -> bytes:
    """The content of a Parquet file that holds the frame.

    >>> frame = pl.DataFrame({"topic": ["1", "2"], "grade": [3, 0]})
    >>> pl.read_parquet(io.BytesIO(parquet_of(frame))).equals(frame)
    True
    """
    content = io.BytesIO()
    frame.write_parquet(content)
    return content.getvalue()


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


def with_our_names(frame: pl.DataFrame, aliases: Aliases) -> pl.DataFrame:
    """The frame, in which columns with other usual names have ours; those that have ours already stay.

    >>> with_our_names(pl.DataFrame({"doc_id": ["a"], "text": ["to be"]}), {"docno": DOCNO}).columns
    ['docno', 'text']
    """
    columns = find_columns(frame.columns, aliases)
    return frame.rename({column: wanted for wanted, column in columns.items() if wanted not in frame.columns})


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
            ignored = lookalike_ignored(column.strip(), field, called.get(field, "").strip())
            warnings.warn(Problem(name, 0, ignored).phrase, IgnoredInput, stacklevel=2)


def lookalike_ignored(column: str, field: str, read: str) -> Phrase:
    if read:
        return Phrase(
            "column %(column)s looks like the %(field)s and is ignored: %(read)s is read as the %(field)s",
            column=column,
            field=field,
            read=read,
        )
    return Phrase(
        "column %(column)s looks like the %(field)s and is ignored: rename it to %(field)s if it is one",
        column=column,
        field=field,
    )


def missing_columns(present: list[str], aliases: Aliases) -> Phrase | None:
    """The complaint about missing columns, or None if the table has all."""
    columns = find_columns(present, aliases)
    lacking = [wanted for wanted in aliases if wanted not in columns]
    if not lacking:
        return None
    names = joined(
        Phrase("%(name)s (or %(others)s, …)", name=wanted, others=", ".join(aliases[wanted][1:4])) for wanted in lacking
    )
    others = [column for column in present if column not in columns.values()]
    lacks = Phrase("has columns %(present)s; expected also %(names)s", present=", ".join(present), names=names)
    for wanted in lacking:
        if column := lookalike(wanted, others):
            return Phrase("%(lacks)s: rename %(column)s to %(wanted)s if it is one", lacks=lacks, column=column, wanted=wanted)
    return lacks


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
            raise BadFile.because(name, too_many_columns(len(present)))
        called = columns_called(present, aliases, optional or {}, name)
        refuse_many(scan.select(pl.len()).collect().item(), name, max_bytes)
        frame = scan.select(pl.col(column).alias(wanted) for wanted, column in called.items()).collect()
    except pl.exceptions.PolarsError as error:
        raise BadFile.because(name, Phrase("the Parquet file is damaged (%(error)s)", error=str(error))) from error
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
            twice = Phrase(
                "columns %(columns)s both say the %(field)s: drop all but one of them", columns=listed(same), field=wanted
            )
            raise BadFile.because(name, twice)
    columns = {wanted: same[0] for wanted, same in called.items() if same}
    warn_of_lookalikes(present, columns, aliases, name)
    return columns


def candidates(present: list[str], names: tuple[str, ...]) -> list[str]:
    plain_names = {plain_name(name) for name in names}
    same = [column for column in present if plain_name(column) in plain_names]
    return [column for column in same if column.strip().lower() not in COMPANIONS or names[0] in COMPANIONS] or same
