"""A model of graded relevance: each worker sees the true grade with noise and has thresholds of their own between labels."""

from dataclasses import dataclass, replace

import numpy as np

from ireval.aggregation.aggregate_labels import DEFAULT_TIES, Aggregated, settle
from ireval.aggregation.dawid_skene import fit_tables
from ireval.aggregation.expectation import ITERATIONS, TINY, TOLERANCE, Fit, Rounds, fit
from ireval.arrays import Floats, Ints
from ireval.io.frames import Source
from ireval.labels import GoldSource, Labels, as_gold, as_labels

# Standard deviation, in logits, of the workers' thresholds and abilities around the crowd's.
SPREAD = 2.0
# Labels per true value that are added to every worker's own table, divided as the worker's thresholds and ability say.
SMOOTHING = 20.0
# How far apart two neighbouring grades are seen before anything is known, in logits.
FIRST_ABILITY = 2.0
# So many workers of that ability, with thresholds between the grades, are added to the crowd's mean. So many items of each value
# are added to how often it is true. With a dozen items either would otherwise be whatever suits a few votes best.
ADDED_WORKERS = 4.0
ADDED_ITEMS = 2.0
# Of so many labels per worker, half of one label of each item is taken to mean what is expected. The fewer there are, the less
# they tell of what workers mean by them: where all are alike, any grade would explain them as well.
AS_EXPECTED = 10.0
# Added to every count: the thresholds around a label that nobody uses would otherwise meet or wander off.
POSSIBLE = 0.01
# Steps that fit the crowd as one worker before the first iteration, and halvings of a step that went too far.
CROWD_STEPS = 20
HALVINGS = 8


def ordinal(
    labels: Labels | Source,
    gold: GoldSource | None = None,
    *,
    ties: str = DEFAULT_TIES,
    spread: float = SPREAD,
    smoothing: float = SMOOTHING,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
    start: Floats | None = None,
) -> Aggregated:
    """Estimate the items' grades and a table of each worker by EM, in two steps: a scale for all, then every worker's own habits.

    1. P(label ≤ k | true grade t) = logistic(c_k − d μ_t). Every worker has K − 1 thresholds c and an ability d, drawn towards
       the crowd's mean with a normal prior of standard deviation `spread`. The mean itself is drawn a little towards thresholds
       between the grades. The places μ of the true grades are the crowd's: the ends are fixed, those between are estimated, since
       grades are rarely evenly spaced.
    2. Dawid and Skene's model. It starts from the first step's posteriors and adds `smoothing` labels per true value to each
       worker's table. These are divided as the worker's own thresholds and ability say. So few labels do, and many can say what
       thresholds cannot. For two values the first step has a table of each worker already, and is all.

    Both start where the last one ended, the first from the shares of votes or from the posteriors `start`, (I, K). In the first,
    one step of Fisher scoring an iteration, halved until it improves, moves all workers, and another the places. The objective
    (log-likelihood plus log-prior) is that of the last step and never falls. Items with gold stay at it. `parameters` are
    ability, 0 for a worker who guesses, and leniency. That is by how many values on the scale the labels are above the truth on
    average. Every item also has a part of a label of a worker who reads the scale as expected, the larger the fewer labels
    workers gave (`as_expected`). BadLabels for labels without order.

    Sources: DeCarlo, A model of rater behavior in essay grading based on signal detection theory, Journal of Educational
    Measurement 42, 2005 (latent classes, posterior mode). McCullagh, JRSS B 42, 1980 (cumulative logits). Samejima, Estimation
    of latent ability using a response pattern of graded scores, Psychometrika Monograph 17, 1969. Dawid and Skene 1979.

    >>> from ireval.agreement.coefficients import small
    >>> ordinal(small()).label.tolist()
    [0, 1, 0]
    """
    labels = as_labels(labels)
    gold = as_gold(gold, labels)
    labels.require_order("the ordinal model")
    k = len(labels.values)
    rounds = Rounds(iterations, tolerance, start, ADDED_ITEMS, besides=as_expected(labels))
    solution, tables, ability = fit_scale(labels, gold, spread, rounds)
    if k > 2:
        solution, tables = fit_tables(labels, gold, smoothing * tables, rounds._replace(start=solution.posterior))
    apart = np.arange(k)[:, None] - np.arange(k)
    return Aggregated(
        labels,
        "ordinal",
        solution.posterior,
        settle(labels, solution.posterior, ties),
        score=solution.posterior @ labels.numbers if labels.has_numbers else None,
        accuracy=np.einsum("wkk,k->w", tables, solution.prior),
        confusion=tables.transpose(0, 2, 1),
        parameters={"ability": ability, "leniency": np.einsum("wlt,lt,t->w", tables, apart, solution.prior)},
        objective=solution.objective,
    )


