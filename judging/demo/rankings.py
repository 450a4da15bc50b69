"""The demo's rankings, computed by bm25s when asked for: real systems that disagree, each named for what it is.

They differ in the part of a document that they read, in what they take for a term, and in how they weigh one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from judging.collections.parsers.parsed_records import ParsedDocument, ParsedTopic
from judging.search.rankers import RANKERS, Ranker
from judging.search.term_weights import build_index

DEPTH = 100

Row = tuple[str, str, float]  # topic, docno, score


@dataclass(frozen=True)
class DemoRun:
    """One system's output: for every topic at most DEPTH documents, best first, each with a score above 0."""

    name: str
    description: str
    rows: tuple[Row, ...]


def rank_all(documents: Sequence[ParsedDocument], topics: Sequence[ParsedTopic], names: Sequence[str]) -> tuple[DemoRun, ...]:
    """One run for each of the rankers of these names; the query is the topic's title."""
    systems = [RANKERS[name] for name in names]
    return tuple(DemoRun(system.name, system.description, tuple(rank(system, documents, topics))) for system in systems)


def rank(system: Ranker, documents: Sequence[ParsedDocument], topics: Sequence[ParsedTopic]) -> list[Row]:
    index = build_index(((key, document.docno, document.title, document.text) for key, document in enumerate(documents)), system)
    return [
        (topic.number, documents[key].docno, score)
        for topic in topics
        for key, score in index.best(system.terms(topic.title), DEPTH)
    ]
