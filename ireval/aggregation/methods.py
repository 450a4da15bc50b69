"""The ways to aggregate, as people choose them."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature

from ireval.aggregation.aggregated import DEFAULT_TIES, TIES, Aggregated
from ireval.aggregation.dawid_skene import dawid_skene
from ireval.aggregation.majority import gold_weighted, majority, mean, median
from ireval.aggregation.ordinal import ordinal
from ireval.arrays import Ints
from ireval.labels import BadLabels, Labels

DEFAULT_METHOD = "majority"


@dataclass(frozen=True)
class Method:
    """`ties` tells whether it may find values equally likely, which then a rule for ties settles; an `iterative` one can be given
    posteriors to start from."""

    title: str
    compute: Callable[..., Aggregated]
    ties: bool = True
    iterative: bool = False

    @property
    def parameters(self) -> dict[str, float]:
        """What it can be told besides labels and gold, and what it takes where it is not told.

        >>> METHODS["gold-weighted"].parameters
        {'strength': 4}
        """
        told = signature(self.compute).parameters.items()
        return {name: one.default for name, one in told if isinstance(one.default, int | float)}


METHODS = {
    "majority": Method("the commonest label", majority),
    "mean": Method("the value nearest to the mean grade", mean, ties=False),
    "median": Method("the middle grade", median, ties=False),
    "dawid-skene": Method("Dawid and Skene's model, a confusion matrix a worker", dawid_skene, iterative=True),
    "ordinal": Method("cumulative logits, thresholds and ability of each worker", ordinal, iterative=True),
    "gold-weighted": Method("votes weighted by accuracy on gold", gold_weighted),
}


def aggregate(labels: Labels, method: str = DEFAULT_METHOD, gold: Ints | None = None, *, ties: str = DEFAULT_TIES) -> Aggregated:
    """One label an item, by one of METHODS; what each assumes is said where it is defined and in docs/labels.md.

    `gold` are true labels of some items (gold_of), (I,): these are held at them, and models learn from them. `ties` is one of
    TIES. BadLabels for a method or rule that does not exist, or labels that the method cannot take.

    >>> from ireval.agreement.coefficients import small
    >>> aggregate(small(), "median").frame()["label"].to_list()
    ['0', '1', '0']
    """
    if method not in METHODS:
        raise BadLabels(f"there is no method {method}; expected one of {', '.join(METHODS)}")
    if ties not in TIES:
        raise BadLabels(f"there is no rule {ties} for ties; expected one of {', '.join(TIES)}")
    chosen = METHODS[method]
    return chosen.compute(labels, gold, **({"ties": ties} if chosen.ties else {}))
