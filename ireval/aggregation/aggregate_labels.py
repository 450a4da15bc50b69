"""The result of every method to aggregate: one label per item, how likely each value is, and what was learnt of the workers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from ireval.arrays import Floats, Ints
from ireval.io.arguments import is_name_in
from ireval.labels import UNKNOWN, BadLabels, Labels

# Posteriors closer to each other than this are equal: they were computed in another order.
ROUNDING = 1e-9
DEFAULT_TIES = "split"


@dataclass(frozen=True, eq=False)
class Aggregated:
    """One label per item of `labels`, with its uncertainty.

    - posterior (I, K): how likely each value is by the method's estimate; rows add up to 1.
    - chosen (I, K): the label as shares. A row has a single 1; a split tie has several equal parts, a tie left open none.
    - score (I,): a grade between the values, where the method has one; else None.
    - accuracy (W,): how often each worker is right by the method's estimate; NaN where it has none.
    - confusion (W, K, K): how likely each worker gives each label (column) to items of each value (row). None without a model.
    - parameters: further estimates of each worker, (W,) each.
    - objective: what an iterative method maximises, after each iteration; it never falls.
    """

    labels: Labels
    method: str
    posterior: Floats
    chosen: Floats
    score: Floats | None = None
    accuracy: Floats | None = None
    confusion: Floats | None = None
    parameters: dict[str, Floats] = field(default_factory=dict)
    objective: tuple[float, ...] = ()

    @cached_property
    def label(self) -> Ints:
        """Codes of the labels, (I,); UNKNOWN for a tie that is left open or split."""
        single = self.chosen.max(axis=1, initial=0) == 1
        return np.where(single, self.chosen.argmax(axis=1), UNKNOWN)

    @cached_property
    def confidence(self) -> Floats:
        """The posterior of the label, (I,); of a tie, that of any of the tied values."""
        return (self.posterior * self.chosen).sum(axis=1) + np.where(self.chosen.any(axis=1), 0, self.posterior.max(axis=1))

    @cached_property
    def tied(self) -> np.ndarray:
        """The items whose tie is left open or split, (I,)."""
        return self.label == UNKNOWN

    @cached_property
    def disputed(self) -> np.ndarray:
        """The items whose likeliest values tie, (I,), however the tie was settled."""
        return leaders(self.posterior).max(axis=1) < 1

    def error_rate(self, gold: Ints) -> float:
        """The share of items with gold whose label is another; NaN where no item has gold.

        A split tie counts by its parts, a tie left open as wrong.
        """
        items = np.flatnonzero(gold != UNKNOWN)
        return float(1 - self.chosen[items, gold[items]].mean()) if len(items) else np.nan

    def frame(self) -> pl.DataFrame:
        """One row per item: item, label, confidence, n, score if the method has one, and the posterior of each value.

        The label is null for a tie left open and "0|1" for a split one.
        """
        values = np.array(self.labels.values, dtype=object)
        names = [values[code] if code != UNKNOWN else None for code in self.label]
        for row in np.flatnonzero(self.tied & self.chosen.any(axis=1)):
            names[row] = "|".join(values[self.chosen[row] > 0])
        columns = {
            "item": pl.Series(self.labels.items, dtype=pl.String),
            "label": pl.Series(names, dtype=pl.String),
            "confidence": self.confidence,
            "n": self.labels.counts.sum(axis=1),
            **({} if self.score is None else {"score": self.score}),
            **{f"p({value})": self.posterior[:, place] for place, value in enumerate(values)},
        }
        return pl.DataFrame(columns)


def leaders(posterior: Floats) -> Floats:
    """The likeliest values of each item as shares: several equal parts where they tie."""
    leading = posterior >= posterior.max(axis=1, keepdims=True) - ROUNDING
    return leading / leading.sum(axis=1, keepdims=True)


def left_open(leading: Floats) -> Floats:
    return np.where(leading == 1, 1.0, 0.0)


def lowest(leading: Floats) -> Floats:
    return one_hot((leading > 0).argmax(axis=1), leading.shape[1])


def middle(leading: Floats) -> Floats:
    return one_hot(middles(leading), leading.shape[1])


# What becomes of an item whose likeliest values tie: shares of the tied values in, shares of the label out.
TIES: dict[str, tuple[str, Callable[[Floats], Floats]]] = {
    "split": ("the tied values share the item", lambda leading: leading),
    "tie": ("left open", left_open),
    "lowest": ("the lowest of the tied values", lowest),
    "median": ("the median of the tied values, rounded down on the scale", middle),
}


def settle(labels: Labels, posterior: Floats, ties: str) -> Floats:
    """The label of each item as shares, (I, K): its likeliest value, or what the rule `ties` makes of several."""
    if not is_name_in(ties, TIES):
        raise BadLabels(f"there is no rule {ties} for ties; expected one of {', '.join(TIES)}")
    if ties in {"lowest", "median"}:
        labels.require_order(f"the rule {ties} for ties")
    return TIES[ties][1](leaders(posterior))


def middles(weights: Floats) -> Ints:
    """Codes of the weighted medians of the rows, (I,).

    Where the median lies between two values, it is the middle of these, rounded down on the scale.

    >>> middles(np.array([[0.5, 0, 0, 0.5], [0.2, 0.3, 0.5, 0], [0, 0, 0, 1]])).tolist()
    [1, 1, 3]
    """
    below = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    low = (below >= 0.5 - ROUNDING).argmax(axis=1)
    high = (below > 0.5 + ROUNDING).argmax(axis=1)
    return (low + high) // 2


def one_hot(codes: Ints, size: int) -> Floats:
    return np.eye(size)[codes]


def with_gold(posterior: Floats, gold: Ints | None) -> Floats:
    """The posterior, (I, K), with every item that has gold fixed at its gold."""
    if gold is not None:
        items = np.flatnonzero(gold != UNKNOWN)
        posterior = posterior.copy()
        posterior[items] = one_hot(gold[items], posterior.shape[1])
    return posterior


def vote_shares(labels: Labels) -> Floats:
    return labels.counts / labels.counts.sum(axis=1, keepdims=True)
