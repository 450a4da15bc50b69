"""SMART files, as the Cranfield and CISI collections come: .I begins a record, .T .A .B .W its fields.

The trap: the .I numbers of Cranfield's queries (001, 002, 004, … 365) are not the topics of its relevance file. That file counts
them 1 to 225 in the order of the file.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from ireval.io.files import ProblemList
from ireval.translatable import Phrase
from judging.collections.parsers.parsed_records import ParsedDocument, ParsedTopic, one_line
from judging.collections.parsers.text_files import MAX_LENGTH, Lines

Numbering = Literal["auto", "file order", "as written"]
RECORD = re.compile(r"\.I(?:\s+(.*))?$")
FIELD = re.compile(r"\.([TABWXKCN])\s*$")


@dataclass
class SmartRecord:
    """A record's id and its fields by letter; a field that comes twice goes on."""

    identifier: str
    line: int
    fields: dict[str, list[str]] = field(default_factory=dict)
    length: int = 0

    def begin(self, letter: str) -> None:
        self.fields.setdefault(letter, [])

    def add(self, letter: str, text: str) -> None:
        self.length += len(text) + 1
        if self.length <= MAX_LENGTH:
            self.fields[letter].append(text)

    def text(self, letter: str) -> str:
        return "\n".join(self.fields.get(letter, [])).strip()


def read_documents(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedDocument]:
    """Documents: .T is the title, .W the text; authors, references and cross-references are left out.

    An empty document is kept: Cranfield's 471 and 995 are records whose fields stand there with nothing in them.
    """
    for record in records(lines, problems):
        if not record.identifier:
            problems.add(record.line, Phrase("missing document id; expected .I and a number"))
        elif not record.fields.keys() & {"T", "W"}:
            empty = Phrase("document %(docno)s has no .T and no .W; expected at least one of them", docno=record.identifier)
            problems.add(record.line, empty)
        else:
            yield ParsedDocument(record.identifier, one_line(record.text("T")), record.text("W"), "", record.line)


def read_topics(
    lines: Lines, problems: ProblemList, warnings: ProblemList, *, number_topics: Numbering = "auto"
) -> Iterator[ParsedTopic]:
    """Topics: .W is the query; where there is a .T too (CISI's 58 to 112), that is the title and .W the description.

    `number_topics`: "as written" takes the .I numbers, and "file order" counts 1, 2, 3 …. "auto" counts where the .I numbers
    start at 1, rise and leave some out, as Cranfield's do. It says so in the warnings.
    """
    entries = list(records(lines, problems))
    if number_topics == "auto":
        number_topics = guessed_numbering(entries, warnings)
    for position, record in enumerate(entries, start=1):
        number = str(position) if number_topics == "file order" else record.identifier
        if not record.identifier:
            problems.add(record.line, Phrase("missing topic number; expected .I and a number"))
            continue
        title, text = record.text("T"), record.text("W")
        yield ParsedTopic(number, one_line(title or text), text if title else "", "", (), record.line)


def guessed_numbering(entries: list[SmartRecord], warnings: ProblemList) -> Numbering:
    numbers = [int(record.identifier) for record in entries if record.identifier.isdecimal() and len(record.identifier) < 10]
    rising = all(number < following for number, following in itertools.pairwise(numbers))
    if len(numbers) < len(entries) or not numbers or numbers[0] != 1 or not rising or numbers[-1] == len(numbers):
        return "as written"
    counted = Phrase(
        "the .I numbers leave some out (the last of %(n)s is %(last)s); the topics are numbered 1 to %(n)s in the order of "
        "the file, as in Cranfield's relevance file; choose “as written” to keep them",
        n=len(numbers),
        last=numbers[-1],
    )
    warnings.add(entries[0].line, counted)
    return "file order"


def records(lines: Lines, problems: ProblemList) -> Iterator[SmartRecord]:
    """The records of a file. CISI's begins with a .X that belongs to none, so a field without text may stand there."""
    record, letter, straying = None, "", False
    for line, text in lines:
        if begins := RECORD.match(text):
            yield from whole(record, problems)
            record, letter = SmartRecord((begins[1] or "").strip(), line), ""
        elif names := FIELD.match(text):
            letter = names[1]
            if record:
                record.begin(letter)
        elif record and letter:
            record.add(letter, text)
        elif text.strip() and not straying:
            straying = True
            problems.add(line, Phrase("text outside of a field; expected .I and a number, then .T or .W"))
        if problems.full:
            return
    yield from whole(record, problems)


def whole(record: SmartRecord | None, problems: ProblemList) -> Iterator[SmartRecord]:
    if record and record.length > MAX_LENGTH:
        too_long = Phrase("the record is longer than %(most)s characters, the longest accepted", most=f"{MAX_LENGTH:,}")
        problems.add(record.line, too_long)
    elif record:
        yield record
