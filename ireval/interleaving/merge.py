"""Interleaving methods: rankings merged into one at random."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.arrays import Floats
from ireval.io.arguments import is_name_in, require_count
from ireval.io.cells import complaint_about_id, complaint_about_score, shown
from ireval.io.files import BadInput

Lists = tuple[tuple[str, ...], ...]
# Documents, best first, or with their scores, the higher the better.
Ranking = Sequence[str] | pl.Series | NDArray[np.str_] | Mapping[str, float]
Rng = np.random.Generator
# How steeply the probabilistic method prefers high ranks: the chance of rank r is proportional to r^-3.
STEEPNESS = 3.0


class BadInterleaving(BadInput):
    """Rankings that cannot be merged, and why."""


@dataclass(frozen=True, eq=False)
class Interleaved:
    """A ranking of n documents merged from the rankings of L systems.

    - method: one of METHODS. lists: the L rankings that were merged, best document first.
    - ranking: the documents to show, each once.
    - shares (n, L): the credit of each system for a click on each document. Team draft: 1 for the system that chose it.
      Probabilistic: the chance that each system chose it. Balanced: ones, since its credit depends on all clicks together. Zeros
      for documents that belong to no system.
    """

    method: str
    lists: Lists
    ranking: tuple[str, ...]
    shares: Floats

    def __len__(self) -> int:
        return len(self.ranking)

    @property
    def teams(self) -> tuple[int | None, ...]:
        """The system that chose each document, as its number in `lists`; None if no system did or it is not known."""
        return tuple(int(row.argmax()) if row.max() == 1 == row.sum() else None for row in self.shares)

    @property
    def depths(self) -> tuple[tuple[int | None, ...], ...]:
        """The place, from 1, of each document in each of the L lists; None if a list does not have it."""
        places = [{document: place for place, document in enumerate(ranking, start=1)} for ranking in self.lists]
        return tuple(tuple(place_of.get(document) for place_of in places) for document in self.ranking)


def interleave(method: str, lists: Sequence[Ranking], depth: int, seed: int | Rng | None = None) -> Interleaved:
    """Merge rankings, best document first, into one of at most `depth` documents; the same seed gives the same ranking.

    A ranking is a list, or {document: score}; of equal scores the one that comes first there is first.

    - team_draft: in each round every system, in random order, adds its best document that is not shown yet. For two systems
      Radlinski, Kurup and Joachims 2008; for more, team draft multileaving (Schuth et al. 2014).
    - balanced: for two systems. A random one is first, and both take turns. Down to any rank, the documents shown are the tops of
      both rankings, of equal depth or one deeper (Joachims 2002; Radlinski et al. 2008).
    - probabilistic: at each rank a random system draws one of its documents that are not shown yet, with a chance proportional to
      rank^-3 (Hofmann, Whiteson and de Rijke 2011).

    Where one ranking ends, the other systems would gain. The rest therefore belongs to no system, and clicks there do not count.
    It begins when a system might not finish a round of team draft, or has no document left in the other methods. With rankings as
    long as the depth that never happens. `seed` is a number, a numpy generator, or None for a random seed. BadInterleaving for an
    unknown method, a depth below 1, fewer than two rankings, and more than two for balanced. Also for a ranking with a document
    twice, and what is no list of documents, such as a text or a frame. Empty rankings are allowed.

    >>> interleave("team_draft", [["a", "b", "c"], ["b", "d", "e"]], depth=4, seed=1).ranking
    ('a', 'b', 'c', 'd')
    """
    if not is_name_in(method, METHODS):
        raise BadInterleaving(f"there is no method {method}; expected one of {', '.join(METHODS)}")
    require_count("the depth", depth, BadInterleaving)
    if isinstance(lists, str) or not isinstance(lists, Sequence):
        raise BadInterleaving(f"rankings are {shown(lists)}; expected a list of two or more rankings")
    if len(lists) < 2:
        raise BadInterleaving(f"expected two or more rankings, found {len(lists)}")
    rankings = tuple(ranking_in(ranking, number) for number, ranking in enumerate(lists, start=1))
    if twice := next((number for number, ranking in enumerate(rankings, start=1) if len(set(ranking)) < len(ranking)), None):
        raise BadInterleaving(f"ranking {twice} has a document twice")
    return METHODS[method](rankings, depth, np.random.default_rng(seed))


def ranking_in(ranking: Ranking, number: int) -> tuple[str, ...]:
    """A ranking's documents, best first. BadInterleaving, with its number, for what is no ranking, or holds no document."""
    if isinstance(ranking, Mapping):
        for document, score in ranking.items():
            if complaint := complaint_about_score(score):
                raise BadInterleaving(f"ranking {number}: the score of {document} {complaint}")
        documents = sorted(ranking, key=lambda document: -ranking[document])
    elif isinstance(ranking, Sequence | pl.Series | np.ndarray) and not isinstance(ranking, str | bytes):
        documents = list(ranking)
    else:
        raise BadInterleaving(f"ranking {number} is {shown(ranking)}; expected a list of documents, best first")
    for place, document in enumerate(documents, start=1):
        if complaint := complaint_about_id(document):
            raise BadInterleaving(f"ranking {number}, place {place:,}: the document {complaint}")
    return tuple(documents)


