"""TREC topics as NIST wrote them for the ad hoc tracks: <top> records whose fields end where the next one begins."""

import itertools
import re
from collections.abc import Iterator

from ireval.io import field_names
from ireval.io.files import ProblemList
from ireval.translatable import Phrase
from judging.collections.parsers.entities import resolved
from judging.collections.parsers.parsed_records import ParsedTopic, one_line
from judging.collections.parsers.sgml import Element, Elements, plain_text
from judging.collections.parsers.text_files import Lines

# Fields that are read, and those of older tracks that are not but end the field before them.
NAMES = {
    "num": "number", "number": "number", "title": "title", "query": "title",
    "desc": "description", "description": "description", "narr": "narrative", "narrative": "narrative",
    **{name: name for name in field_names.TAGS},
}  # fmt: skip
OTHERS = "head|dom|smry|summary|con|concepts|fac|factors|def|nat|time"
ATTRIBUTE = re.compile(rf"""\b(?:{"|".join(field_names.TAGS)})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""", re.IGNORECASE)
TAG = re.compile(rf"<(/?)({'|'.join(NAMES)}|{OTHERS})\s*>", re.IGNORECASE)
CAPTION = re.compile(r"\s*(?:Number|Topic|Title|Query|Description|Narrative)\s*:\s*", re.IGNORECASE)


def read_topics(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedTopic]:
    """The topics between <top> and </top>; captions such as "Number:" and "Description:" are dropped.

    Numbers are kept as written, leading zeros included. Tags are in fields or in attributes of <top>.
    """
    for element in Elements("top", problems).of(lines):
        fields = fields_of(element)
        if fields.get("number"):
            yield ParsedTopic(
                number=fields["number"],
                title=one_line(fields.get("title", "")),
                description=fields.get("description", ""),
                narrative=fields.get("narrative", ""),
                subtopics=(),
                line=element.line,
                tags=[*attributes_of(element), *(fields.get(name, "") for name in field_names.TAGS)],
            )
        else:
            problems.add(element.line, Phrase("missing topic number; expected <num> Number: …"))


def fields_of(element: Element) -> dict[str, str]:
    """The first of each field that is read, from its opening tag to the next tag of a field."""
    body, fields = element.body, {}
    tags = list(TAG.finditer(body))
    for tag, following in itertools.zip_longest(tags, tags[1:]):
        name = NAMES.get(tag[2].lower())
        end = following.start() if following else len(body)
        if name and not tag[1] and name not in fields:
            fields[name] = without_caption(plain_text(body[tag.end() : end]))
    return fields


def attributes_of(element: Element) -> list[str]:
    """What stands in the attributes that hold tags."""
    return [resolved("".join(values)) for values in ATTRIBUTE.findall(element.attributes)]


def without_caption(text: str) -> str:
    caption = CAPTION.match(text)
    return text[caption.end() :] if caption else text
