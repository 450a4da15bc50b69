"""Robust variance of strengths, which allows for votes that are alike within topics and within workers."""

import numpy as np

from ireval.arrays import Floats, Ints
from ireval.preferences.strengths import Counts, Likelihood, Parameters, Strengths, expected_score, inverse_information, tallied
from ireval.preferences.votes import TIE, Votes

# With two topics or workers the t distribution has no mean: draws farther away than this are cut off.
FARTHEST = 100.0


def drawn_strengths(votes: Votes, counts: Counts, strengths: Strengths, resamples: int, seed: int) -> Parameters:
    """Strengths (resamples, S) with their ν, drawn from a t distribution around the estimates.

    Its degrees of freedom are the smaller number of topics and workers, minus 1.
    """
    rng, s = np.random.default_rng(seed), len(strengths.systems)
    freedom = min(len(np.unique(votes.topic)), len(np.unique(votes.worker))) - 1
    covariance = robust_covariance(votes, counts, strengths)
    sizes, directions = np.linalg.eigh(covariance)
    normal = rng.normal(size=(resamples, s + 1)) @ (directions * np.sqrt(np.maximum(sizes, 0))).T
    apart = np.clip(normal * np.sqrt(freedom / rng.chisquare(freedom, (resamples, 1))), -FARTHEST, FARTHEST)
    return Parameters(strengths.strength + apart[:, :s], strengths.nu * np.exp(apart[:, s]))


def robust_covariance(votes: Votes, counts: Counts, strengths: Strengths) -> Floats:
    """The covariance of the strengths and log ν, (S + 1, S + 1): A (M_topics + M_workers − M_both) A.

    A is the inverse information. Each M is the sum over its G clusters of the outer product of the cluster's score with itself,
    times G / (G − 1). Directions in which the result is negative are dropped.

    Source: Cameron, Gelbach and Miller 2011, equation 2.13 and section 2.3; Davidson's score by vote.
    """
    s = len(strengths.systems)
    likelihood = Likelihood(tallied(counts, strengths.model), strengths.component, np.array([strengths.prior]))
    fitted = Parameters(strengths.strength[None], np.array([strengths.nu]))
    inverse = inverse_information(likelihood, fitted)
    surplus, tied = scores(votes, strengths)
    both = votes.topic * len(votes.workers) + votes.worker
    signs = ((votes.topic, 1), (votes.worker, 1), (both, -1))
    meat = sum(sign * squares(votes, cluster, surplus, tied, s) for cluster, sign in signs)
    sizes, directions = np.linalg.eigh(inverse @ meat @ inverse)
    return directions * np.maximum(sizes, 0) @ directions.T


def scores(votes: Votes, strengths: Strengths) -> tuple[Floats, Floats]:
    """Observed minus expected in each vote, (N,) each: the points of the pair's first system, and a tie."""
    apart = strengths.strength[votes.low] - strengths.strength[votes.high]
    surplus = votes.points - expected_score(apart, strengths.nu)
    if not 0 < strengths.nu < np.inf:
        return surplus, np.zeros(len(votes))
    ratio = np.exp(-apart / 2)
    return surplus, (votes.winner >= TIE) - strengths.nu * ratio / (1 + strengths.nu * ratio + ratio**2)


def squares(votes: Votes, cluster: Ints, surplus: Floats, tied: Floats, s: int) -> Floats:
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

    names, code = np.unique(cluster, return_inverse=True)
    columns = np.concatenate([votes.low, votes.high, np.full(len(votes), s)])
    values = np.concatenate([surplus, -surplus, tied])
    sums = csr_array((values, (np.tile(code, 3), columns)), shape=(len(names), s + 1))
    return (sums.T @ sums).toarray() * len(names) / (len(names) - 1)
