"""Robust variance of strengths, which allows for votes that are alike within topics and within workers."""

import numpy as np

from ireval.arrays import Floats, Ints
from ireval.preferences.strengths import (
    Likelihood,
    Parameters,
    Strengths,
    counts_of,
    expected_score,
    inverse_information,
    tallied,
)
from ireval.preferences.votes import TIE, Votes

# With two topics or workers the t distribution has no mean: draws farther away than this are cut off.
FARTHEST = 100.0
# The least variance in any direction, as a share of that of independent votes: strengths are then scaled to all of it.
LEAST = 0.1


def drawn_strengths(votes: Votes, strengths: Strengths, resamples: int, seed: int, weights: Floats | None = None) -> Parameters:
    """Strengths (resamples, S) with their ν, drawn from a t distribution around the estimates.

    Its degrees of freedom are the smaller number of topics and workers of a system's component, minus 1; of ν, of all. Where
    there are none, nothing says how far other topics or workers would differ, and draws stay at the estimates.
    """
    rng, s = np.random.default_rng(seed), len(strengths.systems)
    topics, workers = (clusters_by_parameter(votes, cluster, strengths) for cluster in (votes.topic, votes.worker))
    freedom = np.minimum(topics, workers) - 1
    covariance = robust_covariance(votes, strengths, weights)
    sizes, directions = np.linalg.eigh(covariance)
    normal = rng.normal(size=(resamples, s + 1)) @ (directions * np.sqrt(np.maximum(sizes, 0))).T
    spread = np.zeros((resamples, s + 1))
    for degrees in np.unique(freedom[freedom > 0]):
        spread[:, freedom == degrees] = np.sqrt(degrees / rng.chisquare(degrees, (resamples, 1)))
    apart = np.clip(normal * spread, -FARTHEST, FARTHEST)
    return Parameters(strengths.strength + apart[:, :s], strengths.nu * np.exp(apart[:, s]))


def robust_covariance(votes: Votes, strengths: Strengths, weights: Floats | None = None) -> Floats:
    """The covariance of the strengths and log ν, (S + 1, S + 1): A (M_topics + M_workers − M_both) A.

    A is the inverse information. Each M is the sum over its G clusters of the outer product of the cluster's score with itself,
    times G / (G − 1). G counts the clusters of the system's component. `weights` (N,) of votes are taken for given. No strength's
    variance is less than in A, that of independent votes. It would be by chance with few clusters, and for systems that never
    lost: their votes fit perfectly.

    Source: Cameron, Gelbach and Miller 2011, equation 2.13 and section 2.3; Davidson's score by vote. The floor is ours.
    """
    likelihood = Likelihood(tallied(counts_of(votes, weights), strengths.model), strengths.component, np.array([strengths.prior]))
    fitted = Parameters(strengths.strength[None], np.array([strengths.nu]))
    inverse = inverse_information(likelihood, fitted)
    surplus, tied = (score * (1 if weights is None else weights) for score in scores(votes, strengths))
    both = votes.topic * len(votes.workers) + votes.worker
    signs = ((votes.topic, 1), (votes.worker, 1), (both, -1))
    meat = sum(sign * squares(votes, cluster, (surplus, tied), strengths) for cluster, sign in signs)
    root = square_root(inverse)
    sizes, directions = np.linalg.eigh(root @ meat @ root)
    stretched = root @ directions
    covariance = stretched * np.maximum(sizes, LEAST) @ stretched.T
    scale = np.sqrt(np.maximum(np.diag(inverse) / np.diag(covariance), 1))
    return covariance * np.outer(scale, scale)


def square_root(matrix: Floats) -> Floats:
    """The symmetric square root of a symmetric matrix without negative directions but by rounding."""
    sizes, directions = np.linalg.eigh(matrix)
    return directions * np.sqrt(np.maximum(sizes, 0)) @ directions.T


def scores(votes: Votes, strengths: Strengths) -> tuple[Floats, Floats]:
    """Observed minus expected in each vote, (N,) each: the points of the pair's first system, and a tie."""
    apart = strengths.strength[votes.low] - strengths.strength[votes.high]
    surplus = votes.points - expected_score(apart, strengths.nu)
    if not 0 < strengths.nu < np.inf:
        return surplus, np.zeros(len(votes))
    ratio = np.exp(-apart / 2)
    return surplus, (votes.winner >= TIE) - strengths.nu * ratio / (1 + strengths.nu * ratio + ratio**2)


def squares(votes: Votes, cluster: Ints, score: tuple[Floats, Floats], strengths: Strengths) -> Floats:
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

    s, (surplus, tied) = len(strengths.systems), score
    names, code = np.unique(cluster, return_inverse=True)
    columns = np.concatenate([votes.low, votes.high, np.full(len(votes), s)])
    values = np.concatenate([surplus, -surplus, tied])
    sums = csr_array((values, (np.tile(code, 3), columns)), shape=(len(names), s + 1))
    groups = clusters_by_parameter(votes, cluster, strengths)
    factor = np.sqrt(groups / np.maximum(groups - 1, 1))
    return (sums.T @ sums).toarray() * np.outer(factor, factor)


def clusters_by_parameter(votes: Votes, cluster: Ints, strengths: Strengths) -> Ints:
    """How many clusters have votes on each system's component, (S + 1,); the last are those of all votes, for ν."""
    component = strengths.component[votes.low]
    pairs = np.unique(np.stack([component, cluster]), axis=1)[0]
    groups = np.bincount(pairs, minlength=int(strengths.component.max()) + 1)
    return np.append(groups[strengths.component], len(np.unique(cluster)))
