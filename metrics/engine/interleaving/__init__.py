"""Interleaving: rankings of two or more systems merged into one, so that clicks tell which system people prefer.

`interleave` merges, `credit` and `outcome` say what clicks on the merged ranking mean, `scored` those of many impressions.
docs/interleaving.md has the methods, their sources and what each promises.
"""

from .crediting import Outcome, credit, outcome
from .merging import METHODS, BadInterleaving, Interleaved, interleave
from .scoring import scored

__all__ = ["METHODS", "BadInterleaving", "Interleaved", "Outcome", "credit", "interleave", "outcome", "scored"]