class Merger:
    """A merged ranking that grows: its documents and shares, and how far down each list all documents are in it."""

    def __init__(self, lists: Lists, depth: int):
        self.lists, self.depth = lists, depth
        self.ranking: list[str] = []
        self.documents: set[str] = set()
        self.shares: list[Sequence[float]] = []
        self.places = [0] * len(lists)

    @property
    def full(self) -> bool:
        return len(self.ranking) >= self.depth

    def next_of(self, system: int) -> str | None:
        """The system's best document that is not in the ranking yet."""
        ranking, place = self.lists[system], self.places[system]
        while place < len(ranking) and ranking[place] in self.documents:
            place += 1
        self.places[system] = place
        return ranking[place] if place < len(ranking) else None

    def all_have(self, wanted: int) -> bool:
        """Whether every list has `wanted` documents that are not in the ranking yet."""
        return all(self.has(system, wanted) for system in range(len(self.lists)))

    def has(self, system: int, wanted: int) -> bool:
        left = (document for document in self.lists[system][self.places[system] :] if document not in self.documents)
        return sum(1 for _ in islice(left, wanted)) == wanted

    def add(self, document: str, shares: Sequence[float]) -> None:
        self.ranking.append(document)
        self.documents.add(document)
        self.shares.append(shares)

    def fill_up(self, rng: Rng) -> None:
        """Add the rest of the lists in turn; these documents belong to no system."""
        nobody = [0.0] * len(self.lists)
        while not self.full and any(self.has(system, 1) for system in range(len(self.lists))):
            for system in rng.permutation(len(self.lists)).tolist():
                document = self.next_of(system)
                if document is not None and not self.full:
                    self.add(document, nobody)

    def result(self, method: str) -> Interleaved:
        shares = np.array(self.shares, np.float64).reshape(len(self.ranking), len(self.lists))
        return Interleaved(method, self.lists, tuple(self.ranking), shares)


def team_draft(lists: Lists, depth: int, rng: Rng) -> Interleaved:
    merger = Merger(lists, depth)
    teams = np.eye(len(lists)).tolist()
    # Whether a round counts must not depend on who is first in it: each system needs enough documents to be last.
    while not merger.full and merger.all_have(round_of := min(len(lists), depth - len(merger.ranking))):
        for system in rng.permutation(len(lists)).tolist()[:round_of]:
            document = merger.next_of(system)
            assert document is not None
            merger.add(document, teams[system])
    merger.fill_up(rng)
    return merger.result("team_draft")


def balanced(lists: Lists, depth: int, rng: Rng) -> Interleaved:
    if len(lists) > 2:
        raise BadInterleaving(f"balanced interleaving is of two rankings, found {len(lists)}; team_draft takes more")
    merger = Merger(lists, depth)
    first = int(rng.integers(2))
    reached = [0, 0]
    while not merger.full and all(reached[system] < len(lists[system]) for system in (0, 1)):
        system = first if reached[first] <= reached[1 - first] else 1 - first
        document = lists[system][reached[system]]
        reached[system] += 1
        if document not in merger.documents:
            merger.add(document, [1.0, 1.0])
    merger.fill_up(rng)
    return merger.result("balanced")


def probabilistic(lists: Lists, depth: int, rng: Rng) -> Interleaved:
    merger = Merger(lists, depth)
    documents = {document: place for place, document in enumerate(dict.fromkeys(name for ranking in lists for name in ranking))}
    names = list(documents)
    weights = np.zeros((len(lists), len(names)))
    for system, ranking in enumerate(lists):
        weights[system, [documents[name] for name in ranking]] = np.arange(1, len(ranking) + 1) ** -STEEPNESS
    while not merger.full and merger.all_have(1):
        chances = weights / weights.sum(axis=1, keepdims=True)
        cumulated = np.cumsum(chances[rng.integers(len(lists))])
        chosen = int(np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right"))
        merger.add(names[chosen], chances[:, chosen] / chances[:, chosen].sum())
        weights[:, chosen] = 0
    merger.fill_up(rng)
    return merger.result("probabilistic")


METHODS: dict[str, Callable[[Lists, int, Rng], Interleaved]] = {
    "team_draft": team_draft,
    "balanced": balanced,
    "probabilistic": probabilistic,
}
