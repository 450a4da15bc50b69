"""Strengths of many systems on one scale, by Bradley and Terry's model, and by Davidson's, which has ties.

The models need only how often each system won against each other. A million votes are therefore a matrix of counts, fitted by
Newton's method. Many such matrices, those of a bootstrap, are fitted at once.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ireval.arrays import Floats, Ints
from ireval.io.arguments import is_name_in
from ireval.io.frames import Frame, TableSource
from ireval.preferences.vote_files import as_votes
from ireval.preferences.votes import LEFT, RIGHT, BadVotes, Votes

MODELS = {
    "davidson": "Davidson's model, ties by a parameter of their own",
    "bradley-terry": "Bradley and Terry's model, a tie half a win for both",
}
DEFAULT_MODEL = "davidson"
# Votes against an average system, half won and half lost, added to each system's own where a strength would be infinite.
PRIOR = 0.5
ITERATIONS = 100
# The iterations end when no step is longer than this, or the score is rounding error.
TOLERANCE = 1e-9
ROUNDING = 5e-16
# A step of Newton's method is cut to this: from far away it would overshoot.
LONGEST_STEP = 2.0


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of votes, (S, S) each: `wins` of the row's system against the column's, and `ties`, a symmetric matrix."""

    systems: tuple[str, ...]
    wins: Floats
    ties: Floats

    @cached_property
    def compared(self) -> Floats:
        """The number of votes on each two systems, (S, S)."""
        return self.wins + self.wins.T + self.ties


def counts_of(votes: Votes | TableSource, weights: Floats | None = None) -> Counts:
    """The votes counted by pair of systems; both_bad is a tie. `weights` (N,) say how much each vote counts, 1 if None."""
    votes = as_votes(votes)
    s = len(votes.systems)
    code = (votes.left * s + votes.right) * 3 + np.minimum(votes.winner, 2)
    table = np.bincount(code, weights, minlength=3 * s * s).reshape(s, s, 3).astype(np.float64)
    return Counts(votes.systems, table[:, :, LEFT] + table[:, :, RIGHT].T, table[:, :, 2] + table[:, :, 2].T)


@dataclass(frozen=True, eq=False)
class Strengths:
    """Log strengths of S systems, (S,), which add up to 0 within each `component`, and their covariance (S, S).

    - component (S,): systems with the same number are compared with each other, directly or through others. Strengths of
      different components cannot be compared.
    - nu: Davidson's parameter of ties. Two systems of equal strength tie with the probability ν / (2 + ν); 0 if ties are half
      wins.
    - prior: how many votes against an average system were added to each system's own; usually 0.
    - unbounded: why the votes alone have no finite estimate, else "".
    """

    systems: tuple[str, ...]
    model: str
    strength: Floats
    covariance: Floats
    nu: float
    component: Ints
    prior: float = 0.0
    unbounded: str = ""

    @cached_property
    def error(self) -> Floats:
        """Standard errors of the strengths, (S,), if all votes are independent."""
        return np.sqrt(np.diag(self.covariance))

    @cached_property
    def against_average(self) -> Floats:
        """The score that each is expected to have against a system of strength 0, (S,): P(win) + P(tie) / 2."""
        return expected_score(self.strength, self.nu)

    @cached_property
    def expected(self) -> Floats:
        """The score that the row's system is expected to have against the column's, (S, S); NaN between components."""
        score = expected_score(self.strength[:, None] - self.strength, self.nu)
        return np.where(self.component[:, None] == self.component, score, np.nan)


def expected_score(apart: Floats, nu: float | Floats) -> Floats:
    """P(win) + P(tie) / 2 of a system whose log strength is `apart` above the other's; elementwise.

    >>> expected_score(np.log([1.0, 3.0]), 0).tolist()
    [0.5, 0.75]
    """
    ratio = np.exp(-np.asarray(apart) / 2)
    half_tie = np.where(np.isinf(nu), 0, nu) * ratio / 2
    return np.where(np.isinf(nu), 0.5, (1 + half_tie) / (1 + 2 * half_tie + ratio**2))


