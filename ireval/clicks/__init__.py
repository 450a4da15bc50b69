"""Clicks: what people were shown, what they clicked, and what that says of documents.

`read_ubi` of a log, or `sessions_of` a frame, gives `Sessions`; of these `ctr_by_rank` and `rates`, `click_preferences` by
Joachims's rules, `coec`, and click models: `fit`, `held_out`. docs/clicks.md has formulas, sources and degenerate cases.
`implicit_labels` makes grades of these and `preference_agreement` holds them against workers: docs/implicit-labels.md.
"""

from ireval.clicks.calibration import Calibration
from ireval.clicks.click_preferences import RULES, click_preferences
from ireval.clicks.deviations import Deviation, Deviations
from ireval.clicks.expected import coec
from ireval.clicks.grade_agreement import LabelAgreement, RuleAgreement, blind, preference_agreement
from ireval.clicks.held_out import HeldOut, held_out, perplexity_table
from ireval.clicks.implicit import ImplicitLabels, implicit_labels
from ireval.clicks.models import BASELINE, MODELS, ClickModel, fit
from ireval.clicks.rates import Rate, ctr_by_rank, median_seconds, rates
from ireval.clicks.sessions import BadClicks, Sessions, sessions_of
from ireval.clicks.ubi import read_ubi

__all__ = [
    "BASELINE",
    "MODELS",
    "RULES",
    "BadClicks",
    "Calibration",
    "ClickModel",
    "Deviation",
    "Deviations",
    "HeldOut",
    "ImplicitLabels",
    "LabelAgreement",
    "Rate",
    "RuleAgreement",
    "Sessions",
    "blind",
    "click_preferences",
    "coec",
    "ctr_by_rank",
    "fit",
    "held_out",
    "implicit_labels",
    "median_seconds",
    "perplexity_table",
    "preference_agreement",
    "rates",
    "read_ubi",
    "sessions_of",
]
