"""Curves as numbers: what a ranking has reached by each rank or recall, one row per topic, and over all of them."""

from ireval.curves.curves import (
    GainCurve,
    PrecisionRecall,
    Roc,
    cumulated_gain,
    discounted_cumulated_gain,
    histogram,
    interpolated_precisions,
    precision_recall,
    rankings_of,
    roc,
)

__all__ = [
    "GainCurve",
    "PrecisionRecall",
    "Roc",
    "cumulated_gain",
    "discounted_cumulated_gain",
    "histogram",
    "interpolated_precisions",
    "precision_recall",
    "rankings_of",
    "roc",
]
