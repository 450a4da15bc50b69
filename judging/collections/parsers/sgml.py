"""TREC's SGML, which is no XML: records between <DOC> and </DOC> or <top> and </top>, tags in any case, few rules.

Every function here is linear in its input: an opening tag that is never closed is looked for once, not again from each place.
"""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from io import StringIO
from typing import NamedTuple

from ireval.io.files import ProblemList
from ireval.translatable import Phrase
from judging.collections.parsers.entities import resolved
from judging.collections.parsers.text_files import MAX_LENGTH, Lines

# A name that is taken is kept (*+): trying shorter ones would cost the square of the length of a tag without an end.
FIELD_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*+)[^<>]*>")
TAG = re.compile(r"<[/!?]?[A-Za-z][^<>]*>")
BLOCK_TAG = re.compile(
    r"</?(?:p|br|div|hr|li|ul|ol|dl|dt|dd|h[1-6]|tr|td|th|table|pre|blockquote|title|headline|text|body)\b[^<>]*>", re.IGNORECASE
)
CAPITALS = re.compile("[A-Z]+")
UNSEEN = [("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>")]


class TagSpan(NamedTuple):
    """A field's place in its record: its opening tag, its content, its closing tag."""

    start: int
    content_start: int
    content_end: int
    end: int


@dataclass
class Element:
    """One record: what stands between its tags, and the line of its opening tag."""

    line: int
    attributes: str = ""
    text: StringIO = field(default_factory=StringIO)
    length: int = 0

    def add(self, piece: str) -> None:
        self.length += len(piece)
        if self.length <= MAX_LENGTH:
            self.text.write(piece)

    @property
    def body(self) -> str:
        return self.text.getvalue()


class Elements:
    """Cuts a file into its <tag> … </tag> records, line by line; what is unclosed, stray or endless is a problem."""

    def __init__(self, tag: str, problems: ProblemList):
        self.tag, self.problems = tag, problems
        self.boundary = re.compile(rf"<(/?){tag}(\s[^<>]*)?>", re.IGNORECASE)
        self.current: Element | None = None
        self.straying = False

    def of(self, lines: Lines) -> Iterator[Element]:
        for number, line in lines:
            if self.current and "<" not in line:
                self.current.add(line + "\n")
            else:
                yield from self.in_line(number, line)
            if self.problems.full:
                return
        if self.current:
            self.unclosed(Phrase("the end of the file"))

    def in_line(self, number: int, line: str) -> Iterator[Element]:
        position = 0
        for match in self.boundary.finditer(line):
            self.text(number, line[position : match.start()])
            position = match.end()
            if not match[1]:
                self.open(number, match[2] or "")
            elif self.current:
                yield from self.closed()
            else:
                self.problems.add(number, Phrase("</%(tag)s> without a <%(tag)s> before it", tag=self.tag))
        self.text(number, line[position:] + "\n")

    def text(self, number: int, piece: str) -> None:
        if self.current:
            self.current.add(piece)
        elif not self.straying and TAG.sub("", piece).strip():
            self.straying = True
            stray = Phrase("text outside of <%(tag)s> … </%(tag)s>; expected <%(tag)s>", tag=self.tag)
            self.problems.add(number, stray)

    def open(self, number: int, attributes: str) -> None:
        if self.current:
            self.unclosed(Phrase("the next <%(tag)s> on line %(line)s", tag=self.tag, line=number))
        self.current, self.straying = Element(number, attributes), False

    def closed(self) -> Iterator[Element]:
        element, self.current = self.current, None
        assert element
        if element.length > MAX_LENGTH:
            too_long = Phrase(
                "<%(tag)s> holds more than %(most)s characters, the most accepted", tag=self.tag, most=f"{MAX_LENGTH:,}"
            )
            self.problems.add(element.line, too_long)
        else:
            yield element

    def unclosed(self, before: Phrase) -> None:
        assert self.current
        self.problems.add(self.current.line, not_closed(f"<{self.tag}>", self.tag, before))


def not_closed(opening: str, tag: str, before: str) -> Phrase:
    return Phrase("%(opening)s is not closed; expected </%(tag)s> before %(before)s", opening=opening, tag=tag, before=before)


class Fields:
    """Where the named fields of a record begin and end; `unclosed` are the tags that have no closing one."""

    def __init__(self, body: str, names: Container[str]):
        self.body = body
        self.spans: dict[str, list[TagSpan]] = {}
        self.unclosed: dict[str, re.Match[str]] = {}
        for tag in FIELD_TAG.finditer(body):
            name = tag[2].lower()
            if name in names:
                self.see(name, tag)

    def see(self, name: str, tag: re.Match[str]) -> None:
        if not tag[1]:
            self.unclosed.setdefault(name, tag)
        elif opening := self.unclosed.pop(name, None):
            self.spans.setdefault(name, []).append(TagSpan(opening.start(), opening.end(), tag.start(), tag.end()))

    def contents(self, name: str) -> list[str]:
        """The text of each field of that name, tags and all."""
        return [self.body[span.content_start : span.content_end] for span in self.spans.get(name, [])]

    def first(self, *names: str) -> str:
        """The plain text of the first of these fields that has any, by the order of the names."""
        return next((text for name in names for content in self.contents(name) if (text := plain_text(content))), "")

    def rest(self) -> str:
        """What stands in none of the fields."""
        kept, position = [], 0
        for span in sorted(span for spans in self.spans.values() for span in spans):
            kept.append(self.body[position : span.start])
            position = max(position, span.end)
        return "".join(kept) + self.body[position:]


def plain_text(markup: str) -> str:
    """The text a reader sees: comments, scripts and tags gone, entities resolved, paragraphs on lines of their own.

    >>> plain_text("<P>Fish &amp; chips,</P><P>a <B>classic</B></P>")
    'Fish & chips,\\na classic'
    """
    if "<" in markup:
        markup = without_tags(markup)
    return resolved(markup).strip()


def without_tags(markup: str) -> str:
    for opening, closing in UNSEEN:
        markup = without_blocks(markup, opening, closing)
    if not TAG.search(markup):
        return markup
    lines = TAG.sub("", BLOCK_TAG.sub("\n", markup)).split("\n")
    return "\n".join(line.rstrip() for line in lines if line.strip())


def without_blocks(markup: str, opening: str, closing: str) -> str:
    """The markup without what stands from each `opening` to its `closing`; an unclosed one is left in place."""
    # As long as the markup: lower() would lengthen some letters that are not ASCII.
    folded = markup.lower() if markup.isascii() else CAPITALS.sub(lambda capitals: capitals[0].lower(), markup)
    if opening not in folded:
        return markup
    kept, position = [], 0
    while (start := folded.find(opening, position)) >= 0 and (end := folded.find(closing, start)) >= 0:
        kept.append(markup[position:start])
        position = end + len(closing)
    return "".join(kept) + markup[position:]
