"""Stopping: which orders of systems are settled while topics are still being judged, and how many topics the others need.

Topics come in random order, and those count that are judged without a gap: the first n of that order. Whoever looks after each of
them, and stops when an order is settled, finds a wrong one with a chance of at most alpha. Topics that were finished out of turn
have to wait: those with few documents are finished early, and in them systems differ little.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import polars as pl

from ireval.io.arguments import require_count, require_each, require_type
from ireval.io.files import BadInput
from ireval.significance.decision import Decision, Estimate, decide, ends_of
from ireval.verdict.evidence import Grades

# An estimate of how many topics are needed says nothing beyond so many times those that are planned.
FARTHEST = 100


class Order(NamedTuple):
    """Two systems, what the topics so far say of second − first, and with how many topics their order is expected to be settled.

    `needed` is None where that is beyond 100 times the planned topics, or where the error is not known.
    """

    first: str
    second: str
    decision: Decision
    needed: int | None

    @property
    def better(self) -> str | None:
        """The system that is better; None while that is not settled."""
        return {"first": self.second, "second": self.first}.get(self.decision.outcome)

    def rival(self, system: str) -> str:
        """The other one of the two."""
        return self.second if system == self.first else self.first

    def seen_from(self, system: str) -> Decision:
        """The decision on this system − the other one."""
        return self.decision if system == self.second else self.decision.turned


def orders_so_far(
    runs: Mapping[str, pl.DataFrame],
    qrels: pl.DataFrame,
    measure: str,
    *,
    planned: int,
    votes: pl.DataFrame | None = None,
    alpha: float = 0.05,
) -> list[Order]:
    """All pairs of runs by the topics that are judged so far: Holm's correction, and intervals that hold at every look.

    `qrels` and `votes` are those of `Grades`, of the first topics in random order and of no others; `planned` is how many there
    will be. With `votes` intervals are over other topics and other workers.

    >>> run = pl.DataFrame({"topic": ["1", "2"], "docno": ["a", "a"], "score": [1.0, 1.0]})
    >>> qrels = pl.DataFrame({"topic": ["1", "2"], "docno": ["a", "b"], "grade": [1, 1]})
    >>> (order,) = orders_so_far({"x": run, "y": run.with_columns(docno=pl.lit("b"))}, qrels, "P@1", planned=50)
    >>> order.decision.outcome, order.better
    ('none', None)
    """
    require_type("runs", runs, Mapping, "{system: run}")
    if len(runs) < 2:
        raise BadInput(f"there is only {', '.join(map(str, runs)) or 'nothing'}; expected at least two runs")
    pairs = list(combinations(runs, 2))
    lines = [Grades("grades", measure, 1.0, qrels, runs[a], runs[b], votes).line() for a, b in pairs]
    return orders_of(pairs, [line.difference for line in lines], planned=planned, alpha=alpha)


def orders_of(
    pairs: Sequence[tuple[str, str]], differences: Sequence[Estimate], *, planned: int, alpha: float = 0.05
) -> list[Order]:
    """The same from the differences, second − first, of each pair."""
    require_each("differences", differences, Estimate, "Estimates")
    require_count("planned", planned)
    if len(pairs) != len(differences):
        raise BadInput(f"there are {len(pairs)} pairs and {len(differences)} differences; expected one for each")
    decisions = decide(differences, alpha=alpha, planned=planned)
    return [
        Order(*pair, decision, topics_until_settled(estimate, decision, planned))
        for pair, estimate, decision in zip(pairs, differences, decisions, strict=True)
    ]


def topics_until_settled(estimate: Estimate, decision: Decision, planned: int) -> int | None:
    """With how many topics the interval leaves out 0 if the difference stays as it is, and its error falls as one over √n.

    Those that there are for an order that is settled; else the least such number, found by halving.
    """
    if decision.outcome in ("first", "second"):
        return estimate.n
    low, high = estimate.n, FARTHEST * planned
    if not estimate.error > 0 or not is_settled(estimate, decision, planned, high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_settled(estimate, decision, planned, middle) else (middle, high)
    return high


def is_settled(estimate: Estimate, decision: Decision, planned: int, topics: int) -> bool:
    later = estimate._replace(
        error=estimate.error * (estimate.n / topics) ** 0.5, freedom=estimate.freedom + topics - estimate.n, n=topics
    )
    low, high = ends_of(later, 1 - decision.level, decision.alpha, planned)
    return low > 0 or high < 0
