"""Dawid and Skene's model: every worker has a table of what they call items of each true value."""

import numpy as np

from ireval.aggregation.aggregated import DEFAULT_TIES, Aggregated, held, settle, vote_shares
from ireval.aggregation.expectation import ITERATIONS, TINY, TOLERANCE, fit
from ireval.arrays import Floats, Ints
from ireval.labels import Labels

# Labels of each true value that every worker is taken to have given beside their own, the way the crowd gives them.
SMOOTHING = 4.0
# Of these the share that goes anywhere: what the crowd never did is not impossible.
ANYWHERE = 0.01


def dawid_skene(
    labels: Labels,
    gold: Ints | None = None,
    *,
    ties: str = DEFAULT_TIES,
    smoothing: float = SMOOTHING,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
    start: Floats | None = None,
) -> Aggregated:
    """Labels, and a confusion matrix of each worker, that make the labels given likeliest; found by EM from the shares of votes.

    `smoothing` draws workers of whom few labels tell little towards the crowd: so many labels of each true value are added to
    their own, divided as those of all workers are when the shares of votes are the truth. As that division stays, it is a
    Dirichlet prior, and the objective, log-likelihood plus log-prior, never falls. With 0 it is the maximum likelihood of the
    paper. Items with gold are held at it. EM begins with the posteriors of `start` where they are given. A worker's accuracy is
    weighed by how often each value is true.

    Source: Dawid and Skene, Maximum likelihood estimation of observer error-rates using the EM algorithm, Applied Statistics 28,
    1979; drawn towards the crowd as in Paun et al., Comparing Bayesian models of annotation, TACL 6, 2018.

    >>> from ireval.agreement.coefficients import small
    >>> found = dawid_skene(small(), smoothing=0)
    >>> found.label.tolist(), found.accuracy.round(2).tolist()
    ([0, 1, 0], [1.0, 1.0, 0.33])
    """
    estimated = np.empty(0)
    crowd = smoothing * divided(crowd_counts(labels, held(vote_shares(labels), gold)) + ANYWHERE)

    def maximise(counts: Floats) -> tuple[Floats, float]:
        nonlocal estimated
        estimated = divided(counts + crowd)
        log_likely = np.log(np.maximum(estimated, TINY))
        return log_likely, float((crowd * log_likely).sum())

    found = fit(labels, gold, maximise, start=start, iterations=iterations, tolerance=tolerance)
    return Aggregated(
        labels,
        "dawid-skene",
        found.posterior,
        settle(labels, found.posterior, ties),
        accuracy=np.einsum("wkk,k->w", estimated, found.prior),
        confusion=estimated.transpose(0, 2, 1),
        objective=found.objective,
    )


def crowd_counts(labels: Labels, shares: Floats) -> Floats:
    """How often all workers gave each label to items of each value, (K labels, K truths), if the shares are the truth."""
    k = len(labels.values)
    return np.array([np.bincount(labels.label, shares[labels.item, true], k) for true in range(k)]).T


def divided(counts: Floats) -> Floats:
    """Shares of each label, (…, K labels, K truths); evenly where there is nothing to divide."""
    total = counts.sum(axis=-2, keepdims=True)
    return np.divide(counts, total, out=np.full_like(counts, 1 / counts.shape[-1]), where=total > 0)
