"""The power of a side-by-side study: which preference between two systems it could detect, by the topics on which they are
compared."""

import math
from collections import Counter
from dataclasses import dataclass

from ireval.planning import detectable_preference, topics_for_preference
from ireval.planning.topics import DEFAULT_ALPHA, DEFAULT_POWER
from judging.studies.pair_plan import PairPlan

TIES = (0.0, 0.2, 0.4)  # shares of topics on which people see no difference; nobody knows before
TO_FIND = 0.65  # a share of decided topics worth finding, for which the topics are counted


@dataclass(frozen=True)
class DetectablePreference:
    """The smallest shares of the topics without a tie that these numbers of topics are likely to show, at one share of ties."""

    ties: float
    smallest: list[float | None]
    needed: int


@dataclass(frozen=True)
class PairDetection:
    """The exact sign test over topics, its α shared by all pairs of runs."""

    topics: list[int]
    rows: list[DetectablePreference]
    comparisons: int

    alpha = DEFAULT_ALPHA
    power = DEFAULT_POWER
    to_find = TO_FIND


def pair_detection(planned: PairPlan) -> PairDetection:
    """What can be detected with the topics of the pair of runs that has the fewest, with twice and with four times as many."""
    counts = Counter(frozenset((pair.first, pair.second)) for pair in planned.items)
    alpha = DEFAULT_ALPHA / len(counts)
    topics = [times * min(counts.values()) for times in (1, 2, 4)]
    rows = [
        DetectablePreference(
            ties=ties,
            smallest=[finite_or_none(detectable_preference(count, ties=ties, alpha=alpha)) for count in topics],
            needed=topics_for_preference(TO_FIND, ties=ties, alpha=alpha),
        )
        for ties in TIES
    ]
    return PairDetection(topics, rows, len(counts))


def finite_or_none(share: float) -> float | None:
    return None if math.isnan(share) else share
