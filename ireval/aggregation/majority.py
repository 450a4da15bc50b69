"""Votes: the commonest label, the mean grade, the middle one, all with the share of votes as posterior; and weighted by gold."""

import numpy as np

from ireval.aggregation.aggregated import DEFAULT_TIES, Aggregated, held, middles, one_hot, settle, vote_shares
from ireval.aggregation.stopping_rule import softmax, weights_of
from ireval.arrays import Floats, Ints
from ireval.labels import UNKNOWN, BadLabels, Labels


def majority(labels: Labels, gold: Ints | None = None, *, ties: str = DEFAULT_TIES) -> Aggregated:
    """The commonest label of each item.

    >>> from ireval.agreement.coefficients import small
    >>> found = majority(small())
    >>> found.label.tolist(), found.confidence.round(2).tolist()
    ([0, 1, 0], [0.67, 1.0, 1.0])
    """
    posterior = held(vote_shares(labels), gold)
    return Aggregated(labels, "majority", posterior, settle(labels, posterior, ties))


def mean(labels: Labels, gold: Ints | None = None) -> Aggregated:
    """The mean grade of each item (`score`), and as label the value nearest to it; from the middle between two, the lower.

    The confidence is the share of votes for that label, 0 where the grades lie around it. BadLabels where labels are no numbers.

    >>> from ireval.agreement.coefficients import small
    >>> mean(small()).score.round(2).tolist()
    [0.33, 1.0, 0.0]
    """
    numbers, posterior = labels.numbers, held(vote_shares(labels), gold)
    score = posterior @ numbers
    return Aggregated(labels, "mean", posterior, one_hot(nearest(posterior, numbers), len(numbers)), score)


def nearest(shares: Floats, numbers: Floats) -> Ints:
    """Codes of the values nearest to the means of the rows."""
    # Votes whose mean is the middle may miss it by a rounding error.
    return np.abs((shares @ numbers)[:, None] - numbers).round(9).argmin(axis=1)


def median(labels: Labels, gold: Ints | None = None) -> Aggregated:
    """The middle grade of each item; between two, the middle of them, rounded down on the scale.

    The confidence is the share of votes for that label. BadLabels for labels without order.

    >>> from ireval.agreement.coefficients import small
    >>> median(small()).label.tolist()
    [0, 1, 0]
    """
    labels.require_order("the median")
    posterior = held(vote_shares(labels), gold)
    return Aggregated(labels, "median", posterior, one_hot(middles(posterior), len(labels.values)))


def gold_weighted(labels: Labels, gold: Ints | None = None, *, ties: str = DEFAULT_TIES, strength: float = 4) -> Aggregated:
    """Votes weighted by what each worker's accuracy on gold is worth: the log-odds log(a (K − 1) / (1 − a)).

    a = (right + s ā) / (n + s) draws a worker with n gold labels towards the accuracy ā of all workers on gold, as if they had
    `strength` s more labels of it; ā itself counts one label more right and one more wrong. Who is worse than chance counts
    against. With equal errors for every wrong value this is the best there is (Nitzan and Paroush, International Economic Review
    23, 1982), and the posterior is exact. Items with gold are held at it. BadLabels where no item has gold.

    >>> from ireval.agreement.coefficients import small
    >>> gold_weighted(small(), np.array([0, -1, -1])).accuracy.round(2).tolist()
    [0.68, 0.68, 0.48]
    """
    if gold is None or (gold == UNKNOWN).all():
        raise BadLabels("no item has gold, which gold-weighted votes need")
    accuracy = accuracy_on_gold(labels, gold, strength)
    k = len(labels.values)
    weight = weights_of(accuracy, k)
    place = labels.item * k + labels.label
    scores = np.bincount(place, weight[labels.worker], len(labels.items) * k).reshape(-1, k)
    posterior = held(softmax(scores.astype(np.float64, copy=False)), gold)
    chosen = settle(labels, posterior, ties)
    return Aggregated(labels, "gold-weighted", posterior, chosen, accuracy=accuracy, parameters={"weight": weight})


def accuracy_on_gold(labels: Labels, gold: Ints, strength: float) -> Floats:
    """Each worker's accuracy on gold, (W,), drawn towards that of all of them; between 0 and 1, neither included."""
    known = gold[labels.item] != UNKNOWN
    worker = labels.worker[known]
    right = np.bincount(worker, gold[labels.item[known]] == labels.label[known], len(labels.workers))
    n = np.bincount(worker, minlength=len(labels.workers))
    overall = (right.sum() + 1) / (n.sum() + 2)
    return (right + strength * overall) / (n + strength)
