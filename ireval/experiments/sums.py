"""Experiments as sums that JSON can hold, so that parts can be stored and added later."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ireval.arrays import Floats, Ints
from ireval.experiments.experiment_files import as_experiment
from ireval.experiments.moments import Moments
from ireval.experiments.observations import Experiment, Metric
from ireval.io.frames import TableSource


def as_sums(experiment: Experiment | TableSource) -> dict[str, Any]:
    """Lists, texts and numbers from which `from_sums` restores the experiment exactly; symmetric products are stored once.

    >>> from ireval.experiments.observations import experiment_from_counts
    >>> as_sums(experiment_from_counts(["a", "b"], [4, 2], {"bought": [1, 1]}))["metrics"][0]["means"]
    [[0.25], [0.5]]
    """
    experiment = as_experiment(experiment)
    metrics = [
        {
            "name": metric.name,
            "kind": metric.kind,
            "before": metric.before,
            "means": [moments.mean.tolist() for moments in metric.moments],
            "products": [moments.products[upper_half(len(moments.mean))].tolist() for moments in metric.moments],
        }
        for metric in experiment.metrics
    ]
    return {"arms": list(experiment.arms), "n": experiment.n.tolist(), "metrics": metrics, "crossed": list(experiment.crossed)}


def from_sums(sums: Mapping[str, Any]) -> Experiment:
    """The experiment that `as_sums` stored.

    >>> from ireval.experiments.observations import experiment_from_counts
    >>> experiment = from_sums(as_sums(experiment_from_counts(["a", "b"], [4, 2], {"bought": [1, 1]})))
    >>> experiment.n.tolist(), experiment.metrics[0].moments[0].products.tolist()
    ([4, 2], [[0.75]])
    """
    metrics = tuple(
        Metric(
            metric["name"],
            metric["kind"],
            tuple(
                Moments(*moments)
                for moments in zip(sums["n"], map(np.array, metric["means"]), map(symmetric, metric["products"]), strict=True)
            ),
            metric["before"],
        )
        for metric in sums["metrics"]
    )
    return Experiment(tuple(sums["arms"]), np.array(sums["n"], np.int64), metrics, tuple(sums["crossed"]))


def symmetric(half: Sequence[float]) -> Floats:
    """A symmetric matrix from its upper half, row by row."""
    size = int((2 * len(half) + 0.25) ** 0.5)
    table = np.empty((size, size))
    rows, columns = upper_half(size)
    table[rows, columns] = table[columns, rows] = half
    return table


@cache
def upper_half(size: int) -> tuple[Ints, ...]:
    """Numpy makes these slowly, and there are thousands of small matrices."""
    return np.triu_indices(size)
