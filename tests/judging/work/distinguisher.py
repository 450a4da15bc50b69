"""Tell apart two kinds of rows by logistic regression, and say how well that goes."""

import numpy as np
from scipy.optimize import minimize
from scipy.stats import rankdata

PENALTY = 1.0  # on the squares of the weights: so that chance differences of a few hundred rows are not learnt by heart


def fitted(rows: np.ndarray, is_one: np.ndarray):
    """A function that gives each row a score: the higher, the likelier it is one of those."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9

    def with_constant(some: np.ndarray) -> np.ndarray:
        return np.column_stack([np.ones(len(some)), (some - mean) / spread])

    known = with_constant(rows)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        log_odds = known @ weights
        penalty = PENALTY * np.append(0, weights[1:])
        value = np.logaddexp(0, log_odds).sum() - log_odds[is_one].sum() + weights @ penalty / 2
        return value, known.T @ (1 / (1 + np.exp(-log_odds)) - is_one) + penalty

    weights = minimize(loss, np.zeros(known.shape[1]), jac=True, method="L-BFGS-B").x
    return lambda some: with_constant(some) @ weights


def auc(scores: np.ndarray, is_one: np.ndarray) -> float:
    """How often one of those scores higher than one of the others: .5 by chance.

    >>> auc(np.array([1, 2, 3, 4]), np.array([False, True, False, True]))
    0.75
    """
    ones, others = is_one.sum(), (~is_one).sum()
    return float((rankdata(scores)[is_one].sum() - ones * (ones + 1) / 2) / (ones * others))


DIVISIONS = 10


def told_apart(rows: np.ndarray, is_one: np.ndarray, worker: np.ndarray) -> float:
    """The mean AUC of what was learnt from half of the workers and tried on the others, over some divisions of them."""
    chance = np.random.default_rng(1)
    halves = (chance.permutation(worker.max() + 1) % 2 == 0 for _ in range(DIVISIONS))
    return float(np.mean([told_by_half(rows, is_one, half[worker]) for half in halves]))


def told_by_half(rows: np.ndarray, is_one: np.ndarray, half: np.ndarray) -> float:
    """Of what was learnt on either half and tried on the other."""
    scores = np.empty(len(rows))
    for side in (False, True):
        score = fitted(rows[half == side], is_one[half == side])
        tried = score(rows[half != side])
        scores[half != side] = (tried - tried.mean()) / (tried.std() + 1e-9)
    return auc(scores, is_one)
