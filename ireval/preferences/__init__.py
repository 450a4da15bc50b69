"""Side-by-side studies: which system is preferred, how sure that is, and how far the workers can be trusted.

Read or make `Votes`. `preference` and `topic_table` compare two systems, `decisions` say who is preferred, `ladder` orders
many. `side_bias`, `consistency`,
`vote_agreement` and `learning` describe the workers. `agreement_with_metric` compares preferences with a measure. To plan a
study, see `detectable_preference`.
docs/reference/preferences.md has formulas, sources and degenerate cases.
"""

from ireval.preferences.attention import Attention, attention
from ireval.preferences.habits import (
    Consistency,
    Learning,
    SideBias,
    consistency,
    learning,
    side_bias,
    vote_agreement,
    vote_labels,
)
from ireval.preferences.ladder import DEFAULT_DRAWN, DRAWN, Ladder, ladder
from ireval.preferences.measure_agreement import MetricAgreement, agreement_with_metric
from ireval.preferences.preference import Preference, decisions, preference, preferences, topic_table
from ireval.preferences.strengths import DEFAULT_MODEL, MODELS, PRIOR, Counts, Strengths, bradley_terry, counts_of
from ireval.preferences.vote_files import read_votes, votes_of
from ireval.preferences.votes import WINNERS, BadVotes, Votes

__all__ = [
    "DEFAULT_DRAWN",
    "DEFAULT_MODEL",
    "DRAWN",
    "MODELS",
    "PRIOR",
    "WINNERS",
    "Attention",
    "BadVotes",
    "Consistency",
    "Counts",
    "Ladder",
    "Learning",
    "MetricAgreement",
    "Preference",
    "SideBias",
    "Strengths",
    "Votes",
    "agreement_with_metric",
    "attention",
    "bradley_terry",
    "consistency",
    "counts_of",
    "decisions",
    "ladder",
    "learning",
    "preference",
    "preferences",
    "read_votes",
    "side_bias",
    "topic_table",
    "vote_agreement",
    "vote_labels",
    "votes_of",
]
