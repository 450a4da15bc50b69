"""Results as values that JSON can hold."""

import math
from collections.abc import Mapping
from typing import Any

import polars as pl


def plain(value: Any) -> Any:
    """Turn named tuples and frames into dictionaries and lists; numbers that are not finite become null."""
    if isinstance(value, pl.DataFrame):
        return plain(value.to_dicts())
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def from_plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a named tuple of numbers and texts, where null stands for NaN.

    >>> from_plain({"value": 0.5, "error": None})
    {'value': 0.5, 'error': nan}
    """
    return {name: math.nan if value is None else value for name, value in fields.items()}
