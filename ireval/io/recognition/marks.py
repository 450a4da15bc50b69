"""Formats that are told by tags at the beginning of a line (TREC) or by dots (SMART)."""

import re
from collections.abc import Sequence
from statistics import median

from ireval.io.recognition.kinds import DOCUMENTS, MANY_WORDS, TOPICS, Recognition, nothing
from ireval.translatable import Phrase

HTML = re.compile(r"(?i)\s*(?:<!doctype html|<html[\s>])")
TREC_DOCUMENT = re.compile(r"(?im)^[ \t]*<doc(?:\s[^<>]*)?>")
TREC_TOPIC = re.compile(r"(?im)^[ \t]*<top(?:\s[^<>]*)?>")
XML_TOPIC = re.compile(r"(?im)^[ \t]*(?:<[^<>]*>)*<topic[\s>]")
SMART_RECORD = re.compile(r"(?m)^\.I[ \t]+(\S+)[ \t]*$")
SMART_FIELD = re.compile(r"(?m)^\.([A-Z])[ \t]*$")


def of_tags(lines: Sequence[str]) -> Recognition | None:
    text = "\n".join(lines)
    if HTML.match(text):
        page = Phrase("This is a page of HTML; expected a file with one or more documents.")
        return nothing(page, {"title": tagged("title", text)})
    if TREC_DOCUMENT.search(text):
        sample = {"document": tagged("docno", text) or tagged("docid", text), "title": tagged("title", text)}
        return Recognition(DOCUMENTS, "trec", Phrase("It has <DOC> elements: TREC’s documents."), sample)
    if TREC_TOPIC.search(text):
        sample = {"topic": re.sub(r"(?i)number:", "", tagged("num", text)), "title": tagged("title", text)}
        return Recognition(TOPICS, "trec", Phrase("It has <top> elements: TREC’s topics."), sample)
    if XML_TOPIC.search(text):
        return Recognition(TOPICS, "trec-xml", Phrase("It has <topic> elements: TREC’s topics in XML."), xml_topic(text))
    return None


def tagged(name: str, text: str) -> str:
    """What follows the first such tag, up to the next one."""
    match = re.search(rf"(?i)<{name}(?:\s[^<>]*)?>([^<]*)", text)
    return match[1].strip() if match else ""


def xml_topic(text: str) -> dict[str, str]:
    number = re.search(r"""(?i)<topic\s[^<>]*?\b(?:number|num|id|qid)\s*=\s*["']?([^"'>]+)""", text)
    return {"topic": number[1] if number else tagged("num", text), "title": tagged("query", text) or tagged("title", text)}


def of_dots(lines: Sequence[str]) -> Recognition | None:
    """SMART. No mark tells documents from topics: documents have titles or authors, or long texts."""
    text = "\n".join(lines)
    starts = list(SMART_RECORD.finditer(text))
    if not starts:
        return None
    ends = [start.start() for start in starts[1:]] + [len(text)]
    records = [text[start.end() : end] for start, end in zip(starts, ends, strict=True)]
    number, content = starts[0][1], SMART_FIELD.sub("", records[0])
    if letters_of(records[0]) == {"W"}:
        bare = [record for record in records if letters_of(record) == {"W"}]
        words = median(len(record.split()) - 1 for record in bare)
        if words <= MANY_WORDS:
            because = Phrase("It has .I records with a short .W: SMART’s topics.")
            if are_counted([start[1] for start in starts]):
                because = Phrase(
                    "%(because)s The numbers after .I leave some out; topics are counted 1, 2, 3, … in the order of the file, as "
                    "in Cranfield’s qrels.",
                    because=because,
                )
            return Recognition(TOPICS, "smart", because, {"topic": number, "text": content})
        because = Phrase("It has .I records with a .W of %(n)s words: SMART’s documents.", n=f"{words:.0f}")
    else:
        because = Phrase("It has .I records with titles or authors: SMART’s documents.")
    return Recognition(DOCUMENTS, "smart", because, {"document": number, "text": content})


def letters_of(record: str) -> set[str]:
    return set(SMART_FIELD.findall(record))


def are_counted(numbers: Sequence[str]) -> bool:
    """Whether these are Cranfield's numbers, which are not those of its qrels."""
    whole = [int(number) for number in numbers if number.isdecimal() and len(number) < 10]
    return len(whole) == len(numbers) and whole[0] == 1 and whole[-1] != len(whole)
