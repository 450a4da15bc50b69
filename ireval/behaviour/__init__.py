"""Behaviour of users in a search log: from searches and events to an `Experiment`, one bucket of units at a time.

`log_of` takes two frames. `flagged` and `Log.without` remove bots. `behaviour_of` computes the `Behaviour` of a bucket, and
`merged` adds two buckets. docs/reference/behaviour.md has definitions, sources and degenerate cases.
"""

from ireval.behaviour.behaviour import DEFAULT_RULES, Behaviour, behaviour_of
from ireval.behaviour.bots import Limits, flagged, rates_of_units
from ireval.behaviour.definitions import DEFAULT_METRICS, DEFINITIONS, BadMetric, Definition, definition_of
from ireval.behaviour.log import EVENTS, SEARCHES, BadLog, Log, log_of
from ireval.behaviour.part import BehaviourRules
from ireval.behaviour.volume import Volume

__all__ = [
    "DEFAULT_METRICS",
    "DEFAULT_RULES",
    "DEFINITIONS",
    "EVENTS",
    "SEARCHES",
    "BadLog",
    "BadMetric",
    "Behaviour",
    "BehaviourRules",
    "Definition",
    "Limits",
    "Log",
    "Volume",
    "behaviour_of",
    "definition_of",
    "flagged",
    "log_of",
    "rates_of_units",
]
