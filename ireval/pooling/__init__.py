"""Pooling: the documents that any of several systems ranked high, each once, to be judged, and what follows from the unjudged.

`pool` lists the documents. `pooled_documents` arranges them with the grades that exist. Then `difference_bounds` says between
which ends each difference of two systems lies, however the others will be graded, and `next_documents` which to grade next.
`predicted_scores` are the values to expect meanwhile. Who wants to stop early with a known chance of error draws documents
instead: `draw_documents`, then `sampled_differences` at every look. Or they judge whole topics in random order: `sampled_topics`.
"""

from ireval.pooling.bounds import DifferenceBounds, difference_bounds
from ireval.pooling.choice import next_documents
from ireval.pooling.depth import pool
from ireval.pooling.documents import PooledDocuments, pooled_documents
from ireval.pooling.grade_prediction import PredictedGrades, predict_grades, predicted_scores
from ireval.pooling.sampled_differences import SampledDifferences, sampled_differences
from ireval.pooling.sampled_topics import sampled_topics
from ireval.pooling.sampling import draw_documents

__all__ = [
    "DifferenceBounds",
    "PooledDocuments",
    "PredictedGrades",
    "SampledDifferences",
    "difference_bounds",
    "draw_documents",
    "next_documents",
    "pool",
    "pooled_documents",
    "predict_grades",
    "predicted_scores",
    "sampled_differences",
    "sampled_topics",
]
