"""JSON Lines: one object a line, its keys under any of the usual names."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ireval.io import field_names
from ireval.io.field_names import MOST_COLUMNS, Aliases
from ireval.io.files import ProblemList
from ireval.translatable import Phrase
from judging.collections.parsers.acceptance import DOCUMENT_ID, TOPIC_NUMBER
from judging.collections.parsers.html import html_document
from judging.collections.parsers.parsed_records import ParsedDocument, ParsedTopic, one_line
from judging.collections.parsers.text_files import Lines

KINDS = {
    dict: Phrase("an object"),
    list: Phrase("a list"),
    bool: Phrase("true or false"),
    str: Phrase("text"),
    int: Phrase("a number"),
    float: Phrase("a number"),
    type(None): Phrase("null"),
}


class UnusableRecord(Exception):
    """A line that is no record, and why."""

    def __init__(self, why: Phrase):
        super().__init__(why)
        self.why = why


def read_documents(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedDocument]:
    """One document a line; keys as in field_names.DOCUMENT."""
    return documents_of(lines, field_names.DOCUMENT, problems)


def read_topics(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedTopic]:
    """One topic a line; keys as in field_names.TOPIC and field_names.TAGS."""
    return topics_of(lines, field_names.TOPIC, problems)


def documents_of(lines: Lines, aliases: Aliases, problems: ProblemList) -> Iterator[ParsedDocument]:
    for line, record, fields in records(lines, aliases, "docno", DOCUMENT_ID, problems):
        yield html_document(
            fields["docno"],
            title=one_line(fields.get("title", "")),
            text=fields.get("text", "").strip(),
            url=fields.get("url", "").strip() or url_of_metadata(record),
            line=line,
            html=fields.get("html", ""),
        )


def topics_of(lines: Lines, aliases: Aliases, problems: ProblemList) -> Iterator[ParsedTopic]:
    for line, record, fields in records(lines, aliases, "number", TOPIC_NUMBER, problems):
        yield ParsedTopic(
            number=fields["number"],
            title=one_line(fields.get("title", "")),
            description=fields.get("description", "").strip(),
            narrative=fields.get("narrative", "").strip(),
            subtopics=(),
            line=line,
            tags=[record[key] for key in field_names.names_by_field(field_names.TAGS, record).values()],
        )


def records(
    lines: Lines, aliases: Aliases, id_field: str, id_noun: Phrase, problems: ProblemList
) -> Iterator[tuple[int, dict[str, Any], dict[str, str]]]:
    """Yield (line, object, its texts by field) of each line whose object has an id and texts where texts belong."""
    for line, text in lines:
        if not text.strip():
            continue
        try:
            record = load_record(text)
            fields = texts(record, field_names.names_by_field(aliases, record))
        except UnusableRecord as error:
            problems.add(line, error.why)
        else:
            if fields.get(id_field):
                yield line, record, fields
            else:
                wanted = field_names.expected(aliases, id_field)
                problems.add(line, Phrase("missing %(id)s; expected a key %(expected)s", id=id_noun, expected=wanted))
        if problems.full:
            return


def load_record(text: str) -> dict[str, Any]:
    try:
        record = json.loads(text)
    except json.JSONDecodeError as error:
        no_json = Phrase("not JSON: %(why)s in column %(column)s; expected one object a line", why=error.msg, column=error.colno)
        raise UnusableRecord(no_json) from error
    except RecursionError as error:
        raise UnusableRecord(Phrase("not usable JSON: nested too deeply")) from error
    except ValueError as error:
        raise UnusableRecord(Phrase("not usable JSON: a number with too many digits")) from error
    if not isinstance(record, dict):
        raise UnusableRecord(Phrase("expected one JSON object a line, found %(found)s", found=KINDS[type(record)]))
    if len(record) > MOST_COLUMNS:
        too_many = Phrase("has %(n)s keys; at most %(most)s are accepted", n=f"{len(record):,}", most=f"{MOST_COLUMNS:,}")
        raise UnusableRecord(too_many)
    return record


def texts(record: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, str]:
    """The texts under these keys; a number is taken as its text, null as none, and anything else raises UnusableRecord."""
    fields = {}
    for field, key in keys.items():
        value = record[key]
        if isinstance(value, (dict, list, bool)):
            raise UnusableRecord(Phrase('"%(key)s": expected text, found %(found)s', key=key, found=KINDS[type(value)]))
        fields[field] = "" if value is None else str(value)
    return {field: text.strip() if field in ("docno", "number", "topic") else text for field, text in fields.items()}


def url_of_metadata(record: Mapping[str, Any]) -> str:
    """BEIR keeps a document's address inside of "metadata"."""
    metadata = record.get("metadata")
    url = metadata.get("url") if isinstance(metadata, dict) else None
    return url.strip() if isinstance(url, str) else ""
