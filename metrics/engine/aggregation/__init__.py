"""From many labels of an item to one, with how sure it is; and when an item has labels enough."""

from .aggregated import DEFAULT_TIES, TIES, Aggregated
from .dawid_skene import dawid_skene
from .methods import DEFAULT_METHOD, METHODS, aggregate
from .ordinal import ordinal
from .stopping import Decision, Replay, StoppingRule, accuracy_from_agreement, decide, fixed_overlap, replay
from .voting import gold_weighted, majority, mean, median

__all__ = [
    "DEFAULT_METHOD",
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
    "fixed_overlap",
    "gold_weighted",
    "majority",
    "mean",
    "median",
    "ordinal",
    "replay",
]
