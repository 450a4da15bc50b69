"""Side-by-side studies: which system is preferred, how sure that is, and how far the workers can be trusted.

Read or make `Votes`; `preference` of two systems, with `topic_table`; `ladder` of many. Of workers: `side_bias`, `consistency`,
`vote_agreement`, `learning`. Beside a measure: `agreement_with_metric`. Before a study: `detectable_preference`.
docs/preferences.md has formulas, sources and degenerate cases.
"""

from .clustering import Clustered
from .exact import SignTests, binomial_test, sign_tests, trinomial_test
from .files import read_votes
from .habits import (
    Consistency,
    Learning,
    SideBias,
    consistency,
    learning,
    side_bias,
    vote_agreement,
    vote_labels,
)
from .ladder import DEFAULT_DRAWN, DRAWN, Ladder, ladder
from .metric import MetricAgreement, agreement_with_metric
from .pairs import Preference, preference, preferences, topic_table
from .planning import detectable_preference, preference_power, topics_for_preference
from .strengths import DEFAULT_MODEL, MODELS, PRIOR, Counts, Strengths, bradley_terry, counts_of
from .votes import WINNERS, BadVotes, Votes, votes_of

__all__ = [
    "DEFAULT_DRAWN",
    "DEFAULT_MODEL",
    "DRAWN",
    "MODELS",
    "PRIOR",
    "WINNERS",
    "BadVotes",
    "Clustered",
    "Consistency",
    "Counts",
    "Ladder",
    "Learning",
    "MetricAgreement",
    "Preference",
    "SideBias",
    "SignTests",
    "Strengths",
    "Votes",
    "agreement_with_metric",
    "binomial_test",
    "bradley_terry",
    "consistency",
    "counts_of",
    "detectable_preference",
    "ladder",
    "learning",
    "preference",
    "preference_power",
    "preferences",
    "read_votes",
    "side_bias",
    "sign_tests",
    "topic_table",
    "topics_for_preference",
    "trinomial_test",
    "vote_agreement",
    "vote_labels",
    "votes_of",
]
