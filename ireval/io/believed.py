"""Frames that were checked when they were read, so that nobody checks them a second time: that takes as long as to evaluate them.

A frame is known by itself, not by what it holds: what polars makes of it is another frame, and is checked again.
"""

import weakref

import polars as pl

_believed: dict[int, tuple[weakref.ref[pl.DataFrame], tuple[int, int]]] = {}


def believe(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame itself, which need not be checked any more."""
    key = id(frame)
    _believed[key] = weakref.ref(frame, lambda _: _believed.pop(key, None)), frame.shape
    return frame


def is_believed(frame: pl.DataFrame) -> bool:
    """Whether it was checked, and has neither more nor fewer rows since.

    >>> frame = believe(pl.DataFrame({"topic": ["1"]}))
    >>> is_believed(frame), is_believed(frame.head(1)), is_believed(frame.extend(frame.clone()))
    (True, False, False)
    """
    found = _believed.get(id(frame))
    return found is not None and found[0]() is frame and found[1] == frame.shape
