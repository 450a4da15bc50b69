"""Formats whose columns or keys have names: tables with a header, JSON Lines, Parquet."""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ireval.io.field_names import DOCUMENT, RESULT, TAGS, TOPIC, Aliases, names_by_field
from ireval.io.qrels import ALIASES, LONGEST_HEADER, complaint_about_grade
from ireval.io.recognition import bare_columns
from ireval.io.recognition.kinds import (
    A_SAMPLE,
    CLICKS,
    DOCUMENTS,
    MANY_WORDS,
    QRELS,
    RESULTS,
    RUN,
    TOPICS,
    Recognition,
    nothing,
    printable,
)
from ireval.io.runs import RUN_ALIASES
from ireval.io.tables import find_columns, plain_name
from ireval.translatable import Phrase

WORKERS = {"worker", "workerid", "annotator", "annotatorid", "assessor", "assessorid", "rater", "raterid"}
CLICK_LOG = {"actionname", "userquery", "eventattributes", "objectid"}
VISITORS = {"clientid", "sessionid", "userid", "queryid"}
# Ids that say of what they are; "id" and "_id" do not.
OF_DOCUMENTS = {"docno", "docid", "documentid"}
OF_TOPICS = {"topic", "qid", "queryid", "topicid", "number", "num"}
KEY = re.compile(r'(?<=[{,])\s*"(\w+)"\s*:')
# The names of columns of runs and qrels that a Parquet file is searched for, and its types of numbers with fractions.
KNOWN = sorted({name for aliases in (ALIASES, RUN_ALIASES) for names in aliases.values() for name in names})
FRACTIONS = b"[\x08\x0a]"
DELIMITERS = {"\t": "tsv", ",": "csv", ";": "csv"}
KEYS, COLUMNS = Phrase("keys"), Phrase("columns")

Record = Mapping[str, Any]


def of_json(lines: Sequence[str]) -> Recognition | None:
    """JSON Lines."""
    if lines[0].lstrip().startswith("["):
        return nothing(Phrase("This is one JSON array; expected JSON Lines, one object a line."), {"begins": lines[0]})
    if not lines[0].lstrip().startswith("{"):
        return None
    records = [record for record in islice(objects(lines), A_SAMPLE) if "index" not in record]
    if not records and len(lines) == 1:
        records = [dict.fromkeys(KEY.findall(lines[0]), lines[0])]  # a record that is longer than the beginning of the file
    if not records or not records[0]:
        one_object = Phrase("This is one JSON object over several lines; expected JSON Lines, one object a line.")
        return nothing(one_object, {"begins": lines[0]})
    if "results" in records[0] and "topic" in names_by_field(RESULT, records[0]):
        lists = Phrase("Each line is a list of results of a topic: result lists.")
        return Recognition(RESULTS, "jsonl", lists, first_of(RESULT, records))
    recognition = by_names(list(records[0]), records, "jsonl", KEYS)
    return recognition or unknown(KEYS, records[0])


