"""Correlation of two orderings: of systems by two measures, or of documents by two runs."""

from ireval.correlation.ordering_files import read_ordering
from ireval.correlation.orderings import METHODS, Correlation, correlate, correlate_runs, correlation_matrix
from ireval.correlation.rank_tables import rank_pairs, rank_table

__all__ = [
    "METHODS",
    "Correlation",
    "correlate",
    "correlate_runs",
    "correlation_matrix",
    "rank_pairs",
    "rank_table",
    "read_ordering",
]
