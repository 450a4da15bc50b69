"""Agreement of people's preferences with a measure, over topics."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ireval.agreement import wilson_interval
from ireval.arrays import Floats
from ireval.correlation.rank_correlation import COEFFICIENTS, Paired
from ireval.io.arguments import as_numbers, require_type
from ireval.significance.intervals import Interval
from ireval.significance.pairs import in_steps

# For each coefficient v and k: the variance of Fisher's transformation is v / (n − k).
VARIANCES = {
    "pearson": (lambda r: 1.0, 3),
    "spearman": (lambda r: 1 + r**2 / 2, 3),
    "kendall_b": (lambda r: 0.437, 4),
}
# Beyond it a coefficient is 1 but for rounding. Fisher's transformation is then infinite, and no interval has its width.
PERFECT = 1 - 1e-9


class MetricAgreement(NamedTuple):
    """Three coefficients with intervals over the `topics` that both have.

    On the `decided` topics neither side is a draw; `agreeing` is how many of them have the same sign. `share` is that as a share,
    with Wilson's interval.
    """

    topics: int
    pearson: Interval
    spearman: Interval
    kendall: Interval
    decided: int
    agreeing: int
    share: Interval


def agreement_with_metric(
    score_by_topic: Mapping[str, float], difference_by_topic: Mapping[str, float], *, confidence: float = 0.95
) -> MetricAgreement:
    """How far preferences for a system agree with its difference by a measure, over the topics in both.

    `score_by_topic` is the preference score of the first system (a half is a draw), `difference_by_topic` its value by the
    measure minus the second's. Intervals are tanh(artanh r ± z · √(v / (n − k))): v = 1, k = 3 for Pearson, v = 1 + ρ²/2, k = 3
    for Spearman, and v = .437, k = 4 for Kendall's τ_b. A coefficient is NaN with fewer than two topics, or where one side is the
    same on all topics. Its ends are NaN also with at most k topics, and where the relation is perfect: nothing says how far from
    perfect it is elsewhere. The share is NaN where no topic is decided.
    Sources: Fisher, Biometrika 10, 1915. Bonett and Wright, Sample size requirements for estimating Pearson, Kendall and Spearman
    correlations, Psychometrika 65, 2000; Wilson 1927.

    >>> agreement = agreement_with_metric({"1": 1.0, "2": 0.5, "3": 0.25}, {"1": 0.2, "2": 0.1, "3": 0.1, "4": 0})
    >>> agreement.topics, round(agreement.kendall.mean, 4), agreement.decided, agreement.agreeing
    (3, 0.8165, 2, 1)
    """
    for name, values in (("score_by_topic", score_by_topic), ("difference_by_topic", difference_by_topic)):
        require_type(name, values, Mapping, "{topic: number}")
        as_numbers(name, list(values.values()))
    topics = sorted(score_by_topic.keys() & difference_by_topic.keys())
    table = np.array([(score_by_topic[topic], difference_by_topic[topic]) for topic in topics], np.float64).reshape(-1, 2)
    table = table[~np.isnan(table).any(axis=1)]
    preferred, better = np.sign(table[:, 0] - 0.5), np.sign(in_steps(table[:, 1:])[:, 0])
    decided = (preferred != 0) & (better != 0)
    agreeing, n = int((preferred == better)[decided].sum()), int(decided.sum())
    low, high = wilson_interval(agreeing, n, confidence)
    return MetricAgreement(
        topics=len(table),
        pearson=correlated(table, "pearson", confidence),
        spearman=correlated(table, "spearman", confidence),
        kendall=correlated(table, "kendall_b", confidence),
        decided=n,
        agreeing=agreeing,
        share=Interval(agreeing / n if n else math.nan, float(low), float(high)),
    )


def correlated(table: Floats, name: str, confidence: float) -> Interval:
    from scipy.special import ndtri  # noqa: PLC0415 - slow to import

    value = float(COEFFICIENTS[name](Paired(table[:, 0], table[:, 1]))[0]) if len(table) > 1 else math.nan
    factor, less = VARIANCES[name]
    if math.isnan(value) or len(table) <= less or abs(value) > PERFECT:
        return Interval(value, math.nan, math.nan)
    half = float(ndtri((1 + confidence) / 2)) * math.sqrt(factor(value) / (len(table) - less))
    return Interval(value, math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half))
