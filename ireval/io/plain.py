"""Results as values that JSON can hold."""

import math
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
