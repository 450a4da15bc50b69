"""Pooling: the documents that any of several systems ranked high, each once, to be judged."""

from ireval.pooling.depth import pool

__all__ = ["pool"]
