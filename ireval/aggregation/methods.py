"""The methods to aggregate labels, as people choose them."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature

import numpy as np

from ireval.aggregation.aggregate_labels import DEFAULT_TIES, TIES, Aggregated
from ireval.aggregation.dawid_skene import dawid_skene
from ireval.aggregation.majority import gold_weighted, majority, mean, median
from ireval.aggregation.ordinal import ordinal
from ireval.io.arguments import is_name_in
from ireval.io.frames import Source
from ireval.labels import BadLabels, GoldSource, Labels, as_gold, as_labels


@dataclass(frozen=True)
class Method:
    """A method to aggregate. `ties`: it takes a rule for ties, since values may be equally likely.

    `iterative`: it can be given posteriors to start from.
    """

    title: str
    compute: Callable[..., Aggregated]
    ties: bool = True
    iterative: bool = False

    @property
    def parameters(self) -> dict[str, float]:
        """Its numeric arguments besides labels and gold, each with its default.

        >>> METHODS["gold-weighted"].parameters
        {'strength': 4}
        """
        arguments = signature(self.compute).parameters.items()
        return {name: parameter.default for name, parameter in arguments if isinstance(parameter.default, int | float)}


METHODS = {
    "majority": Method("the commonest label", majority),
    "mean": Method("the value nearest to the mean grade", mean, ties=False),
    "median": Method("the middle grade", median, ties=False),
    "dawid-skene": Method("Dawid and Skene's model, a confusion matrix a worker", dawid_skene, iterative=True),
    "ordinal": Method("one scale of grades for all, thresholds, ability and habits of each worker", ordinal, iterative=True),
    "gold-weighted": Method("votes weighted by accuracy on gold", gold_weighted),
}


def default_method(labels: Labels | Source) -> str:
    """The method that errs least on most crowds, real and simulated (docs/reference/labels.md).

    "ordinal", and for labels without order "dawid-skene". Where fewer than half of the items have two labels, nothing tells how
    workers differ: "majority" takes each label as it is.

    >>> from ireval.agreement.coefficients import small
    >>> default_method(small())
    'ordinal'
    """
    labels = as_labels(labels)
    if 2 * np.count_nonzero(labels.counts.sum(axis=1) > 1) < len(labels.items):
        return "majority"
    return "ordinal" if labels.ordered else "dawid-skene"


def aggregate(
    labels: Labels | Source, method: str | None = None, gold: GoldSource | None = None, *, ties: str = DEFAULT_TIES
) -> Aggregated:
    """One label per item, by one of METHODS (`default_method` if None). docs/reference/labels.md says what each assumes.

    `gold` are true labels of some items (gold_of), (I,): these items keep them, and models learn from them. `ties` is one of
    TIES. BadLabels for a method or rule that does not exist, and for labels that the method cannot take.

    >>> from ireval.agreement.coefficients import small
    >>> aggregate(small(), "median").frame()["label"].to_list()
    ['0', '1', '0']
    """
    labels = as_labels(labels)
    gold = as_gold(gold, labels)
    method = method or default_method(labels)
    if not is_name_in(method, METHODS):
        raise BadLabels(f"there is no method {method}; expected one of {', '.join(METHODS)}")
    if not is_name_in(ties, TIES):
        raise BadLabels(f"there is no rule {ties} for ties; expected one of {', '.join(TIES)}")
    chosen = METHODS[method]
    return chosen.compute(labels, gold, **({"ties": ties} if chosen.ties else {}))
