"""Shingles of documents: every run of some words that stand next to each other, as sets of 64-bit numbers.

Two shingles of different words have the same number in one of 2⁶⁴ cases, so sets of numbers are as alike as those of words.
"""

import tempfile
from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.arrays import Ints
from ireval.io.columns import HASH_FACTOR
from ireval.io.files import BadInput

Shingles = NDArray[np.uint64]
# Stands in the place of the words that a text shorter than a shingle lacks.
NO_WORD = np.uint64(0x5851F42D4C957F2D)
# Characters of text, and documents, that are looked at together: more would take memory, less time.
PORTION = 2**22
MOST_DOCUMENTS = 2**16


class ShingleSets:
    """The shingles of N documents, each document's sorted and each once, on disk: texts may be larger than the memory.

    `docnos` are the documents' ids in the order in which they came; `sizes` (N,) says how many shingles each has. `all` has the
    shingles of one document after the other, read from the disk as they are looked at.
    """

    def __init__(self, documents: Iterable[tuple[str, str]], words: int):
        self.docnos: list[str] = []
        sizes = [np.empty(0, np.int64)]
        with tempfile.TemporaryFile() as file:
            for docnos, texts in portions(documents):
                of_portion, shingles = shingle_sets(texts, words)
                shingles.tofile(file)
                self.docnos += docnos
                sizes.append(of_portion)
            file.flush()
            self.sizes: Ints = np.concatenate(sizes)
            self.starts = np.concatenate(([0], np.cumsum(self.sizes)))
            # The map outlives the closed file, and an empty file cannot be mapped.
            self.all: Shingles = np.memmap(file, np.uint64, mode="r") if self.starts[-1] else np.empty(0, np.uint64)
        if len(set(self.docnos)) < len(self.docnos):
            again = pl.Series(self.docnos).is_first_distinct().arg_min() or 0
            first = self.docnos.index(self.docnos[again]) + 1
            what = f"has the docno {self.docnos[again]} again; document {first:,} has it: keep one of them"
            raise BadInput(f"document {again + 1:,} {what}")

    def __len__(self) -> int:
        return len(self.docnos)

    def __getitem__(self, document: int) -> Shingles:
        return self.all[self.starts[document] : self.starts[document + 1]]

    def blocks(self, size: int) -> Iterator[tuple[int, int]]:
        """Yield stretches of documents, first and last + 1, that have about `size` shingles each; at most MOST_DOCUMENTS."""
        first = 0
        while first < len(self):
            end = int(np.searchsorted(self.starts, self.starts[first] + size, side="right")) - 1
            end = min(max(first + 1, end), first + MOST_DOCUMENTS)
            yield first, end
            first = end


def portions(documents: Iterable[tuple[str, str]]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield ids and texts of documents, about PORTION characters and at most MOST_DOCUMENTS at a time."""
    docnos: list[str] = []
    texts: list[str] = []
    characters = 0
    for docno, text in documents:
        docnos.append(docno)
        texts.append(text)
        characters += len(text)
        if characters >= PORTION or len(docnos) == MOST_DOCUMENTS:
            yield docnos, texts
            docnos, texts, characters = [], [], 0
    if docnos:
        yield docnos, texts


def shingle_sets(texts: list[str], words: int) -> tuple[Ints, Shingles]:
    """How many different shingles each text has, (N,), and all of them, sorted within each text.

    A text with fewer words than a shingle has a single one. Capitals and punctuation make no difference. Where a text has no
    word, its characters without the blanks around them count as one; a blank text has no shingle.

    >>> [shingle_sets(["To be, or not to be", "or not", "or not to", "!", " "], words)[0].tolist() for words in (2, 3)]
    [[4, 1, 2, 1, 0], [4, 1, 1, 1, 0]]
    """
    numbers, sizes = word_numbers(texts)
    starts = np.cumsum(sizes) - sizes
    counts = np.where(sizes > 0, np.maximum(1, sizes - words + 1), 0)
    document = np.repeat(np.arange(len(texts)), counts)
    at = np.arange(len(document)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(starts, counts)
    shingles = np.zeros(len(at), np.uint64)
    for word in range(words):
        inside = word < sizes[document]
        number = np.where(inside, numbers[np.minimum(at + word, len(numbers) - 1)], NO_WORD)
        shingles = (shingles + number) * HASH_FACTOR
        shingles ^= shingles >> np.uint64(29)
    return distinct(document, shingles, len(texts))


def word_numbers(texts: list[str]) -> tuple[Shingles, Ints]:
    """A number for each word of one text after the other, the same for the same word, and how many words each text has, (N,)."""
    text = pl.col("text")
    words = text.str.to_lowercase().str.extract_all(r"\w+")
    frame = pl.DataFrame({"text": texts}, schema={"text": pl.String}).select(
        words=pl.when(words.list.len() > 0).then(words).otherwise(pl.concat_list(text.str.strip_chars()))
    )
    frame = frame.with_columns(words=pl.col("words").list.eval(pl.element().filter(pl.element() != "")))
    sizes = frame["words"].list.len().to_numpy().astype(np.int64)
    return frame["words"].explode(empty_as_null=False).hash().to_numpy(), sizes


def distinct(document: Ints, shingles: Shingles, documents: int) -> tuple[Ints, Shingles]:
    order = by_document(document, shingles)
    shingles = shingles[order]
    is_new = np.append(True, (shingles[1:] != shingles[:-1]) | (document[1:] != document[:-1]))[: len(shingles)]
    return np.bincount(document[is_new], minlength=documents), shingles[is_new]


def by_document(document: Ints, key: Shingles) -> Ints:
    """The order of rows by document and key, where documents are numbered from 0 to MOST_DOCUMENTS - 1.

    As np.lexsort((key, document)) in a third of the time: numbers of 16 bits are sorted without comparing them.

    >>> by_document(np.array([1, 0, 0]), np.array([5, 9, 7], np.uint64)).tolist()
    [2, 1, 0]
    """
    order = np.argsort(key, kind="stable")
    return order[np.argsort(document[order].astype(np.uint16), kind="stable")]
