"""Expectation and maximisation in turns, over sparse matrices: what the models of workers have in common."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ireval.aggregation.aggregate_labels import vote_shares, with_gold
from ireval.arrays import Floats, Ints
from ireval.labels import UNKNOWN, Labels

# Enough for a logarithm of what never happens; an item whose labels all values exclude would otherwise have no posterior.
TINY = 1e-300
ITERATIONS = 100
# The iterations end when a label's share of the objective grows by less than this.
TOLERANCE = 1e-6

# From expected counts (W, K label, K truth) to log P(label | truth), in the same shape, and a term added to the log-likelihood.
Maximise = Callable[[Floats], tuple[Floats, float]]


class Fit(NamedTuple):
    posterior: Floats
    prior: Floats
    objective: tuple[float, ...]


class Rounds(NamedTuple):
    """Where the iterations begin and end, and what they know besides the labels.

    - start: the first posteriors, (I, K); the shares of votes if None.
    - added_items: how many items of each value are counted besides, so that no value of few items is lost.
    - besides: log-likelihoods of other evidence on the items, (I, K) or 0, which stays as it is.
    """

    iterations: int = ITERATIONS
    tolerance: float = TOLERANCE
    start: Floats | None = None
    added_items: float = 0.0
    besides: Floats | float = 0.0


def fit(labels: Labels, gold: Ints | None, maximise: Maximise, rounds: Rounds) -> Fit:
    """Estimate the posteriors of the items, (I, K), and how often each value is true, (K,).

    Items with gold stay at it throughout. The labels are a sparse matrix (I, W · K) with a 1 for each. Counting and adding up
    likelihoods are then products of it with a narrow dense matrix.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

    items, workers, k = len(labels.items), len(labels.workers), len(labels.values)
    places = (labels.item, labels.worker * k + labels.label)
    votes = csr_array((np.ones(len(labels)), places), shape=(items, workers * k))
    by_worker = votes.T.tocsr()
    posterior = with_gold(vote_shares(labels) if rounds.start is None else rounds.start, gold)
    objective: list[float] = []
    prior = np.full(k, 1 / k)
    for _ in range(rounds.iterations):
        counts = (by_worker @ posterior).reshape(workers, k, k)
        log_likely, penalty = maximise(counts)
        prior = (np.ones(items) @ posterior + rounds.added_items) / (items + rounds.added_items * k)
        log_prior = np.log(np.maximum(prior, TINY))
        penalty += rounds.added_items * float(log_prior.sum())
        joint = votes @ log_likely.reshape(workers * k, k) + log_prior + rounds.besides
        posterior, likelihood = posterior_of(joint, gold)
        objective.append(likelihood + penalty)
        if len(objective) > 1 and objective[-1] - objective[-2] < rounds.tolerance * len(labels):
            break
    return Fit(posterior, prior, tuple(objective))


def posterior_of(joint: Floats, gold: Ints | None) -> tuple[Floats, float]:
    """Posteriors from logarithms of joint probabilities, (I, K), and the logarithm of the likelihood, given the gold."""
    # One row per value: numpy is many times as fast along the long axis as along an axis of two to five entries.
    by_value = np.ascontiguousarray(joint.T)
    top = by_value.max(axis=0)
    likely = np.exp(by_value - top)
    total = likely.sum(axis=0)
    evidence = top + np.log(total)
    if gold is not None:
        items = np.flatnonzero(gold != UNKNOWN)
        evidence[items] = joint[items, gold[items]]
    return with_gold(np.ascontiguousarray((likely / total).T), gold), float(evidence.sum())