def bradley_terry(votes: Votes | Counts | Frame, model: str = DEFAULT_MODEL, *, prior: float | None = None) -> Strengths:
    """Maximum-likelihood strengths: P(i beats j) = π_i / D, P(tie) = ν √(π_i π_j) / D, where D is the sum of all three.

    The log strengths log π add up to 0 in each connected component. Model "bradley-terry" has ν = 0 and counts a tie as half a
    win of each. Standard errors are those of independent votes, from the inverse information.

    If some systems won every vote against the others, no estimate is finite. Only then each system gets `PRIOR` votes against an
    average system, half won and half lost; `unbounded` says why. `prior` sets how many votes are always added; with 0, strengths
    that are not finite are NaN. Votes that are all ties have strengths 0 and an infinite ν. BadVotes for an unknown model and a
    negative prior.
    Sources: Bradley and Terry, Biometrika 39, 1952. Davidson, On extending the Bradley-Terry model to accommodate ties in paired
    comparison experiments, JASA 65, 1970. On existence: Ford, American Mathematical Monthly 64, 1957.

    >>> from ireval.preferences.votes import small
    >>> strengths = bradley_terry(small(), "bradley-terry")
    >>> strengths.strength.round(4).tolist(), strengths.against_average.round(4).tolist()  # 4½ wins of 6: log 3, half of it each
    ([0.5493, -0.5493], [0.634, 0.366])
    """
    counts = votes if isinstance(votes, Counts) else counts_of(votes)
    if prior is not None and not prior >= 0:
        raise BadVotes(f"the prior is {prior}; expected a number of votes from 0")
    table = tallied(counts, model)
    component = components(counts.compared)
    unbounded = why_unbounded(counts, table, component)
    added = prior if prior is not None else PRIOR if unbounded else 0.0
    if unbounded and added == 0:
        undefined = np.full(len(counts.systems), np.nan)
        return Strengths(counts.systems, model, undefined, np.diag(undefined), np.nan, component, 0.0, unbounded)
    likelihood = Likelihood(table, component, np.array([added]))
    fitted = maximise(likelihood)
    strength, nu = fitted.strength[0], float(fitted.nu[0])
    s = len(counts.systems)
    covariance = inverse_information(likelihood, fitted)[:s, :s]
    return Strengths(counts.systems, model, strength, covariance, nu, component, added, unbounded)


class Tables(NamedTuple):
    """Counts of B resamples as the model takes them, (B, S, S) each."""

    wins: Floats
    ties: Floats


def tallied(counts: Counts, model: str) -> Tables:
    return as_tables(counts.wins[None], counts.ties[None], model)


def as_tables(wins: Floats, ties: Floats, model: str) -> Tables:
    if not is_name_in(model, MODELS):
        raise BadVotes(f"there is no model {model}; expected one of {', '.join(MODELS)}")
    return Tables(wins, ties) if model == "davidson" else Tables(wins + ties / 2, np.zeros_like(ties))


class Parameters(NamedTuple):
    """The models' parameters for B tables: log strengths (B, S), and ν (B,), 0 without ties and infinite with ties only."""

    strength: Floats
    nu: Floats


class Likelihood:
    """Davidson's log-likelihood of B tables; `prior` (B,) votes against an average system are added to each system's."""

    def __init__(self, tables: Tables, component: Ints, prior: Floats):
        wins, ties = tables
        self.points = wins.sum(axis=2) + ties.sum(axis=2) / 2
        self.compared = wins + wins.transpose(0, 2, 1) + ties
        self.decided, self.tied = wins.sum(axis=(1, 2)), ties.sum(axis=(1, 2)) / 2
        self.has_nu = (self.tied > 0) & (self.decided > 0)
        self.prior = prior[:, None]
        self.component = np.eye(int(component.max()) + 1)[component]
        self.sizes = self.component.sum(axis=0)

    def nu_of(self, log_nu: Floats) -> Floats:
        """ν of each table, (B,): 0 without ties, infinite with ties only."""
        return np.where(self.has_nu, np.exp(log_nu), np.where((self.tied > 0) & (self.decided == 0), np.inf, 0.0))

    def log_of(self, nu: Floats) -> Floats:
        return np.log(np.where(self.has_nu & np.isfinite(nu) & (nu > 0), nu, 1))

    @cached_property
    def common(self) -> Floats:
        """The matrix, (S, S), that replaces strengths by the means of their components."""
        return (self.component / self.sizes) @ self.component.T

    def centred(self, values: Floats) -> Floats:
        """Values without the means of components along the last axis.

        What all systems of a component have in common is not identified: neither steps nor the prior may change it.
        """
        return values - (values @ self.component / self.sizes) @ self.component.T

    def derivatives(self, strength: Floats, log_nu: Floats) -> tuple[Floats, Floats]:
        """The information (B, S + 1, S + 1) and the score (B, S + 1) at these parameters; the last place is that of log ν.

        A vote gives a system X = 1, ½ or 0. The score is X minus its expectation. The information has the variances of X and of
        a tie, and their covariance.
        """
        b, s = strength.shape
        nu = np.where(self.has_nu, np.exp(log_nu), 0)[:, None, None]
        root = np.exp(strength / 2)
        ratio = root[:, None, :] / root[:, :, None]
        win = 1 / (1 + nu * ratio + ratio**2)
        tie = nu * ratio * win
        mean = win + tie / 2
        variance = self.compared * (win + tie / 4 - mean**2)
        average = expected_score(strength, 0.0)
        information, score = np.zeros((b, s + 1, s + 1)), np.zeros((b, s + 1))
        places = np.arange(s)
        information[:, :s, :s] = -variance
        information[:, places, places] = variance.sum(axis=2) + self.prior * average * (1 - average)
        rows = self.centred(information[:, :s, :s])
        information[:, :s, :s] = self.centred(rows.transpose(0, 2, 1)) + self.common
        information[:, :s, s] = information[:, s, :s] = self.centred((self.compared * tie * (0.5 - mean)).sum(axis=2))
        information[:, s, s] = np.where(self.has_nu, (self.compared * tie * (1 - tie)).sum(axis=(1, 2)) / 2, 1)
        score[:, :s] = self.centred(self.points - (self.compared * mean).sum(axis=2) + self.prior * (0.5 - average))
        score[:, s] = np.where(self.has_nu, self.tied - (self.compared * tie).sum(axis=(1, 2)) / 2, 0)
        return information, score


