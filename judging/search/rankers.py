"""Rankers of a collection: each once, for the search page, for arms of experiments and for the demo's runs.

No Django here and in `index`: the demo's collection is made without it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ireval.translatable import gettext_noop

GRAM = 4
# The 33 words that Lucene leaves out of English. (bm25s has them too, but importing it takes half a second.)
OF_ENGLISH = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was "
    "will with"
)
STOP_WORDS = frozenset(OF_ENGLISH.split())


@dataclass(frozen=True)
class Ranker:
    """`read` says which part of a document (title, text) counts, `terms` what its terms are; `settings` are `bm25s.BM25`'s."""

    name: str
    description: str
    read: Callable[[str, str], str]
    terms: Callable[[str], list[str]]
    settings: dict[str, Any] = field(default_factory=lambda: {"method": "lucene", "k1": 1.2, "b": 0.75})


def everything(title: str, text: str) -> str:
    return f"{title}\n{text}"


def title_alone(title: str, text: str) -> str:
    return title


def words(text: str) -> list[str]:
    """The words of a text, lower-case, without Lucene's 33 English stop words.

    >>> words("The product's 8.3 file-names are not checked.")
    ['product', 's', '8', '3', 'file', 'names', 'checked']
    """
    return [word for word in re.findall(r"[^\W_]+", text.lower()) if word not in STOP_WORDS]


def grams(text: str) -> list[str]:
    """The words of a text cut into sequences of four characters, with a blank at either end: "checks" and "checked" share three.

    >>> grams("checked")
    [' che', 'chec', 'heck', 'ecke', 'cked', 'ked ']
    """
    return [f" {word} "[at : at + GRAM] for word in words(text) for at in range(max(1, len(word) + 3 - GRAM))]


RANKERS = {
    ranker.name: ranker
    for ranker in (
        Ranker(
            name="bm25-words",
            description=gettext_noop(
                "BM25 as in Lucene (k1 = 1.2, b = 0.75) over the words of title and text; English stop words left out."
            ),
            read=everything,
            terms=words,
        ),
        Ranker(
            name="bm25-4grams",
            description=gettext_noop(
                "The same BM25 over sequences of four characters within the words of title and text, instead of whole words."
            ),
            read=everything,
            terms=grams,
        ),
        Ranker(
            name="bm25-title",
            description=gettext_noop("The same BM25 over the words of the title alone."),
            read=title_alone,
            terms=words,
        ),
        Ranker(
            name="bm25-long",
            description=gettext_noop(
                "The same BM25 over the words of title and text with b = 0.3: long documents are held back less."
            ),
            read=everything,
            terms=words,
            settings={"method": "lucene", "k1": 1.2, "b": 0.3},
        ),
        Ranker(
            name="tfidf-words",
            description=gettext_noop(
                "Nearly plain tf·idf over the words of title and text: BM25 as in ATIRE with k1 = 1000 and b = 0. "
                "Repeated words count in full, and long documents are not held back."
            ),
            read=everything,
            terms=words,
            settings={"method": "atire", "k1": 1000, "b": 0},
        ),
    )
}
USUAL = RANKERS["bm25-words"]
