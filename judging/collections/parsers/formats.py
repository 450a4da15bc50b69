"""The formats by name, how one is guessed, and the readers that the rest of the product calls."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from ireval.io.files import MAX_BYTES, BadFile, ProblemList
from ireval.translatable import Phrase
from judging.collections.parsers import beir, jsonl, shown_results, smart, smart_qrels, tables, trec, trec_topics, trec_xml
from judging.collections.parsers.acceptance import accepted_documents, accepted_topics
from judging.collections.parsers.format_guess import KINDS, Kind, guess_format
from judging.collections.parsers.parsed_records import ParsedDocument, ParsedJudgement, ParsedResult, ParsedTopic
from judging.collections.parsers.text_files import Lines, text_lines

DocumentReader = Callable[[Lines, ProblemList, ProblemList], Iterator[ParsedDocument]]
TopicReader = Callable[[Lines, ProblemList, ProblemList], Iterator[ParsedTopic]]
ResultReader = Callable[[Lines, ProblemList, ProblemList], Iterator[shown_results.Written]]

Parsed = TypeVar("Parsed")

AUTO = "auto"
# Topics and relevance files are read by people; one of this size is not one.
MAX_READABLE_BYTES = 256 * 2**20


@dataclass(frozen=True)
class Format:
    """A file format: its label for a form, and its readers for each kind that comes in it."""

    label: Phrase
    documents: DocumentReader | None = None
    topics: TopicReader | None = None
    results: ResultReader | None = None
    keeps_empty_documents: bool = False


FORMATS = {
    "trec": Format(Phrase("TREC: <DOC> documents, <top> topics"), trec.read_documents, trec_topics.read_topics),
    "trec-xml": Format(Phrase("TREC topics in XML: <topic number=…>"), None, trec_xml.read_topics),
    "beir": Format(Phrase("BEIR: corpus.jsonl, queries.jsonl"), beir.read_documents, beir.read_topics),
    "smart": Format(
        Phrase("SMART: .I .T .W, as Cranfield and CISI"), smart.read_documents, smart.read_topics, keeps_empty_documents=True
    ),
    "csv": Format(Phrase("CSV table with a header"), tables.read_csv_documents, tables.read_csv_topics, shown_results.read_csv),
    "tsv": Format(
        Phrase("TSV table, with a header or as MS MARCO's"),
        tables.read_tsv_documents,
        tables.read_tsv_topics,
        shown_results.read_tsv,
    ),
    "jsonl": Format(Phrase("JSON Lines: one object a line"), jsonl.read_documents, jsonl.read_topics, shown_results.read_jsonl),
}


def choices(kind: Kind) -> list[tuple[str, str]]:
    """(name, label) of the formats that a kind comes in, "auto" first, as a form's select wants them."""
    readable = [(name, format.label) for name, format in FORMATS.items() if getattr(format, kind)]
    return [(AUTO, "Tell from the file"), *readable]


def read_documents(
    path: str | os.PathLike[str],
    *,
    format: str = AUTO,
    name: str | None = None,
    max_bytes: int = MAX_BYTES,
    problems: ProblemList,
    warnings: ProblemList | None = None,
) -> Iterator[ParsedDocument]:
    """Yield the documents of a file one by one; what is wrong goes into `problems` with its line.

    A document with a problem is not given. Remarks on what was accepted all the same go into `warnings`. `name` is the name that
    the file came under, if not that of `problems`: its ending helps to tell the format. Of the file only the ids are kept in
    memory. BadFile is raised with every problem so far where reading on is useless: a binary file, a damaged archive, an unknown
    format, too many bytes. Nothing else is ever raised. Call `problems.raise_if_any()` after the last one.
    """
    warnings = ProblemList(problems.file) if warnings is None else warnings
    with collected(problems):
        chosen = format_of(path, format, "documents", name or problems.file)
        assert chosen.documents
        documents = chosen.documents(text_lines(path, max_bytes=max_bytes, problems=problems), problems, warnings)
        accepted = accepted_documents(documents, problems, warnings, keep_empty=chosen.keeps_empty_documents)
        yield from at_least_one(accepted, Phrase("no documents found; read as %(format)s", format=chosen.label), problems)