def as_expected(labels: Labels) -> Floats:
    """What each item's labels say if they mean what is expected of them, log-likelihoods (I, K).

    They count as a part of one label of a worker of whom nothing is known: AS_EXPECTED / (AS_EXPECTED + labels per worker).
    """
    crowd = Crowd(evenly(len(labels.values)), 0.0)
    votes = labels.counts / np.maximum(labels.counts.sum(axis=1, keepdims=True), 1)
    per_worker = len(labels) / max(len(labels.workers), 1)
    return AS_EXPECTED / (AS_EXPECTED + per_worker) * votes @ crowd.log_likely(crowd.expected[None])[0]


def fit_scale(labels: Labels, gold: Ints | None, spread: float, rounds: Rounds) -> tuple[Fit, Floats, Floats]:
    """The solution of the first step, each worker's table, (W, K labels, K truths), and ability, (W,)."""
    k, workers = len(labels.values), len(labels.workers)
    crowd = Crowd(evenly(k), 1 / spread**2)
    state = np.empty((0, k))
    centre = np.empty(k)

    def maximise(expected: Floats) -> tuple[Floats, float]:
        nonlocal crowd, state, centre
        counts = expected + POSSIBLE
        if not len(state):
            centre = crowd.as_one_worker(counts)
            state = np.tile(centre, (workers, 1))
        state = crowd.improved(state, counts, centre)
        centre = crowd.centre_of(state)
        crowd = crowd.respaced(state, counts)
        log_likely = crowd.log_likely(state)
        distance = crowd.distance(state, centre).sum() + ADDED_WORKERS * crowd.distance(crowd.expected[None], centre).sum()
        penalty = float(distance) + crowd.unevenness
        return log_likely, POSSIBLE * float(log_likely.sum()) - penalty

    solution = fit(labels, gold, maximise, rounds)
    return solution, np.exp(crowd.log_likely(state)), state[:, -1]


def evenly(k: int) -> Floats:
    """Places of k grades, one apart around 0: thresholds and ability then hardly depend on each other."""
    return np.arange(k, dtype=np.float64) - (k - 1) / 2


