"""Interleaving: rankings of two or more systems merged into one, so that clicks tell which system people prefer.

`interleave` merges, `credit` and `outcome` say what clicks on the merged ranking mean, `scored` those of many impressions.
`compare_interleaved` says which of two systems users prefer, `compare_multileaved` of more.
docs/interleaving.md has the methods, their sources and what each promises.
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
    "interleave",
    "outcome",
    "read_credits",
    "scored",
]
