"""Labels that workers gave to items, as arrays: the input of agreement, aggregation and stopping rules."""

from ireval.labels.label_files import GoldSource, as_gold, as_labels, gold_of, labels_of, read_gold, read_labels
from ireval.labels.labels import UNKNOWN, BadLabels, Labels

__all__ = [
    "UNKNOWN",
    "BadLabels",
    "GoldSource",
    "Labels",
    "as_gold",
    "as_labels",
    "gold_of",
    "labels_of",
    "read_gold",
    "read_labels",
]
