"""Labels that workers gave to items, as arrays: what agreement, aggregation and stopping start from."""

from .arrays import UNKNOWN, BadLabels, Labels, gold_of, labels_of
from .files import read_gold, read_labels

__all__ = ["UNKNOWN", "BadLabels", "Labels", "gold_of", "labels_of", "read_gold", "read_labels"]
