"""CSV and TSV tables with a header, its names as in ireval.io.field_names, and MS MARCO's TSV, which has none."""

import csv
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ireval.io import field_names
from ireval.io.columns import wrong_number
from ireval.io.field_names import MOST_COLUMNS, Aliases, too_many_columns
from ireval.io.files import BadFile, ProblemList
from ireval.translatable import Phrase
from judging.collections.parsers.acceptance import DOCUMENT_ID, TOPIC_NUMBER
from judging.collections.parsers.html import html_document
from judging.collections.parsers.parsed_records import ParsedDocument, ParsedTopic, one_line
from judging.collections.parsers.text_files import MAX_LENGTH, Lines

# The default of 131,072 characters is less than a long document; the limit is one for the whole process.
csv.field_size_limit(MAX_LENGTH)

DELIMITERS = {",": Phrase("commas"), ";": Phrase("semicolons"), "\t": Phrase("tabs")}
EXPLAINED = {"unexpected end of data": Phrase("a quoted field begins in this row and is never closed")}
# Tables without a header, known by their number of columns: MS MARCO's collection and queries, and its long documents.
BARE_DOCUMENTS = {2: ["docno", "text"], 4: ["docno", "url", "title", "text"]}
BARE_TOPICS = {2: ["qid", "query"]}


@dataclass(frozen=True)
class Table:
    """What a table is read as: its delimiters, the names of its columns, and its columns where it has no header.

    `extra` columns are read where there are any; their names are too common to tell a header from a row.
    """

    delimiters: str
    aliases: Aliases
    id_field: str
    id_noun: Phrase
    bare: Mapping[int, list[str]]
    also_required: tuple[str, ...] = ()
    extra: Aliases | None = None


def read_csv_documents(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedDocument]:
    """The documents of a table separated by commas or semicolons."""
    return documents_of(lines, Table(",;", field_names.DOCUMENT, "docno", DOCUMENT_ID, {}), problems, warnings)


def read_tsv_documents(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedDocument]:
    """The documents of a table separated by tabs; without a header its columns are those of MS MARCO, and quotes are text."""
    return documents_of(lines, Table("\t", field_names.DOCUMENT, "docno", DOCUMENT_ID, BARE_DOCUMENTS), problems, warnings)


def read_csv_topics(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedTopic]:
    """The topics of a table separated by commas or semicolons."""
    table = Table(",;", field_names.TOPIC, "number", TOPIC_NUMBER, {}, extra=field_names.TAGS)
    return topics_of(lines, table, problems, warnings)


def read_tsv_topics(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedTopic]:
    """The topics of a table separated by tabs; without a header it is number and query, as MS MARCO's."""
    table = Table("\t", field_names.TOPIC, "number", TOPIC_NUMBER, BARE_TOPICS, extra=field_names.TAGS)
    return topics_of(lines, table, problems, warnings)


def documents_of(lines: Lines, table: Table, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedDocument]:
    for line, value in records(lines, table, problems, warnings):
        yield html_document(
            value("docno"),
            title=one_line(value("title")),
            text=value("text"),
            url=value("url"),
            line=line,
            html=value("html"),
        )


def topics_of(lines: Lines, table: Table, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedTopic]:
    for line, value in records(lines, table, problems, warnings):
        tags = [value(name) for name in field_names.TAGS]
        yield ParsedTopic(value("number"), one_line(value("title")), value("description"), value("narrative"), (), line, tags)


