"""Groups of near-duplicates: documents that share nearly all of their shingles, found without comparing all pairs.

Two sets of which the smaller has n members share at least ⌈t · n⌉ if their Jaccard coefficient is t or more. So of each set the n
− ⌈t · n⌉ + 1 members that are rarest in the collection cannot all be missing from the other. Only documents that have one of
these in common are compared, and of these only pairs with enough members behind it. Both leave out nothing: every group is exact,
unlike those of sampled shingles. Sources: Chaudhuri, Ganti and Kaushik, A primitive operator for similarity joins in data
cleaning, ICDE 2006; Xiao et al., Efficient similarity joins for near duplicate detection, WWW 2008.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.arrays import Ints
from ireval.duplicates.document_files import Documents, as_documents
from ireval.duplicates.groups import GROUPS_SCHEMA
from ireval.duplicates.shingles import Shingles, ShingleSets, by_document
from ireval.io.arguments import require_count, require_numbers
from ireval.io.files import BadInput

WORDS = 5
THRESHOLD = 0.8
# Broder et al.'s threshold: below it documents are alike rather than the same, and most pairs would have to be compared.
LEAST_THRESHOLD = 0.5
# Shingles are counted in as many cells as this power of 2; that some share a cell makes no group wrong, only slower to find.
COUNTER_BITS = 24
LAST_BITS = np.uint64(2 ** (64 - COUNTER_BITS) - 1)
BLOCK = 2**20
# Products such as 0.7 · 10 are a little more than they should be.
ROUNDING = 1e-9


def near_duplicates(documents: Documents, *, threshold: float = THRESHOLD, words: int = WORDS) -> pl.DataFrame:
    """Groups of documents with nearly the same text, one row per document that is in a group.

    `documents` are a path, a frame of polars or pandas with docno and text, {docno: text}, or pairs of the two. Files and pairs
    are read once and never held together. Two are near-duplicates if the Jaccard coefficient of their shingles (all runs of
    `words` words) is at least `threshold`, from 0.5 to 1. A group is whatever such pairs connect, so two of its members may be
    less alike. Capitals and punctuation make no difference; a text shorter than a shingle is a duplicate of the same words; blank
    texts have none.

    Returns docno and group, which is the docno of the group's first document, in the order of the documents. Raises BadInput for
    a document that is there twice and for other thresholds. Sources: Broder et al., Syntactic clustering of the web, WWW 1997;
    Bernstein and Zobel 2005.

    >>> documents = [("a", "To be, or not to be."), ("b", "that is the question"), ("c", "to be or not to be"), ("d", "")]
    >>> near_duplicates(documents).rows()
    [('a', 'a'), ('c', 'a')]
    """
    require_numbers(threshold=threshold)
    require_count("words", words)
    if not LEAST_THRESHOLD <= threshold <= 1:
        raise BadInput(f"the threshold of near-duplicates is {threshold}; expected a share from {LEAST_THRESHOLD} to 1")
    sets = ShingleSets(as_documents(documents), words)
    groups = Groups(len(sets))
    distinct = join_equal_sets(sets, groups)
    join_similar_sets(sets, distinct, groups, threshold)
    return as_frame(sets, groups)


class Groups:
    """Documents that belong together: `first` (N,) leads from each to one further ahead in its group, or to itself."""

    def __init__(self, documents: int):
        self.first = np.arange(documents)

    def of(self, document: int) -> int:
        while self.first[document] != document:
            self.first[document] = self.first[self.first[document]]
            document = self.first[document]
        return document

    def join(self, document: int, duplicate: int) -> None:
        earlier, later = sorted((self.of(document), self.of(duplicate)))
        self.first[later] = earlier

    def settle(self) -> Ints:
        """The first document of everybody's group, (N,)."""
        while not np.array_equal(further := self.first[self.first], self.first):
            self.first = further
        return self.first


def join_equal_sets(sets: ShingleSets, groups: Groups) -> NDArray[np.bool_]:
    """Join documents that have the same shingles. Returns which documents have shingles that none before them has, (N,)."""
    sums = np.zeros(len(sets), np.uint64)
    for first, end in sets.blocks(BLOCK):
        filled = first + np.flatnonzero(sets.sizes[first:end])
        if len(filled):
            sums[filled] = np.add.reduceat(
                sets.all[sets.starts[first] : sets.starts[end]], sets.starts[filled] - sets.starts[first]
            )
    order = np.lexsort((sums, sets.sizes))
    leader = -1
    for document in order[sets.sizes[order] > 0].tolist():
        if leader >= 0 and sums[leader] == sums[document] and np.array_equal(sets[leader], sets[document]):
            groups.join(leader, document)
        else:
            leader = document
    return (sets.sizes > 0) & (groups.settle() == np.arange(len(sets)))


class Postings(NamedTuple):
    """Where rare shingles are, sorted by shingle and the size of the set.

    `rest` says how many shingles of the document are not rarer than this one, itself included.
    """

    shingle: Shingles
    document: Ints
    rest: Ints


NO_POSTINGS = Postings(np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.int64))


