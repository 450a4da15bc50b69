"""Retrieval evaluation over arrays: no Django, no database, no clock.

Everything here can be imported in a notebook. Files go in through `files`, `runs` and `qrels`;
measures are listed in one registry; results are polars frames and NumPy arrays.
"""
