"""Frames that were checked when they were read, so that they are not checked again: that takes as long as to evaluate them.

A frame is known by its identity, not by its content: a frame that polars derives from it is checked again.
"""

import weakref

import polars as pl

_believed: dict[int, tuple[weakref.ref[pl.DataFrame], tuple[int, int]]] = {}


def believe(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame itself, marked as checked."""
    key = id(frame)
    _believed[key] = weakref.ref(frame, lambda _: _believed.pop(key, None)), frame.shape
    return frame


def is_believed(frame: pl.DataFrame) -> bool:
    """Whether the frame was checked, and has as many rows as then.

    >>> frame = believe(pl.DataFrame({"topic": ["1"]}))
    >>> is_believed(frame), is_believed(frame.head(1)), is_believed(frame.extend(frame.clone()))
    (True, False, False)
    """
    entry = _believed.get(id(frame))
    return entry is not None and entry[0]() is frame and entry[1] == frame.shape
