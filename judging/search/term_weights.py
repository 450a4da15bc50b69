"""An index: which terms give which documents what score, weighed by bm25s. Without Django, as `rankers`."""

import hashlib
import logging
from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from judging.search.rankers import Ranker

DECIMALS = 4

Source = tuple[int, str, str, str]  # key, docno, title, text


class Index(NamedTuple):
    """Which term gives which document what score, for D documents and T terms.

    - scores, rows (P,): of each term one after the other; starts (T + 1,): where each term's begin
    - names (T,): hashes of the terms, sorted; columns (T,): which term each is
    - keys (D,): of the documents; order (D,): their places by docno, from the last: ties go to the first of them
    """

    scores: np.ndarray
    rows: np.ndarray
    starts: np.ndarray
    names: np.ndarray
    columns: np.ndarray
    keys: np.ndarray
    order: np.ndarray

    def best(self, terms: Iterable[str], depth: int) -> list[tuple[int, float]]:
        """The best documents with a score above 0, ordered as evaluators do: by score, ties by docno, both descending.

        Scores are rounded first, so that a file of them orders the documents in the same way.
        """
        scores = np.round(self.scored(terms).astype(np.float64), DECIMALS)
        places = np.flatnonzero(scores > 0)
        if len(places) > depth:
            least = np.partition(scores[places], len(places) - depth)[len(places) - depth]
            places = places[scores[places] >= least]
        places = places[np.lexsort((self.order[places], -scores[places]))][:depth]
        return list(zip(self.keys[places].tolist(), scores[places].tolist(), strict=True))

    def scored(self, terms: Iterable[str]) -> np.ndarray:
        total = np.zeros(len(self.keys), np.float32)
        for column in self.columns_of(terms):
            stretch = slice(self.starts[column], self.starts[column + 1])
            total[self.rows[stretch]] += self.scores[stretch]  # a document is once in it
        return total

    def columns_of(self, terms: Iterable[str]) -> Iterator[int]:
        for name in map(hash_of, terms):
            place = int(np.searchsorted(self.names, np.uint64(name)))
            if place < len(self.names) and int(self.names[place]) == name:
                yield int(self.columns[place])


def hash_of(term: str) -> int:
    """Instead of the term: a dictionary of a million would be read by every process, and be larger than what it is needed for."""
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest())


def build_index(documents: Iterable[Source], ranker: Ranker) -> Index:
    keys, docnos, texts = array("q"), [], []
    vocabulary: dict[str, int] = {}
    for key, docno, title, text in documents:
        keys.append(key)
        docnos.append(docno)
        terms = ranker.terms(ranker.read(title, text))
        texts.append(array("i", [vocabulary.setdefault(term, len(vocabulary)) for term in terms]))
    scores, rows, starts = term_scores(texts, vocabulary, ranker)
    names = np.fromiter(map(hash_of, vocabulary), np.uint64, len(vocabulary))
    columns = np.argsort(names).astype(np.int32)
    order = np.empty(len(docnos), np.int32)
    order[sorted(range(len(docnos)), key=docnos.__getitem__, reverse=True)] = np.arange(len(docnos), dtype=np.int32)
    return Index(scores, rows, starts, names[columns], columns, np.array(keys, np.int64), order)


def term_scores(texts: list[array], vocabulary: dict[str, int], ranker: Ranker) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if not vocabulary:
        return np.zeros(0, np.float32), np.zeros(0, np.int32), np.zeros(1, np.int64)
    import bm25s  # noqa: PLC0415  half a second that only building should pay

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG and reports every index it builds
    bm25 = bm25s.BM25(**ranker.settings)
    bm25.index((texts, vocabulary), create_empty_token=False, show_progress=False)
    return bm25.scores["data"], bm25.scores["indices"], bm25.scores["indptr"]
