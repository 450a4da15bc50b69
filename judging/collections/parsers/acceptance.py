"""Limits for every document and topic, whatever its format: one id of one word, and something to read."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator

from ireval.io.files import ProblemList
from ireval.io.first_lines import FirstLines
from ireval.translatable import Phrase
from judging.collections.parsers.parsed_records import ParsedDocument, ParsedTopic
from judging.collections.parsers.tag_lists import BadTags, clean_tags

MAX_ID = 200
MAX_URL = 2000
SHOWN = 60
DOCUMENT, TOPIC = Phrase("document"), Phrase("topic")
DOCUMENT_ID, TOPIC_NUMBER = Phrase("document id"), Phrase("topic number")


class Ids:
    """The ids of one file: each is one word of at most MAX_ID characters and stands there once."""

    def __init__(self, noun: Phrase, problems: ProblemList):
        self.noun, self.problems = noun, problems
        self.seen = FirstLines()

    def accepts(self, identifier: str, line: int) -> bool:
        complaint = complaint_about_id(self.noun, identifier)
        if not complaint and (first := self.seen.first_line(identifier, line)):
            complaint = Phrase(
                "duplicate %(noun)s %(id)s; it was first on line %(line)s", noun=self.noun, id=quoted_id(identifier), line=first
            )
        if complaint:
            self.problems.add(line, complaint)
        return not complaint


def complaint_about_id(noun: Phrase, identifier: str, longest: int = MAX_ID) -> Phrase | None:
    if len(identifier) > longest:
        return too_long(id_called(noun, identifier), len(identifier), longest)
    if identifier.split() != [identifier]:
        return Phrase("%(id)s contains white space; an id is one word, as in run files", id=id_called(noun, identifier))
    if not is_storable(identifier) or not identifier.isprintable():
        return Phrase("%(id)s contains a character that cannot be printed", id=id_called(noun, identifier))
    return None


def id_called(noun: Phrase, identifier: str) -> Phrase:
    return Phrase("%(noun)s id %(id)s", noun=noun, id=quoted_id(identifier))


def too_long(what: Phrase, length: int, longest: int) -> Phrase:
    return Phrase(
        "%(what)s has %(number)s characters; at most %(most)s are accepted", what=what, number=f"{length:,}", most=f"{longest:,}"
    )


def document_called(docno: str) -> Phrase:
    return Phrase("document %(docno)s", docno=quoted_id(docno))


def topic_called(number: str) -> Phrase:
    return Phrase("topic %(topic)s", topic=quoted_id(number))


def accepted_documents(
    documents: Iterable[ParsedDocument], problems: ProblemList, warnings: ProblemList, *, keep_empty: bool
) -> Iterator[ParsedDocument]:
    """The documents that can be stored; the others become problems. Stops once the problems are full."""
    ids = Ids(DOCUMENT, problems)
    for document in documents:
        if ids.accepts(document.docno, document.line) and is_readable(document, problems, warnings, keep_empty):
            yield with_safe_url(document, warnings)
        if problems.full:
            return


def is_readable(document: ParsedDocument, problems: ProblemList, warnings: ProblemList, keep_empty: bool) -> bool:
    if not all(map(is_storable, (document.title, document.text, document.url))):
        problems.add(document.line, unstorable(document_called(document.docno)))
        return False
    if document.title or document.text:
        return True
    if keep_empty:
        kept = Phrase("%(document)s has neither title nor text; it is kept as it is", document=document_called(document.docno))
        warnings.add(document.line, kept)
        return True
    empty = Phrase(
        "%(document)s has neither title nor text; expected at least one of them", document=document_called(document.docno)
    )
    problems.add(document.line, empty)
    return False


def unstorable(what: Phrase) -> Phrase:
    return Phrase("%(what)s contains a NUL character or half of a surrogate pair", what=what)


def with_safe_url(document: ParsedDocument, warnings: ProblemList) -> ParsedDocument:
    """The document without an address that is no web address: a page will link to it, and "javascript:" is one too."""
    if not document.url or (document.url.startswith(("http://", "https://")) and len(document.url) <= MAX_URL):
        return document
    left_out = Phrase(
        "the url of %(document)s is left out; expected http:// or https://, at most %(most)s long",
        document=document_called(document.docno),
        most=f"{MAX_URL:,}",
    )
    warnings.add(document.line, left_out)
    return dataclasses.replace(document, url="")


def accepted_topics(topics: Iterable[ParsedTopic], problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedTopic]:
    """The topics that can be stored; the others become problems. Stops once the problems are full.

    One without a title may name a topic that a collection has already, if it gives it tags.
    """
    ids = Ids(TOPIC, problems)
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
            problems.add(topic.line, Phrase("tags of %(topic)s: %(why)s", topic=topic_called(topic.number), why=bad.why))
            return None
        left_out = Phrase("the tags of %(topic)s are left out: %(why)s", topic=topic_called(topic.number), why=bad.why)
        warnings.add(topic.line, left_out)
        return dataclasses.replace(topic, tags=())


def is_askable(topic: ParsedTopic, problems: ProblemList) -> bool:
    texts = [topic.title, topic.description, topic.narrative]
    for subtopic in topic.subtopics:
        texts += dataclasses.astuple(subtopic)
    if not all(map(is_storable, texts)):
        problems.add(topic.line, unstorable(topic_called(topic.number)))
        return False
    if number := repeated_subtopic(topic):
        twice = Phrase(
            "%(topic)s has several subtopics of number %(number)s; expected each number once",
            topic=topic_called(topic.number),
            number=quoted_id(number),
        )
        problems.add(topic.line, twice)
        return False
    if not topic.title and not topic.tags:
        problems.add(topic.line, complaint_about_title(topic))
        return False
    return True


def repeated_subtopic(topic: ParsedTopic) -> str | None:
    """The first number that several of its subtopics have. One without a number has that of its place."""
    numbers = Counter(subtopic.number for subtopic in topic.subtopics)
    return next((number for number, times in numbers.items() if times > 1), None)


def complaint_about_title(topic: ParsedTopic) -> Phrase:
    return Phrase("%(topic)s has no title; expected its query", topic=topic_called(topic.number))


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
