"""Votes: the commonest label, the mean and the median grade, with shares of votes as posterior; and votes weighted by gold."""

import numpy as np

from ireval.aggregation.aggregate_labels import DEFAULT_TIES, Aggregated, middles, one_hot, settle, vote_shares, with_gold
from ireval.aggregation.stopping_rule import softmax, weights_of
from ireval.arrays import Floats, Ints
from ireval.io.frames import Source
from ireval.labels import UNKNOWN, BadLabels, GoldSource, Labels, as_gold, as_labels


def majority(labels: Labels | Source, gold: GoldSource | None = None, *, ties: str = DEFAULT_TIES) -> Aggregated:
    """The commonest label of each item.

    >>> from ireval.agreement.coefficients import small
    >>> aggregated = majority(small())
    >>> aggregated.label.tolist(), aggregated.confidence.round(2).tolist()
    ([0, 1, 0], [0.67, 1.0, 1.0])
    """
    labels = as_labels(labels)
    gold = as_gold(gold, labels)
    posterior = with_gold(vote_shares(labels), gold)
    return Aggregated(labels, "majority", posterior, settle(labels, posterior, ties))


def mean(labels: Labels | Source, gold: GoldSource | None = None) -> Aggregated:
    """The mean grade of each item (`score`), and as label the value nearest to it; of two equally near, the lower.

    The confidence is the share of votes for that label; it may be 0. BadLabels where labels are no numbers.

    >>> from ireval.agreement.coefficients import small
    >>> mean(small()).score.round(2).tolist()
    [0.33, 1.0, 0.0]
    """
    labels = as_labels(labels)
    gold = as_gold(gold, labels)
    numbers, posterior = labels.numbers, with_gold(vote_shares(labels), gold)
    score = posterior @ numbers
    return Aggregated(labels, "mean", posterior, one_hot(nearest(posterior, numbers), len(numbers)), score)


def nearest(shares: Floats, numbers: Floats) -> Ints:
    """Codes of the values nearest to the means of the rows."""
    # Votes whose mean is the middle may miss it by a rounding error.
    return np.abs((shares @ numbers)[:, None] - numbers).round(9).argmin(axis=1)


def median(labels: Labels | Source, gold: GoldSource | None = None) -> Aggregated:
    """The median grade of each item; between two grades, the middle of them, rounded down on the scale.

    The confidence is the share of votes for that label. BadLabels for labels without order.

    >>> from ireval.agreement.coefficients import small
    >>> median(small()).label.tolist()
    [0, 1, 0]
    """
    labels = as_labels(labels)
    gold = as_gold(gold, labels)
    labels.require_order("the median")
    posterior = with_gold(vote_shares(labels), gold)
    return Aggregated(labels, "median", posterior, one_hot(middles(posterior), len(labels.values)))


def gold_weighted(
    labels: Labels | Source, gold: GoldSource | None = None, *, ties: str = DEFAULT_TIES, strength: float = 4
) -> Aggregated:
    """Votes weighted by each worker's accuracy a on gold: a vote counts log(a (K − 1) / (1 − a)), the log-odds.

    a = (right + s ā) / (n + s) draws a worker with n gold labels towards ā, the accuracy of all workers on gold. `strength` s is
    how many labels of that accuracy are added. ā itself counts one label more right and one more wrong. A vote of a worker worse
    than chance counts against its value. Where every wrong value is equally likely, these weights are optimal and the posterior
    is exact (Nitzan and Paroush, International Economic Review 23, 1982). Items with gold stay at it. BadLabels where no item
    has gold.

    >>> from ireval.agreement.coefficients import small
    >>> gold_weighted(small(), np.array([0, -1, -1])).accuracy.round(2).tolist()
    [0.68, 0.68, 0.48]
    """
    labels = as_labels(labels)
    gold = as_gold(gold, labels)
    if gold is None or (gold == UNKNOWN).all():
        raise BadLabels("no item has gold, which gold-weighted votes need")
    accuracy = accuracy_on_gold(labels, gold, strength)
    k = len(labels.values)
    weight = weights_of(accuracy, k)
    place = labels.item * k + labels.label
    scores = np.bincount(place, weight[labels.worker], len(labels.items) * k).reshape(-1, k)
    posterior = with_gold(softmax(scores.astype(np.float64, copy=False)), gold)
    chosen = settle(labels, posterior, ties)
    return Aggregated(labels, "gold-weighted", posterior, chosen, accuracy=accuracy, parameters={"weight": weight})


def accuracy_on_gold(labels: Labels, gold: Ints, strength: float) -> Floats:
    """Each worker's accuracy on gold, (W,), drawn towards that of all of them; between 0 and 1, neither included."""
    on_gold = gold[labels.item] != UNKNOWN
    worker = labels.worker[on_gold]
    right = np.bincount(worker, gold[labels.item[on_gold]] == labels.label[on_gold], len(labels.workers))
    n = np.bincount(worker, minlength=len(labels.workers))
    overall = (right.sum() + 1) / (n.sum() + 2)
    return (right + strength * overall) / (n + strength)
