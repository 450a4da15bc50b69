"""Correlation of two orderings: of systems by two measures, or of documents by two runs."""

from ireval.correlation.ordering_files import read_ordering
from ireval.correlation.orderings import METHODS, Correlation, correlate, correlate_runs, correlation_matrix

__all__ = [
    "METHODS",
    "Correlation",
    "correlate",
    "correlate_runs",
    "correlation_matrix",
    "read_ordering",
]
