"""Labels as another draw of the workers would have given them: a worker who is drawn twice counts twice, one who is not never."""

from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise

import numpy as np

from ireval.aggregation import METHODS, Aggregated
from ireval.aggregation.aggregated import leaders, middles
from ireval.aggregation.majority import nearest
from ireval.arrays import Floats, Ints
from ireval.labels import UNKNOWN, BadLabels, Labels
from ireval.significance.weights import portions

# Numbers in a block of resamples: 16 MB.
BLOCK = 2**21
TIES = "median"

# From shares of votes (…, K) to codes, for the methods that need nothing else.
OF_SHARES: dict[str, Callable[[Floats, Labels], Ints]] = {
    "majority": lambda shares, labels: middles(leaders(shares)),
    "median": lambda shares, labels: middles(shares),
    "mean": lambda shares, labels: nearest(shares, labels.numbers),
}


def redrawn(found: Aggregated, weights: Ints, gold: Ints | None = None) -> Ints:
    """Codes of the labels, (B, I), by the method that `found` them where worker w counts `weights`[b, w] times.

    An item all of whose workers are left out keeps the label that it has: every crowd of this size would have judged it, and
    without a label it would count as not relevant, by which every resample would be worse than what it is drawn from. Ties are
    settled on the median of the tied values. Votes are counted, all resamples at once; a model is fitted to each anew, from the
    posterior that it has.
    """
    if found.method not in OF_SHARES:
        return np.array([anew(found, one, gold) for one in weights]).reshape(len(weights), -1)
    codes = np.concatenate([by_votes(found, some) for some in blocks(found.labels, weights)])
    return codes if gold is None else np.where(gold == UNKNOWN, codes, gold)


def blocks(labels: Labels, weights: Ints) -> list[Ints]:
    rows = max(1, BLOCK // (len(labels.items) * len(labels.values)))
    ends = np.cumsum([0, *portions(len(weights), rows)])
    return [weights[start:end] for start, end in pairwise(ends)]


def by_votes(found: Aggregated, weights: Ints) -> Ints:
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

    labels, k = found.labels, len(found.labels.values)
    places = (labels.item * k + labels.label, labels.worker)
    votes = csr_array((np.ones(len(labels)), places), shape=(len(labels.items) * k, len(labels.workers)))
    counts = (votes @ weights.T.astype(np.float64)).T.reshape(len(weights), -1, k)
    total = counts.sum(axis=2)
    codes = np.broadcast_to(found.label, total.shape).copy()
    voted = total > 0
    codes[voted] = OF_SHARES[found.method](counts[voted] / total[voted][:, None], labels)
    return codes


def anew(found: Aggregated, weight: Ints, gold: Ints | None) -> Ints:
    """The same by the method itself, on labels in which workers stand as often as they were drawn."""
    labels, kept = copied(found.labels, weight)
    codes = found.label.copy()
    if not len(labels):
        return codes
    method = METHODS[found.method]
    told = {"ties": TIES} if method.ties else {}
    start = {"start": found.posterior[kept]} if method.iterative else {}
    with suppress(BadLabels):  # nobody was drawn who has labelled gold, without which such votes have no weight
        codes[kept] = method.compute(labels, None if gold is None else gold[kept], **told, **start).label
    return codes


def copied(labels: Labels, weight: Ints) -> tuple[Labels, Ints]:
    """The labels of the workers drawn, everyone a worker of their own, and which of the items have any."""
    rows = np.repeat(np.arange(len(labels)), weight[labels.worker])
    copy = np.concatenate([np.arange(times) for times in weight[labels.worker]]) if len(rows) else rows
    first = np.cumsum(weight) - weight
    kept, item = np.unique(labels.item[rows], return_inverse=True)
    workers = np.repeat(np.array(labels.workers, dtype=object), weight)
    return Labels(
        item=item,
        worker=first[labels.worker[rows]] + copy,
        label=labels.label[rows],
        items=tuple(labels.items[one] for one in kept),
        workers=tuple(workers),
        values=labels.values,
        ordered=labels.ordered,
    ), kept
