"""Limits for every document and topic, whatever its format: one id of one word, and something to read."""

import dataclasses
from collections.abc import Iterable, Iterator

from ireval.io.files import ProblemList
from ireval.io.first_lines import FirstLines
from judging.collections.parsers.parsed import ParsedDocument, ParsedTopic
from judging.collections.parsers.tag_lists import BadTags, clean_tags

MAX_ID = 200
MAX_URL = 2000
SHOWN = 60


class Ids:
    """The ids of one file: each is one word of at most MAX_ID characters and stands there once."""

    def __init__(self, noun: str, problems: ProblemList):
        self.noun, self.problems = noun, problems
        self.seen = FirstLines()

    def accepts(self, identifier: str, line: int) -> bool:
        complaint = complaint_about_id(self.noun, identifier)
        if not complaint and (first := self.seen.first_line(identifier, line)):
            complaint = f"duplicate {self.noun} {quoted_id(identifier)}; it was first on line {first}"
        if complaint:
            self.problems.add(line, complaint)
        return not complaint


def complaint_about_id(noun: str, identifier: str, longest: int = MAX_ID) -> str | None:
    if len(identifier) > longest:
        return f"{noun} id {quoted_id(identifier)} has {len(identifier):,} characters; at most {longest:,} are accepted"
    if identifier.split() != [identifier]:
        return f"{noun} id {quoted_id(identifier)} contains white space; an id is one word, as in run files"
    if not is_storable(identifier) or not identifier.isprintable():
        return f"{noun} id {quoted_id(identifier)} contains a character that cannot be printed"
    return None


def accepted_documents(
    documents: Iterable[ParsedDocument], problems: ProblemList, warnings: ProblemList, *, keep_empty: bool
) -> Iterator[ParsedDocument]:
    """The documents that can be stored; the others become problems. Stops once the problems are full."""
    ids = Ids("document", problems)
    for document in documents:
        if ids.accepts(document.docno, document.line) and is_readable(document, problems, warnings, keep_empty):
            yield with_safe_url(document, warnings)
        if problems.full:
            return


def is_readable(document: ParsedDocument, problems: ProblemList, warnings: ProblemList, keep_empty: bool) -> bool:
    if not all(map(is_storable, (document.title, document.text, document.url))):
        problems.add(document.line, f"document {quoted_id(document.docno)} contains a NUL character or half of a surrogate pair")
        return False
    if document.title or document.text:
        return True
    if keep_empty:
        warnings.add(document.line, f"document {quoted_id(document.docno)} has neither title nor text; it is kept as it is")
        return True
    problems.add(document.line, f"document {quoted_id(document.docno)} has neither title nor text; expected at least one of them")
    return False


def with_safe_url(document: ParsedDocument, warnings: ProblemList) -> ParsedDocument:
    """The document without an address that is no web address: a page will link to it, and "javascript:" is one too."""
    if not document.url or (document.url.startswith(("http://", "https://")) and len(document.url) <= MAX_URL):
        return document
    warnings.add(
        document.line,
        f"the url of document {quoted_id(document.docno)} is left out; expected http:// or https://, at most {MAX_URL:,} long",
    )
    return dataclasses.replace(document, url="")


def accepted_topics(topics: Iterable[ParsedTopic], problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedTopic]:
    """The topics that can be stored; the others become problems. Stops once the problems are full.

    One without a title may name a topic that a collection has already, if it gives it tags.
    """
    ids = Ids("topic", problems)
    for topic in topics:
        if ids.accepts(topic.number, topic.line):
            tagged = with_clean_tags(topic, problems, warnings)
            if tagged and is_askable(tagged, problems):
                yield tagged
        if problems.full:
            return


def with_clean_tags(topic: ParsedTopic, problems: ProblemList, warnings: ProblemList) -> ParsedTopic | None:
    """The topic with clean tags. Bad ones are left out with a warning, as a column that is no matter of ours may have the name.

    Where tags are all that a line is about, bad ones are a problem, and there is no topic.
    """
    try:
        return dataclasses.replace(topic, tags=tuple(clean_tags(topic.tags)))
    except BadTags as bad:
        if not topic.title:
            problems.add(topic.line, f"tags of topic {quoted_id(topic.number)}: {bad}")
            return None
        warnings.add(topic.line, f"the tags of topic {quoted_id(topic.number)} are left out: {bad}")
        return dataclasses.replace(topic, tags=())


def is_askable(topic: ParsedTopic, problems: ProblemList) -> bool:
    texts = [topic.title, topic.description, topic.narrative]
    for subtopic in topic.subtopics:
        texts += dataclasses.astuple(subtopic)
    if not all(map(is_storable, texts)):
        problems.add(topic.line, f"topic {quoted_id(topic.number)} contains a NUL character or half of a surrogate pair")
        return False
    if not topic.title and not topic.tags:
        problems.add(topic.line, complaint_about_title(topic))
        return False
    return True


def complaint_about_title(topic: ParsedTopic) -> str:
    return f"topic {quoted_id(topic.number)} has no title; expected its query"


def is_storable(text: str) -> bool:
    """Whether a database takes the text: no NUL, no half of a surrogate pair (JSON can escape both)."""
    if text.isascii():
        return "\0" not in text
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def quoted_id(identifier: str) -> str:
    """An id as a message shows it: quoted when it is not plain, cut when it is long.

    >>> quoted_id("FT911-3"), quoted_id("a b")
    ('FT911-3', "'a b'")
    """
    cut = identifier if len(identifier) <= SHOWN else identifier[:SHOWN] + "…"
    return cut if cut.isprintable() and " " not in cut else ascii(cut)
