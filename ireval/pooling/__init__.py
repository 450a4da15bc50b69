"""Pooling: the documents that any of several systems ranked high, each once, to be judged, and what follows from the unjudged.

`pool` lists the documents. `pooled_documents` arranges them with the grades that exist; `difference_bounds` says between which
ends each difference of two systems lies, however the others will be graded.
"""

from ireval.pooling.bounds import DifferenceBounds, difference_bounds
from ireval.pooling.depth import pool
from ireval.pooling.documents import PooledDocuments, pooled_documents

__all__ = ["DifferenceBounds", "PooledDocuments", "difference_bounds", "pool", "pooled_documents"]
