"""What a search log says of an experiment's users: from searches and events to an `Experiment`, a bucket of units at a time.

`log_of` two frames; `flagged` and `Log.without` take out bots; `behaviour_of` gives a `Behaviour`, and `merged` puts those of
buckets together. docs/behaviour.md has definitions, sources and degenerate cases.
"""

from ireval.behaviour.behaviour import DEFAULT_RULES, Behaviour, behaviour_of
from ireval.behaviour.bots import Limits, flagged, rates_of_units
from ireval.behaviour.definitions import DEFAULT_METRICS, DEFINITIONS, BadMetric, Definition, definition_of
from ireval.behaviour.log import EVENTS, SEARCHES, BadLog, Log, log_of
from ireval.behaviour.part import Rules
from ireval.behaviour.volume import Counts

__all__ = [
    "DEFAULT_METRICS",
    "DEFAULT_RULES",
    "DEFINITIONS",
    "EVENTS",
    "SEARCHES",
    "BadLog",
    "BadMetric",
    "Behaviour",
    "Counts",
    "Definition",
    "Limits",
    "Log",
    "Rules",
    "behaviour_of",
    "definition_of",
    "flagged",
    "log_of",
    "rates_of_units",
]
