"""Frames that were checked when they were read, so that they are not checked again: that takes as long as to evaluate them.

A frame is known by its identity. A frame that polars derives from it is checked again, and so is one that was changed in place.
"""

import weakref
from typing import Literal

import polars as pl

Kind = Literal["run", "qrels"]

# What the frame was checked as, and its content then, which shares its memory until it is changed.
_believed: dict[int, tuple[weakref.ref[pl.DataFrame], Kind, pl.DataFrame]] = {}


def believe(frame: pl.DataFrame, kind: Kind) -> pl.DataFrame:
    """The frame itself, marked as checked."""
    key = id(frame)
    _believed[key] = weakref.ref(frame, lambda _: _believed.pop(key, None)), kind, frame.clone()
    return frame


def believed_kind(frame: object) -> Kind | None:
    """What the frame was checked as; None if it was not, or was changed since.

    >>> frame = believe(pl.DataFrame({"topic": ["1"]}), "run")
    >>> believed_kind(frame), believed_kind(frame.head(1)), believed_kind(frame.extend(frame.clone()))
    ('run', None, None)
    """
    known, kind, content = _believed.get(id(frame), (None, None, None))
    if not isinstance(frame, pl.DataFrame) or content is None or known is None or known() is not frame:
        return None
    return kind if content.columns == frame.columns and content.equals(frame) else None
