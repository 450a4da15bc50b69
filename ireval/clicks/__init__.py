"""Clicks: what people were shown, what they clicked, and what that says of documents.

`read_clicks` reads a log (`read_ubi` or `read_yandex`) and `sessions_of` a frame; they return `Sessions`. These are the input
of `ctr_by_rank` and `rates`, of `click_preferences` by Joachims's rules, of `coec`, and of the click models: `fit`, `held_out`
(`held_out_on` other sessions). docs/reference/clicks.md has formulas, sources and degenerate cases. `implicit_labels` turns
clicks into grades and `preference_agreement` compares preferences with workers': docs/reference/implicit-labels.md.
"""

from ireval.clicks.calibration import Calibration
from ireval.clicks.click_files import read_clicks, sessions_of
from ireval.clicks.click_prediction import HeldOut, foresight, held_out, held_out_on, perplexity_table
from ireval.clicks.click_preferences import RULES, click_preferences
from ireval.clicks.deviations import Deviation, Deviations
from ireval.clicks.expected_clicks import coec
from ireval.clicks.grade_agreement import LabelAgreement, RuleAgreement, blind, preference_agreement
from ireval.clicks.implicit_labels import ImplicitLabels, implicit_labels
from ireval.clicks.models import BASELINE, MODELS, ClickModel, fit
from ireval.clicks.rates import Rate, ctr_by_rank, median_seconds, rates
from ireval.clicks.sessions import BadClicks, Sessions
from ireval.clicks.ubi import read_ubi
from ireval.clicks.yandex import read_yandex

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
    "foresight",
    "held_out",
    "held_out_on",
    "implicit_labels",
    "median_seconds",
    "perplexity_table",
    "preference_agreement",
    "rates",
    "read_clicks",
    "read_ubi",
    "read_yandex",
    "sessions_of",
]
