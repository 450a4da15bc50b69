"""The measures, one small file a family. A new one is a file here and a name in this list."""

from . import average_precision, bpref, counts, judged, ndcg, precision, rbp, recall, reciprocal_rank

__all__ = ["average_precision", "bpref", "counts", "judged", "ndcg", "precision", "rbp", "recall", "reciprocal_rank"]
