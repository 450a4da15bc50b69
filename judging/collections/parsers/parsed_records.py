"""Records that the parsers give: documents, topics, judgements and results, each with the line on which it begins."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document; what its file does not say is an empty string. `line` counts from 1. `text` is plain, `html` as it came."""

    docno: str
    title: str
    text: str
    url: str
    line: int
    html: str = ""


@dataclass(frozen=True, slots=True)
class ParsedSubtopic:
    """One aspect of a topic; `type` is what the TREC Web tracks say of it ("inf", "nav"), else empty."""

    number: str
    text: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class ParsedTopic:
    """A topic, whose `title` is the query; what its file does not say is empty. `line` counts from 1.

    `tags` are as the file has them until `accepted_topics` makes clean ones of them.
    """

    number: str
    title: str
    description: str
    narrative: str
    subtopics: tuple[ParsedSubtopic, ...]
    line: int
    tags: Sequence[Any] = ()


class ParsedJudgement(NamedTuple):
    """A line of a relevance file, its grade already on a scale on which more is better."""

    topic: str
    docno: str
    grade: int
    line: int


class ParsedResult(NamedTuple):
    """One result as a system's site shows it; what is not shown of it is empty."""

    system: str
    topic: str
    rank: int
    docno: str
    title: str
    url: str
    snippet: str
    line: int


def one_line(text: str) -> str:
    """Text whose runs of blanks and line ends are single blanks, as titles are shown.

    >>> one_line("  simple shear\\nflow ")
    'simple shear flow'
    """
    return " ".join(text.split())
