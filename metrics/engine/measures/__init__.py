"""The measures, one small file a family. A new one is a file here and a name in this list."""

from . import average_precision, bpref, counts, intent_aware, judged, ndcg, novelty, precision, rbp, recall, reciprocal_rank

__all__ = [
    "average_precision",
    "bpref",
    "counts",
    "intent_aware",
    "judged",
    "ndcg",
    "novelty",
    "precision",
    "rbp",
    "recall",
    "reciprocal_rank",
]
