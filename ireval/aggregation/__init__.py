"""From many labels of an item to one label and its uncertainty; and when an item has enough labels."""

from ireval.aggregation.aggregate_labels import DEFAULT_TIES, TIES, Aggregated
from ireval.aggregation.dawid_skene import dawid_skene
from ireval.aggregation.majority import gold_weighted, majority, mean, median
from ireval.aggregation.methods import METHODS, aggregate, default_method
from ireval.aggregation.ordinal import ordinal
from ireval.aggregation.stopping_rule import (
    Decision,
    Replay,
    StoppingRule,
    accuracy_from_agreement,
    decide,
    fixed_overlap,
    replay,
)

__all__ = [
    "DEFAULT_TIES",
    "METHODS",
    "TIES",
    "Aggregated",
    "Decision",
    "Replay",
    "StoppingRule",
    "accuracy_from_agreement",
    "aggregate",
    "dawid_skene",
    "decide",
    "default_method",
    "fixed_overlap",
    "gold_weighted",
    "majority",
    "mean",
    "median",
    "ordinal",
    "replay",
]
