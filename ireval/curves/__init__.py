"""Curves of effectiveness by rank or recall, as numbers: one row per topic, and means over topics."""

from ireval.curves.curves import (
    GainCurve,
    PrecisionRecall,
    Roc,
    cumulated_gain,
    discounted_cumulated_gain,
    histogram,
    interpolated_precisions,
    precision_recall,
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
    "roc",
]