def objects(lines: Sequence[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def of_table(lines: Sequence[str]) -> Recognition | None:
    """CSV or TSV with a header; None where the first line names nothing that is known, or has bare columns between blanks."""
    lines = [line for line in lines if not line.startswith("#")][: A_SAMPLE + 1]
    if not lines or len(lines[0]) > LONGEST_HEADER:
        return None
    delimiter = max(DELIMITERS, key=lines[0].count)
    if delimiter not in lines[0]:
        return None
    header, *rows = cells(lines, delimiter)
    records = [dict(zip(header, row, strict=True)) for row in rows if len(row) == len(header)]
    recognition = by_names(header, records, DELIMITERS[delimiter], COLUMNS)
    if recognition or not any(name.strip() and not name.strip().isdigit() for name in header) or delimiter == "\t":
        return recognition
    if bare_columns.of_blanks(lines):
        return None  # what is cut at a comma here is an id
    return unknown(COLUMNS, dict.fromkeys(header, "")) if len(records) > len(rows) / 2 and records else None


def cells(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """The rows before the first that cannot be read, which may be the last, cut within quotes."""
    rows = []
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for row in reader:
            rows.append(row)
    except csv.Error:
        pass
    return rows or [[]]


def by_names(names: Sequence[str], records: Sequence[Record], format: str, what: Phrase) -> Recognition | None:
    """What has fields of these names; the more telling ones are tried first."""
    plain = {plain_name(name) for name in names}
    graded, scored = find_columns(list(names), ALIASES), find_columns(list(names), RUN_ALIASES)
    result = names_by_field(RESULT, names)
    if WORKERS & plain and len(graded) == len(ALIASES):
        return nothing(
            Phrase("Single workers’ labels: make grades of them first (python -m ireval aggregate), then import those as qrels.")
        )
    if CLICK_LOG & plain and VISITORS & plain:
        because = Phrase(
            "It has the %(fields)s of queries and events: a click log, which belongs to a site, not to a collection.", fields=what
        )
        return Recognition(CLICKS, format, because, {name: str(records[0].get(name, "")) for name in list(names)[:3]})
    if "rank" in result and "topic" in result and {"title", "url", "snippet"} & result.keys():
        lists = Phrase("It has the %(fields)s topic, rank and title, url or snippet: result lists.", fields=what)
        return Recognition(RESULTS, format, lists, first_of(RESULT, records))
    if len(graded) == len(ALIASES) and "rank" not in plain and are_grades(graded["grade"], records):
        sample = {field: str(records[0].get(name, "")) for field, name in graded.items()} if records else {}
        named = printable(", ".join(graded.values()))
        return Recognition(QRELS, "auto", Phrase("It has the %(fields)s %(names)s: qrels.", fields=what, names=named), sample)
    if len(scored) == len(RUN_ALIASES):
        return nothing(Phrase("A run as a table: runs are read in TREC’s six columns and as Parquet."))
    return of_words(names, plain, records, format, what)


def are_grades(name: str, records: Sequence[Record]) -> bool:
    """BEIR calls grades scores; those of a run are no whole numbers."""
    return all(complaint_about_grade(str(record.get(name, "")).strip()) is None for record in records[:20])


def of_words(names: Sequence[str], plain: set[str], records: Sequence[Record], format: str, what: Phrase) -> Recognition | None:
    """Documents, or topics: an id and something to read."""
    document, topic = names_by_field(DOCUMENT, names), names_by_field(TOPIC, names)
    if "docno" in document and {"title", "text"} & document.keys() and not OF_TOPICS & plain:
        told = OF_DOCUMENTS & plain or {"title", "text"} <= document.keys()
        if told or words_of(document.get("text") or document["title"], records) > MANY_WORDS:
            named = "beir" if format == "jsonl" and "_id" in names else format
            because = Phrase("It has the %(fields)s %(names)s: documents.", fields=what, names=listed(document))
            return Recognition(DOCUMENTS, named, because, first_of(DOCUMENT, records))
    if "number" in topic and ("title" in topic or names_by_field(TAGS, names)) and not OF_DOCUMENTS & plain:
        named = "beir" if format == "jsonl" and "_id" in names else format
        asked = listed(topic | names_by_field(TAGS, names))
        because = Phrase("It has the %(fields)s %(names)s: topics.", fields=what, names=asked)
        return Recognition(TOPICS, named, because, first_of(TOPIC, records))
    return None


def words_of(name: str, records: Sequence[Record]) -> float:
    texts = [str(record.get(name, "")) for record in records]
    return sum(len(text.split()) for text in texts) / len(texts) if texts else 0


def listed(fields: Mapping[str, str]) -> str:
    return printable(", ".join(dict.fromkeys(fields.values())))


def first_of(aliases: Aliases, records: Sequence[Record]) -> dict[str, str]:
    if not records:
        return {}
    named = {"docno": "document", "number": "topic"}
    fields = names_by_field(aliases, records[0])
    return {named.get(field, field): str(records[0][name] or "") for field, name in fields.items()}


def unknown(what: Phrase, record: Record) -> Recognition:
    names = printable(", ".join(record))
    names = names[:100] + ("…" if len(names) > 100 else "")
    return nothing(Phrase("Its %(fields)s are none that are known here: %(names)s.", fields=what, names=names))


def of_parquet(end: bytes) -> Recognition:
    """By the names of the columns, which stand at the end of the file, each behind its type and its length."""
    present = [name for name in KNOWN if column_in(end, name)]
    fields = find_columns(present, ALIASES)
    if fields.keys() != ALIASES.keys():
        return nothing(
            Phrase("A Parquet file without the columns of a run (topic, docno, score) or of qrels (topic, docno, grade).")
        )
    if plain_name(fields["grade"]) == "score" and column_in(end, fields["grade"], FRACTIONS):
        return Recognition(RUN, "auto", Phrase("A Parquet file with topic, document and score: a run."))
    return Recognition(QRELS, "auto", Phrase("A Parquet file with topic, document and grade: qrels."))


def column_in(end: bytes, name: str, types: bytes = b".") -> bool:
    """Whether the schema has such a column, as Thrift's compact protocol writes its type, repetition and name."""
    written = b"\x15" + types + b"\x25.\x18" + re.escape(bytes([len(name)]) + name.encode())
    return re.search(written, end, re.DOTALL) is not None
