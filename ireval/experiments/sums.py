"""Experiments as sums that JSON can hold, so that parts may be stored apart and put together later."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ireval.arrays import Floats
from ireval.experiments.moments import Moments
from ireval.experiments.observations import Experiment, Metric


def as_sums(experiment: Experiment) -> dict[str, Any]:
    """Lists, texts and numbers from which `from_sums` makes the same experiment to the last bit; of products, which are the same
    both ways round, half.

    >>> from ireval.experiments.observations import experiment_from_counts
    >>> as_sums(experiment_from_counts(["a", "b"], [4, 2], {"bought": [1, 1]}))["metrics"][0]["means"]
    [[0.25], [0.5]]
    """
    metrics = [
        {
            "name": one.name,
            "kind": one.kind,
            "before": one.before,
            "means": [moments.mean.tolist() for moments in one.moments],
            "products": [moments.products[np.triu_indices(len(moments.mean))].tolist() for moments in one.moments],
        }
        for one in experiment.metrics
    ]
    return {"arms": list(experiment.arms), "n": experiment.n.tolist(), "metrics": metrics, "crossed": list(experiment.crossed)}


def from_sums(sums: Mapping[str, Any]) -> Experiment:
    """The experiment of which `as_sums` made this.

    >>> from ireval.experiments.observations import experiment_from_counts
    >>> found = from_sums(as_sums(experiment_from_counts(["a", "b"], [4, 2], {"bought": [1, 1]})))
    >>> found.n.tolist(), found.metrics[0].moments[0].products.tolist()
    ([4, 2], [[0.75]])
    """
    metrics = tuple(
        Metric(
            one["name"],
            one["kind"],
            tuple(
                Moments(*given) for given in zip(sums["n"], map(np.array, one["means"]), map(full, one["products"]), strict=True)
            ),
            one["before"],
        )
        for one in sums["metrics"]
    )
    return Experiment(tuple(sums["arms"]), np.array(sums["n"], np.int64), metrics, tuple(sums["crossed"]))


def full(half: Sequence[float]) -> Floats:
    """A symmetric table from its upper half, row by row."""
    size = int((2 * len(half) + 0.25) ** 0.5)
    found = np.zeros((size, size))
    found[np.triu_indices(size)] = half
    return np.triu(found) + np.triu(found, 1).T
