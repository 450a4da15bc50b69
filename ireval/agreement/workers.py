"""Quality of each worker: agreement with the others, confusions, runs of the same label, accuracy on gold."""

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from ireval.arrays import Floats, Ints
from ireval.io.arguments import as_numbers, require_confidence
from ireval.io.frames import Source
from ireval.labels import BadLabels, GoldSource, Labels, as_gold, as_labels


def wilson_interval(correct: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Low and high ends of Wilson's score interval of a share, elementwise; always within 0 and 1, NaN for n = 0.

    Source: Wilson, Journal of the American Statistical Association 22, 1927.

    >>> [end.round(4).tolist() for end in wilson_interval([8, 0], [10, 5])]
    [[0.4902, 0.0], [0.9433, 0.4345]]
    """
    from scipy.special import ndtri  # noqa: PLC0415 - slow to import

    require_confidence(confidence)
    count, size = as_numbers("correct", correct, least=0), as_numbers("n", n, least=0)
    square = ndtri((1 + confidence) / 2) ** 2
    below = np.where(size > 0, size, np.nan)
    centre = (count + square / 2) / (below + square)
    half = np.sqrt(square * (count * (1 - count / below) + square / 4)) / (below + square)
    return np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)


def worker_table(labels: Labels | Source, gold: GoldSource | None = None, *, confidence: float = 0.95) -> pl.DataFrame:
    """One row per worker, in order of first appearance; null where there is nothing to count.

    - n: the worker's labels; compared: those on items that others labelled, too.
    - agreement: the share of these that equals the commonest label of the others. Where k values tie there, each counts 1/k.
    - longest_run, commonest, commonest_share: the longest run of one label in the order given, the commonest label, its share.
    - gold, accuracy, low, high: labels of items with gold, the share that is right, and its Wilson interval.

    >>> from ireval.agreement.coefficients import small
    >>> worker_table(small(), np.array([0, -1, 0])).select("worker", "n", "agreement", "longest_run", "gold", "accuracy").rows()
    [('x', 3, 0.75, 1, 2, 1.0), ('y', 2, 0.75, 1, 1, 1.0), ('z', 1, 0.0, 1, 1, 0.0)]
    """
    labels = as_labels(labels)
    gold = as_gold(gold, labels)
    size = len(labels.workers)
    others = without_own(labels)
    leading = shared_lead(others)[np.arange(len(labels)), labels.label]
    comparable = others.any(axis=1)
    used = per_worker(labels, np.eye(len(labels.values))[labels.label])
    columns = {
        "worker": pl.Series(labels.workers, dtype=pl.String),
        "n": (n := np.bincount(labels.worker, minlength=size)),
        "compared": (compared := np.bincount(labels.worker[comparable], minlength=size)),
        "agreement": shares(np.bincount(labels.worker, np.where(comparable, leading, 0), size), compared),
        "longest_run": longest_runs(labels),
        "commonest": [labels.values[code] for code in used.argmax(axis=1)],
        "commonest_share": shares(used.max(axis=1, initial=0), n),
    }
    if gold is not None:
        on_gold = gold[labels.item] >= 0
        right = np.bincount(labels.worker[on_gold], gold[labels.item[on_gold]] == labels.label[on_gold], size)
        golds = np.bincount(labels.worker[on_gold], minlength=size)
        low, high = wilson_interval(right, golds, confidence)
        columns |= {"gold": golds, "accuracy": shares(right, golds), "low": low, "high": high}
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))


def confusion(labels: Labels | Source, truth: Floats | None = None) -> Floats:
    """How often each worker gave each label to items of each true value: (W, K, K), rows the truth, columns the label.

    `truth` are shares of each item's values, (I, K): an aggregation's posterior, or rows of the identity matrix for gold. Rows of
    zeros leave items out. Without `truth`, each label is compared with the commonest label of the others, shared by tied
    values. A worker with nothing to compare is 0 throughout. BadLabels for a truth of another shape.

    >>> from ireval.agreement.coefficients import small
    >>> confusion(small())[0].tolist()
    [[0.5, 0.0], [0.5, 1.0]]
    """
    labels = as_labels(labels)
    k = len(labels.values)
    rows = shared_lead(without_own(labels)) if truth is None else checked_truth(labels, truth)[labels.item]
    place = labels.worker * k + labels.label
    counted = [np.bincount(place, rows[:, value], len(labels.workers) * k) for value in range(k)]
    return np.stack(counted, axis=1, dtype=np.float64).reshape(len(labels.workers), k, k).transpose(0, 2, 1)


def checked_truth(labels: Labels, truth: Floats) -> Floats:
    shares, shape = as_numbers("truth", truth, BadLabels), (len(labels.items), len(labels.values))
    if shares.shape != shape:
        raise BadLabels(f"the truth has the shape {shares.shape}; expected {shape}, a row per item and a column per value")
    return shares


def longest_runs(labels: Labels | Source) -> Ints:
    """The longest run of equal labels of each worker, (W,), in the order of the labels; 0 without labels.

    >>> from ireval.agreement.coefficients import small
    >>> longest_runs(small()).tolist()
    [1, 1, 1]
    """
    labels = as_labels(labels)
    order = np.argsort(labels.worker, kind="stable")
    worker, label = labels.worker[order], labels.label[order]
    begins = np.flatnonzero(np.r_[True, (worker[1:] != worker[:-1]) | (label[1:] != label[:-1])][: len(order)])
    runs = np.zeros(len(labels.workers), np.int64)
    np.maximum.at(runs, worker[begins], np.diff(np.append(begins, len(order))))
    return runs


def without_own(labels: Labels) -> Ints:
    """For each label the counts of the item's other labels: (N, K)."""
    others = labels.counts[labels.item]
    others[np.arange(len(labels)), labels.label] -= 1
    return others


def shared_lead(counts: Ints) -> Floats:
    """The leading values of each row as shares, (N, K): tied values share it evenly, a row of zeros has none."""
    leads = (counts == counts.max(axis=1, keepdims=True)) & (counts > 0)
    return leads / np.maximum(leads.sum(axis=1, keepdims=True), 1)


def per_worker(labels: Labels, values: Floats) -> Floats:
    """Sums over each worker's labels: (W, …) of (N, …)."""
    return np.column_stack([np.bincount(labels.worker, column, len(labels.workers)) for column in values.T])


def shares(part: NDArray, whole: NDArray) -> Floats:
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
