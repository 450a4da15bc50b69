"""TREC topics in XML: <topic number="…"> with <query>, <question>, <description>, <narrative>, <subtopic>.

Read by expat as a stream. Document type declarations are refused, and entities with them: nothing is expanded or fetched.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from ireval.io import field_names
from ireval.io.files import BadFile, ProblemList
from ireval.translatable import Phrase
from judging.collections.parsers.parsed_records import ParsedSubtopic, ParsedTopic, one_line
from judging.collections.parsers.text_files import Lines

NUMBERS = ("number", "num", "id", "identifier", "qid")
TITLES = ("query", "title")
DESCRIPTIONS = ("question", "description", "desc")
NARRATIVES = ("narrative", "narr")
TAGS = tuple(field_names.TAGS)
UNESCAPED = {expat.errors.codes[text] for text in (expat.errors.XML_ERROR_INVALID_TOKEN, expat.errors.XML_ERROR_UNDEFINED_ENTITY)}
FIRST_ELEMENT = re.compile(r"<([A-Za-z][\w.-]*)")


@dataclass
class OpenTopic:
    """A topic between its tags: texts by element name, own text under ""."""

    line: int
    attributes: dict[str, str]
    texts: dict[str, list[str]] = field(default_factory=dict)
    subtopics: list[ParsedSubtopic] = field(default_factory=list)

    def first(self, names: tuple[str, ...]) -> str:
        return next((text for name in names if (text := "".join(self.texts.get(name, [])).strip())), "")

    def number(self) -> str:
        written = next((self.attributes[name] for name in NUMBERS if name in self.attributes), "")
        return written.strip() or self.first(NUMBERS)

    def parsed(self) -> ParsedTopic:
        return ParsedTopic(
            number=self.number(),
            title=one_line(self.first((*TITLES, ""))),
            description=self.first(DESCRIPTIONS),
            narrative=self.first(NARRATIVES),
            subtopics=tuple(self.subtopics),
            line=self.line,
            tags=[self.attributes.get(name, "") for name in TAGS] + ["".join(self.texts.get(name, [])) for name in TAGS],
        )


class TopicHandler:
    """Follows expat's events; topics that have ended wait in `ready`."""

    def __init__(self, problems: ProblemList):
        self.problems = problems
        self.parser = expat.ParserCreate("UTF-8")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self.refuse_declaration
        self.parser.EntityDeclHandler = self.refuse_declaration
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.topic: OpenTopic | None = None
        self.inner: list[tuple[str, dict[str, str]]] = []
        self.subtopic_text: list[str] = []
        self.ready: list[ParsedTopic] = []

    def refuse_declaration(self, *_: object) -> None:
        line = self.parser.CurrentLineNumber
        refused = Phrase("document type and entity declarations are refused; remove <!DOCTYPE …>")
        raise BadFile.because(self.problems.file, refused, line)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.lower()
        if self.topic:
            if not self.inner:
                self.subtopic_text = []
            self.inner.append((name, attributes))
        elif name == "topic":
            self.topic = OpenTopic(self.parser.CurrentLineNumber, {key.lower(): value for key, value in attributes.items()})

    def text(self, data: str) -> None:
        if not self.topic:
            return
        field_name = self.inner[0][0] if self.inner else ""
        if field_name == "subtopic":
            self.subtopic_text.append(data)
        else:
            self.topic.texts.setdefault(field_name, []).append(data)

    def end(self, name: str) -> None:
        if not self.topic:
            return
        if self.inner:
            if self.inner[0][0] in TAGS:
                self.text(";")  # each of several elements is a tag
            inner, attributes = self.inner.pop()
            if inner == "subtopic" and not self.inner:
                self.add_subtopic(self.topic, attributes)
        else:
            self.finish(self.topic.parsed())
            self.topic = None

    def add_subtopic(self, topic: OpenTopic, attributes: dict[str, str]) -> None:
        number = attributes.get("number", "").strip() or str(len(topic.subtopics) + 1)
        topic.subtopics.append(ParsedSubtopic(number, "".join(self.subtopic_text).strip(), attributes.get("type", "").strip()))

    def finish(self, topic: ParsedTopic) -> None:
        if topic.number:
            self.ready.append(topic)
        else:
            self.problems.add(topic.line, Phrase('missing topic number; expected <topic number="…">'))


def read_topics(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedTopic]:
    """The <topic> elements of an XML file, in it or, without a root element, one after the other.

    Title: <query> or <title>, or else the topic's own text; description: <question> or <description>; number and tags are
    attributes or elements. Reading ends at the first place where the XML is not well-formed, which is a problem.
    """
    handler, last = TopicHandler(problems), 0
    try:
        for number, line in with_root_element(lines):
            last = number
            handler.parser.Parse(line.encode())
            yield from handler.ready
            handler.ready.clear()
            if problems.full:
                return
        handler.parser.Parse(b"", True)
    except expat.ExpatError as error:
        problems.add(min(error.lineno, last), error_text(error, handler.topic))


def error_text(error: expat.ExpatError, topic: OpenTopic | None) -> Phrase:
    text = Phrase("not well-formed XML: %(error)s", error=expat.ErrorString(error.code))
    if topic:
        text = Phrase("%(error)s in the topic that begins on line %(line)s", error=text, line=topic.line)
    if error.code in UNESCAPED:
        text = Phrase("%(error)s; expected & and < in a text to be written as &amp; and &lt;", error=text)
    return text


def with_root_element(lines: Lines) -> Lines:
    """The lines with their ends, inside of a root element of our own where the file is a bare sequence of topics."""
    root = None
    for number, line in lines:
        if root is None and (root := FIRST_ELEMENT.search(line)) and is_bare(root):
            yield number, line[: root.start()] + "<topics>" + line[root.start() :] + "\n"
        else:
            yield number, line + "\n"
    if root and is_bare(root):
        yield number, "</topics>"


def is_bare(root: re.Match[str]) -> bool:
    return root[1].lower() == "topic"
