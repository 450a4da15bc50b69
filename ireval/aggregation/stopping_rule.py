"""When an item has enough labels: a rule on the posterior of its leading label, checked after each label.

The model: a worker is right with probability a, and every wrong value is equally likely. With two values and the same a for all,
this is Wald's sequential test: stop when one label leads by a fixed number. Sources: Wald, Annals of Mathematical Statistics 16,
1945; for crowds Abraham et al., How many workers to ask?, SIGIR 2016.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ireval.aggregation.aggregate_labels import ROUNDING, leaders
from ireval.arrays import Floats, Ints
from ireval.io.arguments import as_numbers, require_count, require_numbers, require_type
from ireval.io.cells import shown
from ireval.io.files import BadInput
from ireval.io.frames import Source
from ireval.labels import UNKNOWN, BadLabels, Labels, as_labels

Reason = Literal["sure", "most", "more"]


@dataclass(frozen=True)
class StoppingRule:
    """Stop at the posterior `threshold`, not before `minimum` labels, and always at `maximum` labels (None: no maximum)."""

    threshold: float = 0.9
    minimum: int = 2
    maximum: int | None = None

    def __post_init__(self) -> None:
        require_numbers(threshold=self.threshold, minimum=self.minimum)
        if self.maximum is not None:
            require_numbers(maximum=self.maximum)
        if not 0 < self.threshold <= 1:
            raise BadInput(f"the threshold is {self.threshold:g}; expected more than 0 and at most 1")
        if self.maximum is not None and self.maximum < max(1, self.minimum):
            raise BadInput(f"the maximum is {self.maximum}; expected at least 1 and no less than the minimum, {self.minimum}")

    def reason(self, posterior: float, n: int) -> Reason:
        """Why to stop, or "more"."""
        if n >= self.minimum and posterior >= self.threshold - ROUNDING:
            return "sure"
        return "most" if self.maximum is not None and n >= self.maximum else "more"


class Decision(NamedTuple):
    """Whether to stop. `label` is the code of the leading value, UNKNOWN while several lead.

    `reason` is "sure" (the posterior reaches the threshold), "most" (the maximum is reached) or "more" (go on).
    """

    label: int
    posterior: float
    stop: bool
    reason: Reason


def decide(
    votes: Sequence[int],
    accuracies: ArrayLike,
    values: int,
    rule: StoppingRule = StoppingRule(),
    *,
    prior: ArrayLike | None = None,
) -> Decision:
    """Whether an item needs another label, given the codes of those it has and how accurate their workers are.

    `accuracies` are one number per vote, or one for all. `prior` is how likely each of the `values` is before any vote; equally
    likely if not given. BadInput for accuracies that are not between 0 and 1, and codes that are none of the values.

    >>> decide([1, 1], 0.8, 2)
    Decision(label=1, posterior=0.9411764705882353, stop=True, reason='sure')
    >>> decide([1, 0], 0.8, 2).reason
    'more'
    """
    require_count("values", values)
    require_type("rule", rule, StoppingRule, "a StoppingRule")
    codes = as_numbers("labels", votes)
    if codes.ndim > 1 or (codes % 1 != 0).any():
        raise BadInput(f"the labels are {shown(votes)}; expected codes from 0 to {values - 1}")
    codes = codes.astype(np.int64)
    if len(codes) and (codes.min() < 0 or codes.max() >= values):
        raise BadInput(f"the labels are {codes.tolist()}; expected codes from 0 to {values - 1}")
    scores = np.bincount(codes, weights_of(one_each(accuracies, len(codes), "vote"), values), values) + log_of(prior, values)
    posterior = softmax(scores[None])
    leading = leaders(posterior)[0]
    sure = float(posterior.max())
    reason = rule.reason(sure, len(codes))
    return Decision(int(leading.argmax()) if leading.max() == 1 else UNKNOWN, sure, reason != "more", reason)


@dataclass(frozen=True, eq=False)
class Replay:
    """What a rule would have done: `used`, how many labels of each item it used, (I,), and the `posterior` then, (I, K).

    `chosen` are the leading values as shares, (I, K).
    """

    used: Ints
    posterior: Floats
    chosen: Floats

    @property
    def total(self) -> int:
        """How many labels the rule would have asked for."""
        return int(self.used.sum())


def replay(labels: Labels | Source, accuracies: ArrayLike, rule: StoppingRule, *, prior: ArrayLike | None = None) -> Replay:
    """Give every item its labels in their order, until the rule says stop or there are no more.

    `accuracies` are one number per worker, (W,), or one for all. `prior` (K,) says how likely each value is, all alike if not
    given. BadInput for accuracies that are not between 0 and 1, and a prior that is not K numbers above 0.

    >>> from ireval.agreement.coefficients import small
    >>> replay(small(), 0.8, StoppingRule(0.9)).used.tolist()
    [2, 2, 1]
    """
    labels = as_labels(labels)
    require_type("rule", rule, StoppingRule, "a StoppingRule")
    k, items = len(labels.values), len(labels.items)
    order, position = in_turn(labels)
    item, worker, label = labels.item[order], labels.worker[order], labels.label[order]
    weight = weights_of(one_each(accuracies, len(labels.workers), "worker"), k)[worker]
    scores = np.tile(log_of(prior, k), (items, 1))
    used, running = np.zeros(items, np.int64), np.ones(items, bool)
    # One step per turn, for all items at once: the first label of each, then the second of those that go on.
    bounds = np.searchsorted(position, np.arange(position.max(initial=-1) + 2))
    for turn, (start, end) in enumerate(pairwise(bounds)):
        running &= ~stopped(scores, turn, rule)
        rows = np.arange(start, end)[running[item[start:end]]]
        scores[item[rows], label[rows]] += weight[rows]
        used[item[rows]] += 1
    posterior = softmax(scores)
    return Replay(used, posterior, leaders(posterior))


def stopped(scores: Floats, turn: int, rule: StoppingRule) -> np.ndarray:
    """Which items have enough labels after `turn` labels, (I,)."""
    sure = (softmax(scores).max(axis=1) >= rule.threshold - ROUNDING) & (turn >= rule.minimum)
    return sure | (rule.maximum is not None and turn >= rule.maximum)


def fixed_overlap(labels: Labels | Source, n: int) -> Replay:
    """The baseline without a rule: the first `n` labels of each item and the commonest of them.

    >>> from ireval.agreement.coefficients import small
    >>> fixed_overlap(small(), 1).used.tolist()
    [1, 1, 1]
    """
    require_count("n", n)
    labels = as_labels(labels)
    return replay(labels, 0.75, StoppingRule(minimum=n, maximum=n))


def accuracy_from_agreement(agreement: float, values: int) -> float:
    """How often equally good workers are right, estimated without gold from how often they agree with each other.

    Two agree when both are right or both make the same error: p = a² + (1 − a)² / (K − 1), solved for the a above chance.
    BadLabels where they agree less often than by chance, or there are not two values.

    >>> round(accuracy_from_agreement(0.68, 2), 4)
    0.8
    """
    require_numbers(agreement=agreement, values=values)
    if not 0 <= agreement <= 1 or not values >= 1:
        raise BadLabels(f"the agreement is {agreement:g}; expected a share from 0 to 1, on two values or more")

    if values < 2 or agreement * values < 1:
        raise BadLabels(f"an agreement of {agreement:.3f} on {values} values is less than chance; it tells no accuracy")
    return float((1 + np.sqrt(1 - values * (1 - agreement * (values - 1)))) / values)


def in_turn(labels: Labels) -> tuple[Ints, Ints]:
    """The rows of the labels, sorted by their place among the labels of their item, and that place, from 0; (N,) each."""
    by_item = np.argsort(labels.item, kind="stable")
    sizes = np.bincount(labels.item, minlength=len(labels.items))
    place = np.empty(len(labels), np.int64)
    place[by_item] = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    order = np.argsort(place, kind="stable")
    return order, place[order]


def one_each(accuracies: ArrayLike, n: int, what: str) -> Floats:
    """The accuracies as n numbers, from as many or a single one."""
    right = as_numbers("accuracies", accuracies, least=0)
    if right.shape not in ((), (n,)):
        raise BadInput(f"there are {right.size:,} accuracies; expected one per {what}, {n:,}, or a single one")
    return np.broadcast_to(right, (n,))


def weights_of(accuracies: ArrayLike, values: int) -> Floats:
    """What a vote adds to the logarithm of its value's odds."""
    right = as_numbers("accuracies", accuracies)
    if not ((right > 0) & (right < 1)).all():
        raise BadInput("expected accuracies between 0 and 1, neither included")
    return np.log(right * max(1, values - 1) / (1 - right))


def log_of(prior: ArrayLike | None, values: int) -> Floats:
    shares = np.full(values, 1 / values) if prior is None else as_numbers("prior", prior)
    if shares.shape != (values,) or not (shares > 0).all():
        raise BadInput(f"expected a prior of {values} numbers above 0")
    return np.log(shares)


def softmax(scores: Floats) -> Floats:
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    return likely / likely.sum(axis=1, keepdims=True)
