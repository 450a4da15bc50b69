"""Rankings merged into one, by lot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ireval.arrays import Floats
from ireval.io.files import BadInput

Lists = tuple[tuple[str, ...], ...]
Rng = np.random.Generator
# How steeply the probabilistic method prefers high ranks: the chance of rank r is proportional to r^-3.
STEEPNESS = 3.0


class BadInterleaving(BadInput):
    """Rankings that cannot be merged, and why."""


@dataclass(frozen=True, eq=False)
class Interleaved:
    """A ranking of n documents merged from the rankings of L systems.

    - method: of METHODS; lists: the L rankings it was made from, best first
    - ranking: what to show, no document twice
    - shares (n, L): what a click on each document is worth to each system. Team draft: 1 for the system that chose it;
      probabilistic: the chance that it was chosen by each; balanced: ones, since its credit looks at all clicks together; zeros
      for what belongs to nobody
    """

    method: str
    lists: Lists
    ranking: tuple[str, ...]
    shares: Floats

    def __len__(self) -> int:
        return len(self.ranking)

    @property
    def teams(self) -> tuple[int | None, ...]:
        """The system that chose each document, as its number in `lists`; None where nobody did or nobody knows."""
        return tuple(int(row.argmax()) if row.max() == 1 == row.sum() else None for row in self.shares)

    @property
    def depths(self) -> tuple[tuple[int | None, ...], ...]:
        """The place, from 1, of each document in each of the L lists; None where a list does not have it."""
        places = [{document: place for place, document in enumerate(one, start=1)} for one in self.lists]
        return tuple(tuple(one.get(document) for one in places) for document in self.ranking)


def interleave(method: str, lists: Sequence[Sequence[str]], depth: int, seed: int | Rng | None = None) -> Interleaved:
    """Merge rankings, best document first, into one of at most `depth` documents; the same seed gives the same ranking.

    - team_draft: in each round every system, in an order drawn by lot, adds its best document that is not there yet. Of two
      systems Radlinski, Kurup and Joachims 2008; of more, team draft multileaving (Schuth et al. 2014)
    - balanced: of two systems; one drawn by lot is first, and both are followed in turn, so that what is shown down to any rank
      is the top of both rankings, equally deep or one deeper on one side (Joachims 2002; Radlinski et al. 2008)
    - probabilistic: at each rank a system drawn by lot draws a document with a chance proportional to rank^-3 among those of its
      documents that are not there yet (Hofmann, Whiteson and de Rijke 2011)

    Where a ranking ends, who is left would gain. So once some system might not finish a team draft round, or has nothing left in
    the other methods, the rest is filled up in turn and belongs to nobody: clicks there count for none. With rankings as long as
    the depth that never happens. `seed` is a number, a numpy generator, or None for one that nobody knows.
    BadInterleaving (a ValueError) for an unknown method, a depth below 1, fewer than two rankings or, balanced, more, and a
    ranking that has a document twice. Empty rankings are allowed.

    >>> interleave("team_draft", [["a", "b", "c"], ["b", "d", "e"]], depth=4, seed=1).ranking
    ('a', 'b', 'c', 'd')
    """
    if method not in METHODS:
        raise BadInterleaving(f"there is no method {method}; expected one of {', '.join(METHODS)}")
    if depth < 1:
        raise BadInterleaving(f"the depth is {depth}; expected a number from 1")
    given = tuple(tuple(one) for one in lists)
    if len(given) < 2:
        raise BadInterleaving(f"expected two or more rankings, found {len(given)}")
    if twice := next((number for number, one in enumerate(given, start=1) if len(set(one)) < len(one)), None):
        raise BadInterleaving(f"ranking {twice} has a document twice")
    return METHODS[method](given, depth, np.random.default_rng(seed))


class Merging:
    """A ranking that grows: what is there, how far down each list everything is, and what each document is worth to whom."""

    def __init__(self, lists: Lists, depth: int):
        self.lists, self.depth = lists, depth
        self.ranking: list[str] = []
        self.there: set[str] = set()
        self.shares: list[Sequence[float]] = []
        self.seen = [0] * len(lists)

    @property
    def full(self) -> bool:
        return len(self.ranking) >= self.depth

    def next_of(self, system: int) -> str | None:
        """The system's best document that is not there yet."""
        one, place = self.lists[system], self.seen[system]
        while place < len(one) and one[place] in self.there:
            place += 1
        self.seen[system] = place
        return one[place] if place < len(one) else None

    def all_have(self, wanted: int) -> bool:
        """Whether every list has so many documents that are not there yet."""
        return all(self.has(system, wanted) for system in range(len(self.lists)))

    def has(self, system: int, wanted: int) -> bool:
        left = (document for document in self.lists[system][self.seen[system] :] if document not in self.there)
        return sum(1 for _ in islice(left, wanted)) == wanted

    def add(self, document: str, shares: Sequence[float]) -> None:
        self.ranking.append(document)
        self.there.add(document)
        self.shares.append(shares)

    def fill_up(self, rng: Rng) -> None:
        """The rest of the lists that have more, in turn; it is nobody's."""
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
    merging = Merging(lists, depth)
    teams = np.eye(len(lists)).tolist()
    # Whether a round counts must not depend on who is first in it: each needs enough documents to be the last.
    while not merging.full and merging.all_have(round_of := min(len(lists), depth - len(merging.ranking))):
        for system in rng.permutation(len(lists)).tolist()[:round_of]:
            document = merging.next_of(system)
            assert document is not None
            merging.add(document, teams[system])
    merging.fill_up(rng)
    return merging.result("team_draft")


def balanced(lists: Lists, depth: int, rng: Rng) -> Interleaved:
    if len(lists) > 2:
        raise BadInterleaving(f"balanced interleaving is of two rankings, found {len(lists)}; team_draft takes more")
    merging = Merging(lists, depth)
    first = int(rng.integers(2))
    reached = [0, 0]
    while not merging.full and all(reached[system] < len(lists[system]) for system in (0, 1)):
        system = first if reached[first] <= reached[1 - first] else 1 - first
        document = lists[system][reached[system]]
        reached[system] += 1
        if document not in merging.there:
            merging.add(document, [1.0, 1.0])
    merging.fill_up(rng)
    return merging.result("balanced")


def probabilistic(lists: Lists, depth: int, rng: Rng) -> Interleaved:
    merging = Merging(lists, depth)
    documents = {document: place for place, document in enumerate(dict.fromkeys(name for one in lists for name in one))}
    names = list(documents)
    weights = np.zeros((len(lists), len(names)))
    for system, one in enumerate(lists):
        weights[system, [documents[name] for name in one]] = np.arange(1, len(one) + 1) ** -STEEPNESS
    while not merging.full and merging.all_have(1):
        chances = weights / weights.sum(axis=1, keepdims=True)
        cumulated = np.cumsum(chances[rng.integers(len(lists))])
        chosen = int(np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right"))
        merging.add(names[chosen], chances[:, chosen] / chances[:, chosen].sum())
        weights[:, chosen] = 0
    merging.fill_up(rng)
    return merging.result("probabilistic")


METHODS: dict[str, Callable[[Lists, int, Rng], Interleaved]] = {
    "team_draft": team_draft,
    "balanced": balanced,
    "probabilistic": probabilistic,
}
