"""The report of a side-by-side study: which system workers prefer, how sure that is, why, and how far to trust the workers.

The statistics are those of `ireval.preferences`.
"""
