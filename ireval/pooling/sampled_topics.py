"""Stopping by whole topics: which orders the first topics of a random order have settled, valid whenever one looks.

Values of a topic count once it is judged to the end, so that every measure will do whose values have a range. The topics are
given: what is estimated are the mean differences that all of them will have.

Why an interval covers at any look: the next topic is any of those left with the same chance, whatever came before. What is known,
plus its difference times how many are left, is therefore expected to be the sum over all topics. Bets on that against the truth
are fair, and win 1 / alpha at any look with a chance of at most alpha (`ireval.pooling.bets`).
"""

from collections.abc import Sequence
from itertools import takewhile

import numpy as np
import polars as pl

from ireval.arrays import Floats
from ireval.io.arguments import require_confidence, require_type
from ireval.io.files import BadInput
from ireval.io.frames import Source
from ireval.pooling.bets import UnbiasedDraws, always_valid_ends
from ireval.pooling.sampled_differences import SampledDifferences
from ireval.significance.pairs import Pairs, all_pairs
from ireval.significance.scores import BadComparison, Scores, as_scores

# Of the square of the largest difference: the variance of a topic's difference to begin with, which counts as one topic.
FIRST_VARIANCE = 0.05


def sampled_topics(
    scores: Scores | Source,
    order: Sequence[str],
    *,
    confidence: float = 0.95,
    together: bool = False,
    pairs: Pairs | None = None,
) -> SampledDifferences:
    """Estimate the pairs' mean differences over all topics from those judged so far, with intervals that hold at all looks.

    `order` are all topics, in a random order that was drawn before any was judged; `scores` are of topics judged to the end.
    Those count that come first in the order, without a gap. The chance that any look ever finds a wrong order is at most
    1 − confidence for each pair, or with `together` for all of them. n is how many topics count; without any the estimates are 0.
    Raises BadInput for an order that names a topic twice or lacks one of the scores, BadComparison for a measure without range.

    Source: Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS B 86(1), 2024.

    >>> scores = Scores(tuple("abcdefghi"), ("x", "y"), np.array([[0.9, 0.1]] * 9), largest_difference=1.0)
    >>> result = sampled_topics(scores, "abcdefghijkl")
    >>> result.n, result.estimate.round(2).tolist(), result.low.round(2).tolist(), result.high.round(2).tolist()
    (9, [0.8], [0.39], [0.85])
    """
    require_confidence(confidence)
    scores = as_scores(scores)
    check(scores, order)
    pairs = pairs or all_pairs(len(scores.systems))
    differences = pairs.differences(scores.values[judged_rows(scores, order)])
    judged, total, reach = len(differences), len(order), scores.largest_difference
    middle, half = differences.sum(axis=0) / total, reach * (total - judged) / total
    estimate, low, high = differences.mean(axis=0) if judged else middle, middle - half, middle + half
    if judged:
        alpha = (1 - confidence) / (len(pairs) if together else 1)
        values, widest = topics_as_draws(differences, total, reach), np.full(len(pairs), reach)
        ends = always_valid_ends(values, values, -widest, widest, alpha / 2)
        low, high = (np.clip(each, low, high) for each in ends)
        estimate = np.clip(estimate, low, high)
    return SampledDifferences(scores.systems, pairs, estimate, low, high, judged)


def check(scores: Scores, order: Sequence[str]) -> None:
    require_type("order", order, (Sequence, np.ndarray, pl.Series), "a list of all topics")
    if len(set(order)) < len(order):
        raise BadInput("the order of the topics names one twice; expected each topic once")
    if strangers := sorted(set(scores.topics) - set(order)):
        raise BadInput(f"topic {strangers[0]} has values and is not in the order; expected an order of all topics")
    if not np.isfinite(scores.largest_difference):
        raise BadComparison("the measure has no largest value; expected one with a range, such as nDCG, AP or P")


def judged_rows(scores: Scores, order: Sequence[str]) -> list[int]:
    """The rows of the topics that come first in the order, up to the first without values."""
    rows = {topic: row for row, topic in enumerate(scores.topics)}
    return [rows[topic] for topic in takewhile(rows.__contains__, order)]


def topics_as_draws(differences: Floats, total: int, reach: float) -> UnbiasedDraws:
    """What each topic's differences, (n, pairs), say of the means over all `total` topics: as if all that are left were alike.

    A topic is expected to vary as those before it did.
    """
    number = np.arange(len(differences))[:, None]
    before, squares = (np.cumsum(table, axis=0) - table for table in (differences, differences**2))
    variance = (FIRST_VARIANCE * reach**2 + squares - before**2 / np.maximum(number, 1)) / (number + 1)
    left = total - number
    return UnbiasedDraws(
        value=(before + left * differences) / total,
        least=(before - left * reach) / total,
        most=(before + left * reach) / total,
        variance=variance * (left / total) ** 2,
        left=left[:, 0],
    )