def join_similar_sets(sets: ShingleSets, chosen: NDArray[np.bool_], groups: Groups, threshold: float) -> None:
    for document, other in candidates(sets, rare_shingles(sets, chosen, threshold), groups, threshold):
        if groups.of(document) != groups.of(other) and jaccard(sets[document], sets[other]) >= threshold - ROUNDING:
            groups.join(document, other)


def jaccard(first: Shingles, second: Shingles) -> float:
    """The share of what either has that both have; neither is empty.

    >>> jaccard(np.array([1, 2, 3], np.uint64), np.array([2, 3, 4], np.uint64))
    0.5
    """
    both = len(np.intersect1d(first, second, assume_unique=True))
    return both / (len(first) + len(second) - both)


def rare_shingles(sets: ShingleSets, chosen: NDArray[np.bool_], threshold: float) -> Postings:
    """The rarest shingles of each chosen document, of which a near-duplicate must have one."""
    counts = count(sets, chosen)
    parts = (rare_in(sets, chosen, counts, block, threshold) for block in sets.blocks(BLOCK))
    shingle, document, rest = (np.concatenate(columns) for columns in zip(NO_POSTINGS, *parts, strict=True))
    order = np.lexsort((sets.sizes[document], shingle))
    return Postings(shingle[order], document[order], rest[order])


def count(sets: ShingleSets, chosen: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """How many chosen documents have a shingle of each cell."""
    counts = np.zeros(2**COUNTER_BITS, np.uint32)
    for first, end in sets.blocks(BLOCK):
        shingles = sets.all[sets.starts[first] : sets.starts[end]]
        np.add.at(counts, cell(shingles[np.repeat(chosen[first:end], sets.sizes[first:end])]), np.uint32(1))
    return counts


def cell(shingles: Shingles) -> NDArray[np.int64]:
    return (shingles >> np.uint64(64 - COUNTER_BITS)).view(np.int64)


def rare_in(
    sets: ShingleSets, chosen: NDArray[np.bool_], counts: NDArray[np.uint32], block: tuple[int, int], threshold: float
) -> Postings:
    """The rarest shingles of the chosen documents of a block, its first and last + 1; those that nobody else has are left out."""
    first, end = block
    shingles, sizes = sets.all[sets.starts[first] : sets.starts[end]], sets.sizes[first:end]
    document = np.repeat(np.arange(len(sizes)), sizes)
    rarity = np.minimum(counts[cell(shingles)], 2**COUNTER_BITS - 1).astype(np.uint64)
    # The shingle's last bits, after the rarity, and where these are the same the order in the set, which is that of all its bits.
    order = by_document(document, (rarity << np.uint64(64 - COUNTER_BITS)) | (shingles & LAST_BITS))
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rest = np.repeat(sizes, sizes) - place
    needed = np.ceil(threshold * np.repeat(sizes, sizes) - ROUNDING)
    kept = chosen[first + document] & (rest >= needed) & (rarity[order] > 1)
    return Postings(shingles[order][kept], first + document[kept], rest[kept])


def candidates(sets: ShingleSets, postings: Postings, groups: Groups, threshold: float) -> Iterator[tuple[int, int]]:
    """Yield pairs that may be near-duplicates and are not in one group yet; a pair may come more than once.

    First come neighbours in the list of a shingle's documents, then those that are 2 apart, and so on. The smaller set of a pair
    comes first. So the shingle must be among fewer of its rarest: those that two sets of its size would need.
    """
    shingle, document, rest = postings
    needed = threshold / (1 + threshold)
    is_first = np.append(True, shingle[1:] != shingle[:-1])[: len(shingle)]
    place, step = np.flatnonzero(rest >= 2 * needed * sets.sizes[document] - ROUNDING), 1
    while len(place := place[place + step < len(shingle)]):
        first = groups.settle()
        if step & (step - 1) == 0:  # a list whose documents all are in one group has no more to give: looked for ever less often
            place = place[in_several_groups(first[document], is_first)[place]]
        place = place[shingle[place] == shingle[place + step]]
        earlier, later = document[place], document[place + step]
        enough = np.minimum(rest[place], rest[place + step]) >= needed * (sets.sizes[earlier] + sets.sizes[later]) - ROUNDING
        wanted = enough & (first[earlier] != first[later])
        yield from zip(earlier[wanted].tolist(), later[wanted].tolist(), strict=True)
        step += 1


def in_several_groups(group: Ints, is_first: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the list that each entry is in has documents of several groups, (P,). `is_first` marks the first of each list.

    >>> in_several_groups(np.array([7, 7, 5, 7]), np.array([True, False, True, False])).tolist()
    [False, False, True, True]
    """
    starts = np.flatnonzero(is_first)
    mixed = np.minimum.reduceat(group, starts) < np.maximum.reduceat(group, starts)
    return mixed[np.cumsum(is_first) - 1]


def as_frame(sets: ShingleSets, groups: Groups) -> pl.DataFrame:
    first = groups.settle()
    members = np.flatnonzero(np.bincount(first, minlength=len(sets))[first] > 1)
    docnos = pl.Series(sets.docnos, dtype=pl.String)
    return pl.DataFrame({"docno": docnos[members], "group": docnos[first[members]]}, schema=GROUPS_SCHEMA)