def maximise(likelihood: Likelihood, start: Parameters | None = None) -> Parameters:
    """The maximum-likelihood parameters of each table, by Newton's method from equal strengths or from `start`."""
    shape = likelihood.points.shape
    strength = np.zeros(shape) if start is None else np.broadcast_to(start.strength, shape).copy()
    log_nu = likelihood.log_of(np.ones(shape[0]) if start is None else np.broadcast_to(start.nu, shape[:1]))
    for _ in range(ITERATIONS):
        information, score = likelihood.derivatives(strength, log_nu)
        step = np.linalg.solve(information, score[:, :, None])[:, :, 0]
        step *= LONGEST_STEP / np.maximum(np.abs(step).max(axis=1, keepdims=True), LONGEST_STEP)
        strength += step[:, :-1]
        log_nu += step[:, -1]
        settled = np.abs(step).max(axis=1) < TOLERANCE
        if (settled | (np.abs(score).max(axis=1) < ROUNDING * likelihood.compared.max(axis=(1, 2)))).all():
            break
    return Parameters(strength, likelihood.nu_of(log_nu))


def inverse_information(likelihood: Likelihood, fitted: Parameters) -> Floats:
    """The covariance of the first table's strengths and log ν, (S + 1, S + 1), if each component's mean is 0."""
    information, _ = likelihood.derivatives(fitted.strength, likelihood.log_of(fitted.nu))
    inverse = np.linalg.inv(information[0])
    inverse[:-1, :-1] -= likelihood.common
    return inverse


def components(compared: Floats) -> Ints:
    """The component of each system, numbers from 0, (S,): systems compared with each other, directly or through others."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    return connected_components(csr_array(compared > 0), directed=False)[1].astype(np.int64)


def are_bounded(tables: Tables, component: Ints) -> NDArray[np.bool_]:
    """Whether the estimate of each table is finite, (B,).

    Every system of a component must be reached from every other along wins and ties. With ties there is one more condition. No
    numbers may fit by which every win is at least 1 apart and every tie at most 1. Otherwise spreading them makes the votes ever
    likelier. Two systems that each won against the other rule that out.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    wins, ties = tables
    b, s, _ = wins.shape
    table, row, column = np.nonzero((wins > 0) | (ties > 0))
    graph = csr_array((np.ones(len(row)), (table * s + row, table * s + column)), shape=(b * s, b * s))
    strong = connected_components(graph, directed=True, connection="strong")[1].reshape(b, s)
    parts = np.array([len(np.unique(part)) for part in strong])
    bounded = parts == int(component.max(initial=-1)) + 1
    doubtful = (
        bounded & ties.any(axis=(1, 2)) & wins.any(axis=(1, 2)) & ~((wins > 0) & (wins.transpose(0, 2, 1) > 0)).any(axis=(1, 2))
    )
    for number in np.flatnonzero(doubtful):
        bounded[number] = not can_spread(wins[number], ties[number])
    return bounded


def can_spread(wins: Floats, ties: Floats) -> bool:
    """Whether numbers d exist with d_i − d_j ≥ 1 wherever i beat j and |d_i − d_j| ≤ 1 wherever they tied.

    They do if no cycle along wins and ties has more wins than ties.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import
    from scipy.sparse.csgraph import NegativeCycleError, bellman_ford  # noqa: PLC0415

    length = np.where(wins > 0, -1.0, np.where(ties > 0, 1.0, 0.0))
    try:
        bellman_ford(csr_array(length))
    except NegativeCycleError:
        return False
    return True


def why_unbounded(counts: Counts, table: Tables, component: Ints) -> str:
    if are_bounded(table, component)[0]:
        return ""
    winners = undefeated(table.wins[0] + table.ties[0], component)
    if winners is None:
        return "no two systems each won against the other, and wins and ties fit strengths that are as far apart as you like"
    names = ", ".join(counts.systems[winner] for winner in winners[:5]) + (" …" if len(winners) > 5 else "")
    return f"{names} never lost and never tied against the others"


def undefeated(beats: Floats, component: Ints) -> Ints | None:
    """Systems that won every vote against the others of their component; None if there are none."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    strong = connected_components(csr_array(beats > 0), directed=True, connection="strong")[1]
    for group in np.unique(strong):
        own = strong == group
        others = (component == component[own.argmax()]) & ~own
        if others.any() and not beats[np.ix_(others, own)].any():
            return np.flatnonzero(own)
    return None