def records(
    lines: Lines, table: Table, problems: ProblemList, warnings: ProblemList
) -> Iterator[tuple[int, Callable[[str], str]]]:
    """Yield (line, value of a field) of every row that has an id and as many columns as the header."""
    first = next(((line, text) for line, text in lines if text.strip()), None)
    if first is None:
        return
    delimiter = max(table.delimiters, key=first[1].count)
    lines = itertools.chain([first], lines)
    if is_bare(first[1], delimiter, table):
        header = table.bare[first[1].count(delimiter) + 1]
        warnings.add(first[0], Phrase("no header; the columns are taken as %(columns)s", columns=", ".join(header)))
        rows = bare_rows(lines, delimiter)
    else:
        rows = quoted_rows(lines, delimiter, problems)
        header = next(rows, (0, []))[1]
    yield from with_ids(rows, header, places(header, table, first[0], problems), table, problems)


def with_ids(
    rows: Iterator[tuple[int, list[str]]], header: list[str], place: Mapping[str, int], table: Table, problems: ProblemList
) -> Iterator[tuple[int, Callable[[str], str]]]:
    for line, row in rows:
        if len(row) != len(header):
            problems.add(line, wrong_number(Phrase("%(n)s columns", n=len(header)), len(row)))
        elif row[place[table.id_field]].strip():
            yield line, cell_reader(row, place)
        else:
            column = header[place[table.id_field]]
            problems.add(line, Phrase('missing %(id)s in column "%(column)s"', id=table.id_noun, column=column))
        if problems.full:
            return


def cell_reader(row: list[str], place: Mapping[str, int]) -> Callable[[str], str]:
    return lambda field: row[place[field]].strip() if field in place else ""


def is_bare(first: str, delimiter: str, table: Table) -> bool:
    names = first.split(delimiter)
    return len(names) in table.bare and not field_names.names_by_field(table.aliases, names)


def bare_rows(lines: Lines, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    for line, text in lines:
        if text:
            yield line, text.split(delimiter)


def quoted_rows(lines: Lines, delimiter: str, problems: ProblemList) -> Iterator[tuple[int, list[str]]]:
    """The rows and the line on which each begins; a quoted field may go over several lines."""
    csv_lines = CsvLines(lines, problems.file)
    reader = csv.reader(csv_lines, delimiter=delimiter, strict=True)
    while True:
        start = csv_lines.begin_row()
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            unreadable = Phrase(
                "not readable as a table separated by %(delimiters)s: %(why)s",
                delimiters=DELIMITERS[delimiter],
                why=EXPLAINED.get(str(error), str(error)),
            )
            problems.add(start, unreadable)
            if problems.full:
                return
            continue
        if row:
            yield start, row


class CsvLines:
    """Lines for csv.reader, with their ends; `last` is the number of the last one taken. A row that never ends is refused."""

    def __init__(self, lines: Lines, name: str):
        self.lines, self.name, self.last, self.length = lines, name, 0, 0

    def begin_row(self) -> int:
        self.length = 0
        return self.last + 1

    def __iter__(self) -> "CsvLines":
        return self

    def __next__(self) -> str:
        self.last, text = next(self.lines)
        self.length += len(text)
        if self.length > MAX_LENGTH:
            endless = Phrase("the row is longer than %(most)s characters; is a quote left open?", most=f"{MAX_LENGTH:,}")
            raise BadFile.because(self.name, endless, self.last)
        return text + "\n"


def places(header: list[str], table: Table, line: int, problems: ProblemList) -> dict[str, int]:
    """The column of each field; without one for the id there is nothing to read, which raises BadFile, as do too many."""
    if len(header) > MOST_COLUMNS:
        raise BadFile.because(problems.file, too_many_columns(len(header)), line)
    fields = field_names.names_by_field(table.aliases, header)
    for field, noun in [(table.id_field, table.id_noun), *((field, field) for field in table.also_required)]:
        if field not in fields:
            missing = Phrase(
                "no column for the %(field)s; expected %(expected)s, found: %(found)s",
                field=noun,
                expected=field_names.expected(table.aliases, field),
                found=", ".join(header)[:200],
            )
            raise BadFile.because(problems.file, missing, line)
    fields |= field_names.names_by_field(table.extra or {}, header)
    return {field: header.index(name) for field, name in fields.items()}
