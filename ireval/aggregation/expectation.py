"""What models of workers have in common: expectation and maximisation in turns, over sparse matrices."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ireval.aggregation.aggregated import held, vote_shares
from ireval.arrays import Floats, Ints
from ireval.labels import UNKNOWN, Labels

# Enough for a logarithm of what never happens; an item whose labels all values exclude would otherwise have no posterior.
TINY = 1e-300
ITERATIONS = 100
# The iterations end when a label's share of the objective grows by less than this.
TOLERANCE = 1e-6

# From the expected counts (W, K label, K truth) to log P(label | truth) in the same shape and what is added to the likelihood.
Maximise = Callable[[Floats], tuple[Floats, float]]


class Fit(NamedTuple):
    posterior: Floats
    prior: Floats
    objective: tuple[float, ...]


def fit(
    labels: Labels, gold: Ints | None, maximise: Maximise, *, start: Floats | None = None, iterations: int, tolerance: float
) -> Fit:
    """Posteriors of the items, (I, K), and how often each value is true, (K,), from the share of votes or from `start` onward.

    Items with gold are held at it throughout. Labels are a sparse matrix (I, W · K) with a 1 for each, so that both counting and
    adding up likelihoods are products with a narrow dense one.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

    items, workers, k = len(labels.items), len(labels.workers), len(labels.values)
    places = (labels.item, labels.worker * k + labels.label)
    votes = csr_array((np.ones(len(labels)), places), shape=(items, workers * k))
    by_worker = votes.T.tocsr()
    posterior = held(vote_shares(labels) if start is None else start, gold)
    objective: list[float] = []
    prior = np.full(k, 1 / k)
    for _ in range(iterations):
        counts = (by_worker @ posterior).reshape(workers, k, k)
        log_likely, penalty = maximise(counts)
        prior = np.ones(items) @ posterior / items
        joint = votes @ log_likely.reshape(workers * k, k) + np.log(np.maximum(prior, TINY))
        posterior, likelihood = posterior_of(joint, gold)
        objective.append(likelihood + penalty)
        if len(objective) > 1 and objective[-1] - objective[-2] < tolerance * len(labels):
            break
    return Fit(posterior, prior, tuple(objective))


def posterior_of(joint: Floats, gold: Ints | None) -> tuple[Floats, float]:
    """Posteriors from logarithms of joint probabilities, (I, K), and the logarithm of the likelihood, given the gold."""
    # A row a value: numpy is many times as fast along the long axis as along one of two to five entries.
    by_value = np.ascontiguousarray(joint.T)
    top = by_value.max(axis=0)
    likely = np.exp(by_value - top)
    total = likely.sum(axis=0)
    evidence = top + np.log(total)
    if gold is not None:
        known = np.flatnonzero(gold != UNKNOWN)
        evidence[known] = joint[known, gold[known]]
    return held(np.ascontiguousarray((likely / total).T), gold), float(evidence.sum())
