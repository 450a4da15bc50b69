"""Labels under another draw of the workers: a worker drawn twice counts twice, a worker not drawn does not count."""

from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise

import numpy as np

from ireval.aggregation import METHODS, Aggregated
from ireval.aggregation.aggregate_labels import leaders, middles
from ireval.aggregation.majority import nearest
from ireval.arrays import Floats, Ints
from ireval.io.arguments import require_type
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


def redrawn(aggregated: Aggregated, weights: Ints, gold: Ints | None = None) -> Ints:
    """Codes of the labels, (B, I), by the same method, where worker w counts `weights`[b, w] times.

    An item none of whose workers is drawn keeps its label: any crowd of this size would have judged it. Without a label it would
    count as not relevant, and every resample would look worse than the data it is drawn from. Ties are settled on the median of
    the tied values. Votes are counted for all resamples at once; a model is fitted again to each, from its posterior.
    """
    require_type("aggregated", aggregated, Aggregated, "Aggregated labels, which aggregate makes")
    if aggregated.method not in OF_SHARES:
        return np.array([refitted(aggregated, weight, gold) for weight in weights]).reshape(len(weights), -1)
    codes = np.concatenate([by_votes(aggregated, some) for some in blocks(aggregated.labels, weights)])
    return codes if gold is None else np.where(gold == UNKNOWN, codes, gold)


def settled(aggregated: Aggregated) -> Ints:
    """Codes of the labels, (I,); ties that are split or left open are settled on the median, as they are in resamples.

    >>> import polars as pl
    >>> from ireval.aggregation import majority
    >>> from ireval.labels import labels_of
    >>> votes = pl.DataFrame({"item": ["a", "a", "b"], "worker": ["x", "y", "x"], "label": ["0", "3", "2"]})
    >>> settled(majority(labels_of(votes, values=["0", "1", "2", "3"]))).tolist()
    [1, 2]
    """
    return np.where(aggregated.tied, middles(leaders(aggregated.posterior)), aggregated.label)


def blocks(labels: Labels, weights: Ints) -> list[Ints]:
    rows = max(1, BLOCK // (len(labels.items) * len(labels.values)))
    ends = np.cumsum([0, *portions(len(weights), rows)])
    return [weights[start:end] for start, end in pairwise(ends)]


def by_votes(aggregated: Aggregated, weights: Ints) -> Ints:
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

    labels, k = aggregated.labels, len(aggregated.labels.values)
    places = (labels.item * k + labels.label, labels.worker)
    votes = csr_array((np.ones(len(labels)), places), shape=(len(labels.items) * k, len(labels.workers)))
    counts = (votes @ weights.T.astype(np.float64)).T.reshape(len(weights), -1, k)
    total = counts.sum(axis=2)
    codes = np.broadcast_to(settled(aggregated), total.shape).copy()
    voted = total > 0
    codes[voted] = OF_SHARES[aggregated.method](counts[voted] / total[voted][:, None], labels)
    return codes


def refitted(aggregated: Aggregated, weight: Ints, gold: Ints | None) -> Ints:
    """Codes of the labels, (I,), by the method itself; each worker is in the labels as often as `weight` (W,) says."""
    labels, kept = copied(aggregated.labels, weight)
    codes = settled(aggregated)
    if not len(labels):
        return codes
    method = METHODS[aggregated.method]
    options = {"ties": TIES} if method.ties else {}
    start = {"start": aggregated.posterior[kept]} if method.iterative else {}
    with suppress(BadLabels):  # no worker drawn has labelled gold, which these votes need
        codes[kept] = method.compute(labels, None if gold is None else gold[kept], **options, **start).label
    return codes


def copied(labels: Labels, weight: Ints) -> tuple[Labels, Ints]:
    """The labels of the workers drawn, each copy a worker of its own, and which of the items have any."""
    rows = np.repeat(np.arange(len(labels)), weight[labels.worker])
    copy = np.concatenate([np.arange(times) for times in weight[labels.worker]]) if len(rows) else rows
    first = np.cumsum(weight) - weight
    kept, item = np.unique(labels.item[rows], return_inverse=True)
    workers = np.repeat(np.array(labels.workers, dtype=object), weight)
    return Labels(
        item=item,
        worker=first[labels.worker[rows]] + copy,
        label=labels.label[rows],
        items=tuple(labels.items[code] for code in kept),
        workers=tuple(workers),
        values=labels.values,
        ordered=labels.ordered,
    ), kept