@dataclass(frozen=True, eq=False)
class Crowd:
    """Workers on a scale of K values, as states (W, K): K − 1 thresholds from the lowest up, then the ability.

    `truths` (K,) are the places of the true values. The logarithm of a state's likelihood is concave in it (Pratt, JASA 76,
    1981), and so is the prior's, with `precision`.
    """

    truths: Floats
    precision: float

    @property
    def k(self) -> int:
        return len(self.truths)

    @property
    def expected(self) -> Floats:
        """The state of a worker of whom nothing is known, (K,): thresholds between grades that are evenly spaced."""
        return np.append(FIRST_ABILITY * (evenly(self.k)[:-1] + 0.5), FIRST_ABILITY)

    @property
    def unevenness(self) -> float:
        """What the prior subtracts for places that are not evenly spaced: a normal one, of standard deviation 1."""
        return float(((self.truths - evenly(self.k)) ** 2).sum() / 2)

    def logits(self, state: Floats) -> Floats:
        """Logits of P(label ≤ k | truth), (W, K + 1, K truths), with −∞ below all labels and ∞ above."""
        between = state[:, :-1, None] - state[:, -1:, None] * self.truths
        edge = np.full((len(state), 1, self.k), np.inf)
        return np.concatenate([-edge, between, edge], axis=1)

    def log_likely(self, state: Floats) -> Floats:
        """log P(label | truth), (W, K labels, K truths), for thresholds in order.

        The difference of two logistic functions is the product of one, the other's complement and 1 − exp(−distance). Computed
        as a difference it would be lost to rounding in the tails.
        """
        from scipy.special import log_expit  # noqa: PLC0415 - slow to import

        logits = self.logits(state)
        gaps = np.diff(state[:, :-1], axis=1, prepend=-np.inf, append=np.inf)[..., None]
        return log_expit(logits[:, 1:]) + log_expit(-logits[:, :-1]) + np.log(-np.expm1(-gaps))

    def distance(self, state: Floats, centre: Floats) -> Floats:
        """What the prior subtracts for the distance from the crowd, (W,)."""
        return self.precision / 2 * ((state - centre) ** 2).sum(axis=1)

    def objective(self, state: Floats, counts: Floats, centre: Floats) -> Floats:
        """The objective of each worker, (W,); minus infinity where the thresholds are not in order."""
        values = np.full(len(state), -np.inf)
        good = (np.diff(state[:, :-1], axis=1) > 0).all(axis=1)
        gained = (counts[good] * self.log_likely(state[good])).sum(axis=(1, 2))
        values[good] = gained - self.distance(state[good], centre)
        return values

    def as_one_worker(self, counts: Floats) -> Floats:
        """The state of a worker who gave all the labels of everybody."""
        state, total = self.expected[None], counts.sum(axis=0)[None]
        for _ in range(CROWD_STEPS):
            state = self.improved(state, total, self.expected)
        return state[0]

    def centre_of(self, state: Floats) -> Floats:
        """The crowd's mean state, (K,), with ADDED_WORKERS as expected."""
        return (state.sum(axis=0) + ADDED_WORKERS * self.expected) / (len(state) + ADDED_WORKERS)

    def improved(self, state: Floats, counts: Floats, centre: Floats) -> Floats:
        """Each worker's state after a step of Fisher scoring, (W, K); unchanged where no halved step improves it."""
        step = self.step(state, counts, centre)
        now = self.objective(state, counts, centre)
        better, size = state.copy(), 1.0
        worse = np.arange(len(state))
        for _ in range(HALVINGS):
            tried = state[worse] + size * step[worse]
            good = self.objective(tried, counts[worse], centre) >= now[worse]
            better[worse[good]] = tried[good]
            worse, size = worse[~good], size / 2
            if not len(worse):
                break
        return better

    def respaced(self, state: Floats, counts: Floats) -> "Crowd":
        """The crowd with better places of the grades between the ends: a step of Fisher scoring, halved until it improves."""
        step, now = self.spacing_step(state, counts), self.spacing_objective(state, counts)
        for halving in range(HALVINGS):
            tried = replace(self, truths=self.truths + step / 2**halving)
            if tried.spacing_objective(state, counts) >= now:
                return tried
        return self

    def spacing_objective(self, state: Floats, counts: Floats) -> float:
        return float((counts * self.log_likely(state)).sum()) - self.unevenness

    def spacing_step(self, state: Floats, counts: Floats) -> Floats:
        """The step of Fisher scoring for the places, (K,); 0 at the ends, which fix where the scale begins and how long it is."""
        from scipy.special import expit  # noqa: PLC0415 - slow to import

        likely = np.maximum(np.exp(self.log_likely(state)), TINY)
        logits = self.logits(state)[:, 1:-1]
        moves = -np.diff(expit(logits) * expit(-logits), axis=1, prepend=0, append=0) * state[:, -1:, None]
        gradient = (counts / likely * moves).sum(axis=(0, 1)) - (self.truths - evenly(self.k))
        information = (counts.sum(axis=1, keepdims=True) / likely * moves**2).sum(axis=(0, 1)) + 1
        step = gradient / information
        step[[0, -1]] = 0
        return step

    def step(self, state: Floats, counts: Floats, centre: Floats) -> Floats:
        """The step of Fisher scoring, (W, K): the inverse of the expected information times the gradient."""
        from scipy.special import expit  # noqa: PLC0415 - slow to import

        likely = np.maximum(np.exp(self.log_likely(state)), TINY)
        logits = self.logits(state)[:, 1:-1]
        slope = expit(logits) * expit(-logits)
        # How P(label | truth) moves with each threshold, (W, K labels, K truths, K − 1), and with the ability.
        thresholds = np.einsum("wmt,lm->wltm", slope, np.eye(self.k, self.k - 1) - np.eye(self.k, self.k - 1, -1))
        ability = -np.diff(slope, axis=1, prepend=0, append=0) * self.truths
        moves = np.concatenate([thresholds, ability[..., None]], axis=3)
        gradient = np.einsum("wlt,wltm->wm", counts / likely, moves) - self.precision * (state - centre)
        weight = counts.sum(axis=1, keepdims=True) / likely
        information = np.einsum("wlt,wltm,wltn->wmn", weight, moves, moves, optimize=True) + self.precision * np.eye(self.k)
        return np.linalg.solve(information, gradient[..., None])[..., 0]
