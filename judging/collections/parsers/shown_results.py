"""Result lists as search sites show them: for a topic, at a rank, a title, an address and a snippet; of one system or several."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from ireval.io import field_names
from ireval.io.columns import repeated
from ireval.io.csv_rows import unguarded
from ireval.io.files import ProblemList
from ireval.io.first_lines import FirstLines
from ireval.translatable import Phrase
from judging.collections.parsers import acceptance, jsonl, tables
from judging.collections.parsers.acceptance import MAX_URL, complaint_about_id, is_storable, quoted_id
from judging.collections.parsers.entities import resolved
from judging.collections.parsers.jsonl import KINDS, UnusableRecord
from judging.collections.parsers.parsed_records import ParsedResult, one_line
from judging.collections.parsers.text_files import Lines

# A line, and the texts that stand there by field.
Written = tuple[int, Mapping[str, str]]

RANK = re.compile(r"(\d{1,9})(?:\.0+)?", re.ASCII)
LAST_RANK = 1_000_000
# Longer than any site shows; a whole document does not belong here.
LONGEST = {"title": 2_000, "url": MAX_URL, "snippet": 10_000}

# What sites mark the query's words with. Anything else in angle brackets is text: <script> may be what was searched for.
MARKER = re.compile(r"</?(?:b|strong|em|i|u|mark|span|font|small|wbr|hl|highlight)(?:\s[^<>]*)?/?>", re.IGNORECASE)
BREAK = re.compile(r"</?(?:br|p|div)(?:\s[^<>]*)?/?>", re.IGNORECASE)


def read_csv(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[Written]:
    """The rows of a table separated by commas or semicolons."""
    return rows_of(lines, ",;", problems, warnings)


def read_tsv(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[Written]:
    """The rows of a table separated by tabs."""
    return rows_of(lines, "\t", problems, warnings)


def rows_of(lines: Lines, delimiters: str, problems: ProblemList, warnings: ProblemList) -> Iterator[Written]:
    table = tables.Table(delimiters, field_names.RESULT, "topic", acceptance.TOPIC, {}, also_required=("rank",))
    for line, value in tables.records(lines, table, problems, warnings):
        yield (
            line,
            {field: value(field) for field in field_names.RESULT} | {field: unguarded(value(field)) for field in LONGEST},
        )


def read_jsonl(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[Written]:
    """One result a line, or one list a line: {"topic": …, "results": [{…}, …]}, ranked as it stands if it does not say."""
    for line, record, fields in jsonl.records(lines, field_names.RESULT, "topic", acceptance.TOPIC, problems):
        if "results" in record:
            yield from results_in_list(line, record["results"], fields, problems)
        else:
            yield line, fields


def results_in_list(line: int, results: Any, of_all: Mapping[str, str], problems: ProblemList) -> Iterator[Written]:
    if not isinstance(results, list):
        problems.add(line, Phrase('"results": expected a list, found %(found)s', found=KINDS[type(results)]))
        return
    common = {field: of_all[field] for field in ("topic", "system") if of_all.get(field)}
    for place, result in enumerate(results, start=1):
        try:
            own = texts_of(result)
        except UnusableRecord as error:
            problems.add(line, Phrase("result %(place)s: %(why)s", place=place, why=error.why))
        else:
            yield line, {"rank": str(place)} | own | common


def texts_of(result: Any) -> dict[str, str]:
    if not isinstance(result, dict):
        raise UnusableRecord(Phrase("expected an object, found %(found)s", found=KINDS[type(result)]))
    texts = jsonl.texts(result, field_names.names_by_field(field_names.RESULT, result))
    return {field: text for field, text in texts.items() if text}


def accepted_results(records: Iterator[Written], problems: ProblemList, *, system: str) -> Iterator[ParsedResult]:
    """The results that can be kept; the others become problems. Stops once the problems are full."""
    seen = FirstLines()
    for line, written in records:
        fields = cleaned(written)
        complaint = complaint_about(fields)
        if not complaint:
            result = parsed_result(fields, system, line)
            complaint = complaint_about_id(acceptance.DOCUMENT, result.docno, MAX_URL) or complaint_about_repetition(result, seen)
        if complaint:
            problems.add(line, complaint)
        else:
            yield result
        if problems.full:
            return


def cleaned(written: Mapping[str, str]) -> dict[str, str]:
    fields = {field: written.get(field, "").strip() for field in field_names.RESULT}
    return fields | {field: as_text(fields[field]) for field in ("title", "snippet")} | {"system": one_line(fields["system"])}


def complaint_about(fields: Mapping[str, str]) -> Phrase | None:
    if not all(map(is_storable, fields.values())):
        return Phrase("contains a NUL character or half of a surrogate pair")
    if complaint := complaint_about_id(acceptance.TOPIC, fields["topic"]):
        return complaint
    if rank_of(fields["rank"]) is None:
        fault = Phrase("the rank is %(rank)s", rank=quoted_id(fields["rank"])) if fields["rank"] else Phrase("missing rank")
        return Phrase("%(fault)s; expected a whole number from 0 to %(most)s", fault=fault, most=f"{LAST_RANK:,}")
    for field, longest in LONGEST.items():
        if len(fields[field]) > longest:
            return acceptance.too_long(Phrase("the %(field)s", field=field), len(fields[field]), longest)
    if not any(map(fields.get, LONGEST)):
        return Phrase("nothing to show; expected a title, a url or a snippet")
    return None


def rank_of(text: str) -> int | None:
    """The rank that is written, also as tables write whole numbers beside missing ones.

    >>> rank_of("3"), rank_of("3.0"), rank_of("third")
    (3, 3, None)
    """
    match = RANK.fullmatch(text)
    return int(match[1]) if match and int(match[1]) <= LAST_RANK else None


def parsed_result(fields: Mapping[str, str], system: str, line: int) -> ParsedResult:
    """A result under its docno; where it has none under its url, so that systems share it, or else one that nobody shares."""
    system, topic, rank = fields["system"] or system, fields["topic"], rank_of(fields["rank"]) or 0
    docno = fields["docno"] or one_word(fields["url"] or f"{system}/{topic}/{rank}")
    return ParsedResult(system, topic, rank, docno, fields["title"], fields["url"], fields["snippet"], line)


def one_word(text: str) -> str:
    """The text with blanks, and what cannot be printed, written as in urls.

    >>> one_word("Site A/7/2")
    'Site%20A/7/2'
    """
    if text.isprintable() and " " not in text:
        return text
    return "".join(character if character.isprintable() and character != " " else quote(character) for character in text)


def complaint_about_repetition(result: ParsedResult, seen: FirstLines) -> Phrase | None:
    where = (result.system, result.topic)
    if first := seen.first_line((*where, result.rank), result.line):
        return Phrase(
            "rank %(rank)s of topic %(topic)s again; it is on line %(line)s already",
            rank=result.rank,
            topic=result.topic,
            line=first,
        )
    if first := seen.first_line((*where, result.docno), result.line):
        again = repeated((result.topic, quoted_id(result.docno)), first)
        return Phrase("%(again)s. Results that share an address need a docno each", again=again)
    return None


def as_text(markup: str) -> str:
    """What a reader sees on one line: markers of the query's words gone, entities resolved, other tags as they are written.

    >>> as_text("<b>Owl</b> &amp; <em class=hit>vole</em><br>in <script>")
    'Owl & vole in <script>'
    """
    if "<" in markup:
        markup = MARKER.sub("", BREAK.sub(" ", markup))
    return one_line(resolved(markup))


def as_markup(text: str) -> str:
    """Text so written that `as_text` gives it back."""
    return text if as_text(text) == text else html.escape(text, quote=False)
