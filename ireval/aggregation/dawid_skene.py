"""Dawid and Skene's model: every worker has a table of the labels they give to items of each true value."""

import numpy as np

from ireval.aggregation.aggregate_labels import DEFAULT_TIES, Aggregated, settle, vote_shares, with_gold
from ireval.aggregation.expectation import ITERATIONS, TINY, TOLERANCE, Fit, Rounds, fit
from ireval.arrays import Floats, Ints
from ireval.io.frames import Source
from ireval.labels import GoldSource, Labels, as_gold, as_labels

# Labels per true value that are added to every worker's own, divided as the crowd's are.
SMOOTHING = 4.0
# The share of these that goes to any label: what the crowd never did is not impossible.
ANYWHERE = 0.01


def dawid_skene(
    labels: Labels | Source,
    gold: GoldSource | None = None,
    *,
    ties: str = DEFAULT_TIES,
    smoothing: float = SMOOTHING,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
    start: Floats | None = None,
) -> Aggregated:
    """Estimate the items' labels and a confusion matrix of each worker by EM, starting from the shares of votes.

    `smoothing` draws workers with few labels towards the crowd: it adds so many labels per true value to their own. The added
    labels are divided as those of all workers are when the shares of votes are the truth. That division is fixed, so it is a
    Dirichlet prior, and the objective (log-likelihood plus log-prior) never falls. With 0 this is the maximum likelihood of the
    paper. Items with gold stay at it. EM begins with the posteriors `start`, (I, K), where they are given. A worker's accuracy
    is weighted by how often each value is true.

    Sources: Dawid and Skene, Maximum likelihood estimation of observer error-rates using the EM algorithm, Applied Statistics
    28, 1979. The crowd as prior: Paun et al., Comparing Bayesian models of annotation, TACL 6, 2018.

    >>> from ireval.agreement.coefficients import small
    >>> aggregated = dawid_skene(small(), smoothing=0)
    >>> aggregated.label.tolist(), aggregated.accuracy.round(2).tolist()
    ([0, 1, 0], [1.0, 1.0, 0.33])
    """
    labels = as_labels(labels)
    gold = as_gold(gold, labels)
    crowd = smoothing * divided(crowd_counts(labels, with_gold(vote_shares(labels), gold)) + ANYWHERE)
    solution, tables = fit_tables(labels, gold, crowd, Rounds(iterations, tolerance, start))
    return Aggregated(
        labels,
        "dawid-skene",
        solution.posterior,
        settle(labels, solution.posterior, ties),
        accuracy=np.einsum("wkk,k->w", tables, solution.prior),
        confusion=tables.transpose(0, 2, 1),
        objective=solution.objective,
    )


def fit_tables(labels: Labels, gold: Ints | None, added: Floats, rounds: Rounds) -> tuple[Fit, Floats]:
    """The solution and each worker's table, (W, K labels, K truths).

    `added` counts, of the same shape or (K labels, K truths) for all workers, are a prior.
    """
    tables = np.empty(0)

    def maximise(counts: Floats) -> tuple[Floats, float]:
        nonlocal tables
        tables = divided(counts + added)
        log_likely = np.log(np.maximum(tables, TINY))
        return log_likely, float((added * log_likely).sum())

    solution = fit(labels, gold, maximise, rounds)
    return solution, tables


def crowd_counts(labels: Labels, shares: Floats) -> Floats:
    """How often all workers gave each label to items of each value, (K labels, K truths), taking the shares for the truth."""
    k = len(labels.values)
    return np.array([np.bincount(labels.label, shares[labels.item, true], k) for true in range(k)]).T


def divided(counts: Floats) -> Floats:
    """Shares of each label, (…, K labels, K truths); even shares where the counts are 0."""
    total = counts.sum(axis=-2, keepdims=True)
    return np.divide(counts, total, out=np.full_like(counts, 1 / counts.shape[-1]), where=total > 0)
