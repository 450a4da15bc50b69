"""Pooling: the documents that any of several systems ranked high, each once, to be judged, and what follows from the unjudged.

`pool` lists the documents. `pooled_documents` arranges them with the grades that exist. Then `difference_bounds` says between
which ends each difference of two systems lies, however the others will be graded, and `next_documents` which to grade next.
`predicted_scores` are the values to expect meanwhile.
"""

from ireval.pooling.bounds import DifferenceBounds, difference_bounds
from ireval.pooling.choice import next_documents
from ireval.pooling.depth import pool
from ireval.pooling.documents import PooledDocuments, pooled_documents
from ireval.pooling.predicted import PredictedGrades, predict_grades, predicted_scores

__all__ = [
    "DifferenceBounds",
    "PooledDocuments",
    "PredictedGrades",
    "difference_bounds",
    "next_documents",
    "pool",
    "pooled_documents",
    "predict_grades",
    "predicted_scores",
]
