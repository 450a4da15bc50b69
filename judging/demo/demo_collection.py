"""A collection of the demo, ready to be imported; no Django."""

from dataclasses import dataclass, field

from judging.collections.parsers.parsed_records import ParsedDocument, ParsedTopic
from judging.demo.rankings import DemoRun

Row = tuple[str, str, int]  # topic, docno, grade


@dataclass(frozen=True)
class GivenGrades:
    """The grades that come with a collection; `recipe` says how they were made, `sparse` whether they leave out documents."""

    name: str
    description: str
    rows: tuple[Row, ...]
    sparse: bool = False
    recipe: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class DemoCollection:
    """A collection ready to be imported; `notice` must be shown with it, `attribution` is the one line for every page."""

    name: str
    description: str
    documents: tuple[ParsedDocument, ...]
    topics: tuple[ParsedTopic, ...]
    qrels: GivenGrades
    runs: tuple[DemoRun, ...]
    attribution: str = ""
    notice: str = ""