def read_topics(
    path: str | os.PathLike[str],
    *,
    format: str = AUTO,
    name: str | None = None,
    max_bytes: int = MAX_READABLE_BYTES,
    problems: ProblemList,
    warnings: ProblemList | None = None,
    number_topics: smart.Numbering = "auto",
) -> Iterator[ParsedTopic]:
    """Yield the topics of a file, on the terms of `read_documents`; `number_topics` is for SMART (smart.read_topics)."""
    warnings = ProblemList(problems.file) if warnings is None else warnings
    with collected(problems):
        chosen = format_of(path, format, "topics", name or problems.file)
        assert chosen.topics
        reader = partial(smart.read_topics, number_topics=number_topics) if chosen is FORMATS["smart"] else chosen.topics
        topics = reader(text_lines(path, max_bytes=max_bytes, problems=problems), problems, warnings)
        accepted = accepted_topics(topics, problems, warnings)
        yield from at_least_one(accepted, Phrase("no topics found; read as %(format)s", format=chosen.label), problems)


def read_results(
    path: str | os.PathLike[str],
    *,
    system: str,
    format: str = AUTO,
    name: str | None = None,
    max_bytes: int = MAX_BYTES,
    problems: ProblemList,
) -> Iterator[ParsedResult]:
    """Yield what systems' sites show, on the terms of `read_documents`; `system` is whose those are that do not say it."""
    with collected(problems):
        chosen = format_of(path, format, "results", name or problems.file)
        assert chosen.results
        results = chosen.results(text_lines(path, max_bytes=max_bytes, problems=problems), problems, ProblemList(problems.file))
        accepted = shown_results.accepted_results(results, problems, system=system)
        yield from at_least_one(accepted, Phrase("no results found; read as %(format)s", format=chosen.label), problems)


def read_smart_qrels(
    path: str | os.PathLike[str],
    *,
    scale: str = "cranfield",
    max_bytes: int = MAX_READABLE_BYTES,
    problems: ProblemList,
) -> Iterator[ParsedJudgement]:
    """Yield (topic, docno, grade, line) of a SMART relevance file, on the terms of `read_documents`.

    `scale` is one of smart_qrels.SCALES; it matters only where the file has codes (Cranfield).
    """
    with collected(problems):
        judgements = smart_qrels.read_qrels(text_lines(path, max_bytes=max_bytes, problems=problems), problems, scale=scale)
        none = Phrase("no judgements found; expected a topic, a document and a code on each line")
        yield from at_least_one(judgements, none, problems)


def at_least_one(records: Iterator[Parsed], complaint: Phrase, problems: ProblemList) -> Iterator[Parsed]:
    """What is found; nothing, without any problem that explains it, is a problem."""
    empty = True
    for record in records:
        empty = False
        yield record
    if empty and not problems.problems:
        problems.add(0, complaint)


def format_of(path: str | os.PathLike[str], format: str, kind: Kind, name: str) -> Format:
    """The format of that name, or the guessed one; BadFile if there is none or it has no such files."""
    chosen = guess_format(path, kind, name=name) if format == AUTO else format
    if chosen not in FORMATS or not getattr(FORMATS[chosen], kind):
        wanted = ", ".join(choice for choice, _ in choices(kind))
        unknown = Phrase(
            "no format for %(kind)s is called %(format)s; expected one of %(expected)s",
            kind=KINDS[kind],
            format=repr(chosen),
            expected=wanted,
        )
        raise BadFile.because(name, unknown)
    return FORMATS[chosen]


@contextmanager
def collected(problems: ProblemList) -> Iterator[None]:
    """BadFile raised inside comes out with the problems collected before it, in the order of their lines."""
    try:
        yield
    except BadFile as error:
        for problem in error.problems:
            problems.add(problem.line, problem.message)
        problems.raise_if_any()
