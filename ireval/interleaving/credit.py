"""Credit: what clicks on a merged ranking say about the systems that it was merged from."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ireval.arrays import Floats, Ints
from ireval.interleaving.merge import BadInterleaving, Interleaved
from ireval.io.arguments import require_type
from ireval.io.cells import shown
from ireval.io.frames import names_in

# Shares of the probabilistic method are sums of fractions; differences below this are rounding error.
ROUNDING = 1e-9


class Outcome(NamedTuple):
    """The outcome of an impression.

    - credit (L,): the credit of each system.
    - clicks: how many documents of the ranking were clicked.
    - winner: the system with most credit, as its number in `lists`; None if several have as much, also without clicks.
    - sign (L, L): 1 if the row's system has more credit than the column's, −1 if it has less, 0 if equal.
    """

    credit: Floats
    clicks: int
    winner: int | None
    sign: Ints


def credit(interleaved: Interleaved, clicks: Iterable[str]) -> Floats:
    """The credit of each system for the clicks, (L,); zeros without clicks.

    - team_draft: the clicked documents that the system chose (Radlinski, Kurup and Joachims 2008; Schuth et al. 2014).
    - balanced: the clicked documents among the system's top k. k is the smallest depth at which either ranking has the lowest
      clicked document (Radlinski, Kurup and Joachims 2008).
    - probabilistic: the sum of the chances that the clicked documents came from the system, over all ways to draw the ranking
      (Hofmann, Whiteson and de Rijke 2011).

    `clicks` are documents in any order. Repeated clicks, and clicks on other documents, do not count.

    >>> from ireval.interleaving.merge import interleave
    >>> credit(interleave("balanced", [["a", "b", "c"], ["b", "d", "a"]], 3, seed=0), ["b"]).tolist()
    [0.0, 1.0]
    """
    require_type("interleaved", interleaved, Interleaved, "an Interleaved, which interleave returns")
    require_clicks(clicks)
    rows = clicked_rows(interleaved, clicks)
    if interleaved.method == "balanced":
        return balanced_credit(interleaved, [row for row in rows if interleaved.shares[row].any()])
    return interleaved.shares[rows].sum(axis=0)


def require_clicks(clicks: object) -> None:
    if isinstance(clicks, str | bytes | Mapping) or not isinstance(clicks, Iterable) or names_in(clicks) is not None:
        raise BadInterleaving(f"clicks are {shown(clicks)}; expected a list of documents")


def clicked_rows(interleaved: Interleaved, clicks: Iterable[str]) -> list[int]:
    clicked = set(clicks)
    return [row for row, document in enumerate(interleaved.ranking) if document in clicked]


def balanced_credit(interleaved: Interleaved, rows: list[int]) -> Floats:
    if not rows:
        return np.zeros(len(interleaved.lists))
    lowest = interleaved.ranking[rows[-1]]
    k = min(ranking.index(lowest) + 1 for ranking in interleaved.lists if lowest in ranking)
    clicked = {interleaved.ranking[row] for row in rows}
    return np.array([len(clicked.intersection(ranking[:k])) for ranking in interleaved.lists], np.float64)


def outcome(interleaved: Interleaved, clicks: Iterable[str]) -> Outcome:
    """Which system an impression's clicks prefer.

    For team draft and balanced, a test of wins against losses over many impressions says how sure that is. For the probabilistic
    method, compare mean credit instead. There random clicks give equal credit, but not equal wins: a small advantage in many
    impressions balances a large one in few.

    Sources: as `credit`; Chapelle, Joachims, Radlinski and Yue, Large-scale validation and analysis of interleaved search
    evaluation, ACM TOIS 30(1), 2012 (the outcome of an impression, ties included).

    >>> from ireval.interleaving.merge import interleave
    >>> merged = interleave("team_draft", [["a", "b"], ["c", "d"]], 2, seed=1)
    >>> outcome(merged, ["a"]).winner, outcome(merged, ["a", "c"]).winner
    (0, None)
    """
    require_clicks(clicks)
    clicked = list(clicks)
    credits = credit(interleaved, clicked)
    apart = credits[:, None] - credits[None, :]
    sign = np.where(np.abs(apart) > ROUNDING, np.sign(apart), 0).astype(np.int64)
    ahead = np.flatnonzero((sign > 0).sum(axis=1) == len(credits) - 1)
    return Outcome(credits, len(clicked_rows(interleaved, clicked)), int(ahead[0]) if len(ahead) else None, sign)
