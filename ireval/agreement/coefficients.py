"""Coefficients of agreement: what each item adds, the value of the sums, and when a coefficient is undefined.

Items with a single label are left out, for it can agree with no other. Cohen's κ takes the items that both workers labelled.
Intervals are expanded percentile intervals over the items' topics, or over items where topics are not known. A coefficient that
is undefined is NaN and names the reason.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ireval.agreement.item_bootstrap import USUAL, Agreement, Resampling, Units, resampled, units_of
from ireval.arrays import Floats, Ints
from ireval.io.arguments import is_name_in
from ireval.io.files import BadInput
from ireval.io.frames import Source
from ireval.labels import Labels, as_labels

LEVELS = ("nominal", "ordinal", "interval")
WEIGHTS = {"unweighted": "", "linear": ", linear weights", "quadratic": ", quadratic weights"}
Value = Callable[[Floats], Floats]


@dataclass(frozen=True)
class AgreementCoefficient:
    """What all coefficients have in common: `items` and `labels` are how many count."""

    name: str
    title: str
    items: int
    labels: int

    def undefined(self, reason: str) -> Agreement:
        return Agreement(self.name, self.title, np.nan, np.nan, np.nan, self.items, self.labels, reason)

    def over(self, units: Units, added: Floats, value: Value, resampling: Resampling) -> Agreement:
        """The coefficient with its interval, from what each item adds, (items, S), and what is drawn."""
        observed, low, high, left_out = resampled(units, added, value, resampling)
        about = (self.name, self.title, observed, low, high, self.items, self.labels)
        return Agreement(*about, left_out=left_out, topics=units.topics, caution=units.caution)


def percent_agreement(labels: Labels | Source, resampling: Resampling = USUAL) -> Agreement:
    """The share of pairs of labels of an item that are the same, over all such pairs.

    Undefined (NaN) where no item has two labels. An item with ten labels has 45 pairs, one with two has one.
    Source: Fleiss, Measuring nominal scale agreement among many raters, Psychological Bulletin 76, 1971, for items with as many
    labels each.

    >>> percent_agreement(small()).value  # of (0, 0, 1), (1, 1) and (0), two of four pairs
    0.5
    """
    labels = as_labels(labels)
    counts = paired(labels)
    about = AgreementCoefficient("percent", "percent agreement of pairs", len(counts), int(counts.sum()))
    if reason := nothing_to_compare(labels, counts):
        return about.undefined(reason)
    sizes = counts.sum(axis=1)
    pairs = np.column_stack([(counts * (counts - 1)).sum(axis=1), sizes * (sizes - 1)])
    return about.over(units_of(labels, several_labels(labels)), pairs, lambda sums: sums[:, 0] / sums[:, 1], resampling)


def cohen_kappa(labels: Labels | Source, weights: str = "unweighted", resampling: Resampling = USUAL) -> Agreement:
    """κ = 1 − Σ w o / Σ w e of two workers: o is the table of their labels, e the one expected by chance.

    `weights` of a disagreement: 1 ("unweighted"), the distance of the two values on the scale ("linear"), or its square
    ("quadratic").
    Undefined (NaN) unless there are exactly two workers, and where both use one label only. BadLabels for weights without order.
    Source: Cohen, Educational and Psychological Measurement 20, 1960; Psychological Bulletin 70, 1968.

    >>> from ireval.labels import labels_of
    >>> import polars as pl
    >>> both = pl.DataFrame({"item": [*"abcd"] * 2, "worker": ["x"] * 4 + ["y"] * 4, "label": [0, 0, 1, 1, 0, 1, 1, 1]})
    >>> cohen_kappa(labels_of(both)).value
    0.5
    """
    labels = as_labels(labels)
    weight = weights_of(labels, weights)
    name = "cohen" if weights == "unweighted" else f"cohen-{weights}"
    item, first, second = by_two(labels) if len(labels.workers) == 2 else np.empty((3, 0), np.int64)
    about = AgreementCoefficient(name, f"Cohen's κ{WEIGHTS[weights]}", len(first), 2 * len(first))
    if len(labels.workers) != 2:
        return about.undefined(f"there are {len(labels.workers):,} workers, and it compares two")
    if not len(first):
        return about.undefined("the two workers have no item in common")
    if reason := single_value(labels, np.concatenate([first, second])):
        return about.undefined(reason)
    k = len(labels.values)
    tables = np.eye(k * k)[first * k + second]
    return about.over(units_of(labels, item), tables, lambda sums: weighted_kappa(sums.reshape(-1, k, k), weight), resampling)


def fleiss_kappa(labels: Labels | Source, resampling: Resampling = USUAL) -> Agreement:
    """κ = (P̄ − P̄e) / (1 − P̄e): P̄ is the mean share of agreeing pairs per item, P̄e the sum of squared shares of the values.

    Undefined (NaN) where items have different numbers of labels, since its generalisations give different results;
    Krippendorff's α takes such labels as they are. Undefined, too, where only one label is in use.
    Source: Fleiss, Psychological Bulletin 76, 1971.

    >>> fleiss_kappa(small()).undefined
    'items have from 1 to 3 labels, and it needs the same number everywhere'
    """
    labels = as_labels(labels)
    sizes = labels.counts.sum(axis=1)
    about = AgreementCoefficient("fleiss", "Fleiss' κ", len(sizes), len(labels))
    if reason := nothing_to_compare(labels, paired(labels)):
        return about.undefined(reason)
    n = int(sizes[0])
    if (sizes != n).any():
        return about.undefined(f"items have from {sizes.min()} to {sizes.max()} labels, and it needs the same number everywhere")
    if reason := single_value(labels, labels.label):
        return about.undefined(reason)
    squares = (labels.counts**2).sum(axis=1)

    def value(sums: Floats) -> Floats:
        total = sums[:, 1:].sum(axis=1)
        agreeing = (sums[:, 0] - total) / (total * (n - 1))
        chance = ((sums[:, 1:] / total[:, None]) ** 2).sum(axis=1)
        return ratio(agreeing - chance, 1 - chance)

    return about.over(units_of(labels, np.arange(len(sizes))), np.column_stack([squares, labels.counts]), value, resampling)


def krippendorff_alpha(labels: Labels | Source, level: str = "nominal", resampling: Resampling = USUAL) -> Agreement:
    """α = 1 − (n − 1) Σ o δ² / Σ n_c n_k δ² over the coincidences o of any number of workers, with labels missing anywhere.

    Each item of m labels adds its pairs over m − 1 to the coincidences; n_c are their margins, n the sum. δ² depends on `level`.
    "nominal": 1. "interval": the squared difference of the two values. "ordinal": the squared number of labels between the two
    values, with half of their own. Undefined (NaN) where no item has two labels, or all such items have the same label.
    BadLabels for labels without order ("ordinal") or that are no numbers ("interval").
    Source: Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011.

    >>> round(krippendorff_alpha(small()).value, 4)  # coincidences ((1, 1), (1, 2)): 1 − 4 · 2 / (2 · 2 · 3)
    0.3333
    """
    labels = as_labels(labels)
    if not is_name_in(level, LEVELS):
        raise BadInput(f"there is no level {level!r}; choose one of {', '.join(LEVELS)}")
    if level == "ordinal":
        labels.require_order("ordinal α")
    numbers = labels.numbers if level == "interval" else np.arange(len(labels.values), dtype=np.float64)
    counts = paired(labels)
    about = AgreementCoefficient("alpha", f"Krippendorff's α, {level}", len(counts), int(counts.sum()))
    if reason := nothing_to_compare(labels, counts) or single_value(labels, np.flatnonzero(counts.sum(axis=0))):
        return about.undefined(reason)
    k = len(labels.values)
    units, added = units_of(labels, several_labels(labels)), coincidences(counts).reshape(-1, k * k)
    return about.over(units, added, lambda sums: alpha(sums.reshape(-1, k, k), level, numbers), resampling)


def coincidences(counts: Floats | Ints) -> Floats:
    """How often two labels meet on an item, (items, K, K), from how often each was given to it, `counts` (items, K).

    Each item of m labels adds its m (m − 1) ordered pairs over m − 1, hence m in all. Items need two labels or more.
    Source: Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011.

    >>> coincidences(np.array([[1.0, 2.0]]))[0].tolist()
    [[0.0, 1.0], [1.0, 1.0]]
    """
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(counts.shape[1])
    return pairs / (counts.sum(axis=1) - 1)[:, None, None]


def alpha(coincidences: Floats, level: str, numbers: Floats) -> Floats:
    """α, (resamples,), from coincidence matrices (resamples, K, K)."""
    margins = coincidences.sum(axis=2)
    if level == "nominal":
        distance = np.ones((1, len(numbers), len(numbers))) - np.eye(len(numbers))
    else:
        # The number of labels between two values, with half of their own, is the distance between their middles.
        place = np.cumsum(margins, axis=1) - margins / 2 if level == "ordinal" else numbers[None]
        distance = (place[:, :, None] - place[:, None, :]) ** 2
    observed = (coincidences * distance).sum(axis=(1, 2))
    chance = (margins[:, :, None] * margins[:, None, :] * distance).sum(axis=(1, 2))
    return 1 - ratio((margins.sum(axis=1) - 1) * observed, chance)


def weights_of(labels: Labels, weights: str) -> Floats:
    """The weight of a disagreement between each two values, (K, K)."""
    if not is_name_in(weights, WEIGHTS):
        raise BadInput(f"there are no weights {weights!r}; choose one of {', '.join(WEIGHTS)}")
    if weights != "unweighted":
        labels.require_order(f"Cohen's κ with {weights} weights")
    place = np.arange(len(labels.values))
    apart = np.abs(place[:, None] - place)
    return {"unweighted": apart > 0, "linear": apart, "quadratic": apart**2}[weights].astype(np.float64)


def weighted_kappa(tables: Floats, weight: Floats) -> Floats:
    n = tables.sum(axis=(1, 2))
    chance = tables.sum(axis=2)[:, :, None] * tables.sum(axis=1)[:, None, :]
    return 1 - ratio(n * (tables * weight).sum(axis=(1, 2)), (chance * weight).sum(axis=(1, 2)))


def agreement_of(labels: Labels | Source, level: str = "nominal", resampling: Resampling = USUAL) -> list[Agreement]:
    """Every coefficient that the level of measurement admits; those that are undefined (NaN) name the reason.

    >>> [coefficient.name for coefficient in agreement_of(small(), "ordinal")]
    ['percent', 'cohen', 'cohen-linear', 'cohen-quadratic', 'fleiss', 'alpha']
    """
    labels = as_labels(labels)
    any_number = krippendorff_alpha(labels, level, resampling)
    weights = [*WEIGHTS] if level != "nominal" else ["unweighted"]
    kappas = [cohen_kappa(labels, weight, resampling) for weight in weights]
    return [percent_agreement(labels, resampling), *kappas, fleiss_kappa(labels, resampling), any_number]


def paired(labels: Labels) -> Ints:
    """The counts, (items, K), of the items with at least two labels."""
    return labels.counts[several_labels(labels)]


def several_labels(labels: Labels) -> Ints:
    """The items with at least two labels, (n,)."""
    return np.flatnonzero(labels.counts.sum(axis=1) > 1)


def nothing_to_compare(labels: Labels, counts: Ints) -> str:
    if len(labels.workers) == 1:
        return "there is one worker only"
    return "" if len(counts) else "no item has two labels"


def single_value(labels: Labels, used: Ints) -> str:
    values = np.unique(used)
    return f"only the label {labels.values[int(values[0])]} is in use" if len(values) == 1 else ""


def by_two(labels: Labels) -> tuple[Ints, Ints, Ints]:
    """The items that both of two workers have labelled, and the labels of either, (n,) each."""
    table = np.full((len(labels.items), 2), -1)
    table[labels.item, labels.worker] = labels.label
    items = np.flatnonzero((table >= 0).all(axis=1))
    return items, table[items, 0], table[items, 1]


def ratio(over: Floats, under: Floats) -> Floats:
    return np.divide(over, under, out=np.full(len(over), np.nan), where=under > 0)


def small() -> Labels:
    """Three items with three, two and one labels, for the examples."""
    item, worker, label = (np.array(codes) for codes in ([0, 0, 0, 1, 1, 2], [0, 1, 2, 0, 1, 0], [0, 0, 1, 1, 1, 0]))
    return Labels(item, worker, label, ("a", "b", "c"), ("x", "y", "z"), ("0", "1"), ordered=True)
