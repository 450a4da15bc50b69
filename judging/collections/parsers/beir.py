"""BEIR: corpus.jsonl with _id, title and text, queries.jsonl with _id and text."""

from collections.abc import Iterator

from ireval.io.files import ProblemList
from judging.collections.parsers.jsonl import documents_of, topics_of
from judging.collections.parsers.parsed_records import ParsedDocument, ParsedTopic
from judging.collections.parsers.text_files import Lines

DOCUMENT = {"docno": ("_id",), "title": ("title",), "text": ("text",), "url": ("url",), "html": ("html",)}
TOPIC = {"number": ("_id",), "title": ("text",)}


def read_documents(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedDocument]:
    """The documents of a corpus.jsonl; the url is that of "metadata", where it has one."""
    return documents_of(lines, DOCUMENT, problems)


def read_topics(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedTopic]:
    """The topics of a queries.jsonl: each query's text is the title."""
    return topics_of(lines, TOPIC, problems)
