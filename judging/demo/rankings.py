"""The demo's four rankings, computed by bm25s when asked for: real systems that disagree, each named for what it is.

They differ in the part of a document that they read, in what they take for a term, and in how they weigh one.
"""

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import bm25s
from bm25s.stopwords import STOPWORDS_EN

from judging.parsers.parsed import ParsedDocument, ParsedTopic

logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG and reports every index it builds

DEPTH = 100
GRAM = 4

Row = tuple[str, str, float]  # topic, docno, score


@dataclass(frozen=True)
class Run:
    """One system's output: for every topic at most DEPTH documents, best first, each with a score above 0."""

    name: str
    description: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class System:
    """How one of the rankings is made. `settings` are those of `bm25s.BM25`."""

    name: str
    description: str
    read: Callable[[ParsedDocument], str]
    terms: Callable[[str], list[str]]
    settings: dict = field(default_factory=lambda: {"method": "lucene", "k1": 1.2, "b": 0.75})


def everything(document: ParsedDocument) -> str:
    return f"{document.title}\n{document.text}"


def title(document: ParsedDocument) -> str:
    return document.title


def words(text: str) -> list[str]:
    """The words of a text, lower-case, without Lucene's 33 English stop words.

    >>> words("The product's 8.3 file-names are not checked.")
    ['product', 's', '8', '3', 'file', 'names', 'checked']
    """
    return [word for word in re.findall(r"[^\W_]+", text.lower()) if word not in STOPWORDS_EN]


def grams(text: str) -> list[str]:
    """The words of a text cut into runs of four characters, with a blank at either end: "checks" and "checked" share three.

    >>> grams("checked")
    [' che', 'chec', 'heck', 'ecke', 'cked', 'ked ']
    """
    return [f" {word} "[at : at + GRAM] for word in words(text) for at in range(max(1, len(word) + 3 - GRAM))]


SYSTEMS = (
    System(
        name="bm25-words",
        description="BM25 as in Lucene (k1 = 1.2, b = 0.75) over the words of title and text; English stop words left out.",
        read=everything,
        terms=words,
    ),
    System(
        name="bm25-4grams",
        description="The same BM25 over runs of four characters within the words of title and text, instead of whole words.",
        read=everything,
        terms=grams,
    ),
    System(
        name="bm25-title",
        description="The same BM25 over the words of the title alone.",
        read=title,
        terms=words,
    ),
    System(
        name="tfidf-words",
        description="Nearly plain tf·idf over the words of title and text: BM25 as in ATIRE with k1 = 1000 and b = 0, so that "
        "repeated words count in full and long documents are not held back.",
        read=everything,
        terms=words,
        settings={"method": "atire", "k1": 1000, "b": 0},
    ),
)


def rank_all(documents: Sequence[ParsedDocument], topics: Sequence[ParsedTopic]) -> tuple[Run, ...]:
    """One run for each of SYSTEMS; the query is the topic's title."""
    return tuple(Run(system.name, system.description, tuple(rank(system, documents, topics))) for system in SYSTEMS)


def rank(system: System, documents: Sequence[ParsedDocument], topics: Sequence[ParsedTopic]) -> list[Row]:
    index = bm25s.BM25(**system.settings)
    index.index([system.terms(system.read(document)) for document in documents], show_progress=False)
    docnos = [document.docno for document in documents]
    return [
        (topic.number, docno, score)
        for topic in topics
        for docno, score in best(docnos, index.get_scores(system.terms(topic.title)).tolist())
    ]


def best(docnos: Sequence[str], scores: Sequence[float]) -> list[tuple[str, float]]:
    """The DEPTH best documents with a score above 0, ordered as evaluators do: by score, ties by docno, both descending.

    Scores are rounded to four decimals first, so that a file of them orders the documents in the same way.

    >>> best(["CWE-1", "CWE-2", "CWE-3"], [0.5, 0.50001, 0.0])
    [('CWE-2', 0.5), ('CWE-1', 0.5)]
    """
    rounded = ((round(score, 4), docno) for docno, score in zip(docnos, scores, strict=True))
    found = sorted((pair for pair in rounded if pair[0] > 0), reverse=True)
    return [(docno, score) for score, docno in found[:DEPTH]]
