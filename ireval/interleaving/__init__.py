"""Interleaving: rankings of two or more systems merged into one, so that clicks tell which system people prefer.

`interleave` merges rankings. `credit` and `outcome` evaluate the clicks on a merged ranking, `scored` those on many impressions.
`compare_interleaved` tests which of two systems users prefer, `compare_multileaved` which of more.
docs/reference/interleaving.md has the methods, their sources and their properties.
"""

from ireval.interleaving.analysis import (
    BYS,
    VOTERS,
    Interleaving,
    Multileaving,
    Pair,
    Standing,
    compare_interleaved,
    compare_multileaved,
    credit_table,
    decisions,
)
from ireval.interleaving.credit import Outcome, credit, outcome
from ireval.interleaving.credit_files import Credits, credits_of, read_credits
from ireval.interleaving.credit_scores import scored
from ireval.interleaving.merge import METHODS, BadInterleaving, Interleaved, interleave

__all__ = [
    "BYS",
    "METHODS",
    "VOTERS",
    "BadInterleaving",
    "Credits",
    "Interleaved",
    "Interleaving",
    "Multileaving",
    "Outcome",
    "Pair",
    "Standing",
    "compare_interleaved",
    "compare_multileaved",
    "credit",
    "credit_table",
    "credits_of",
    "decisions",
    "interleave",
    "outcome",
    "read_credits",
    "scored",
]
