"""Documents of a query that clicks and workers put in opposite orders."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple

import polars as pl

# So many documents are compared with each other.
MOST = 300


class Disagreement(NamedTuple):
    """Two documents: clicks call `clicked` more attractive, with intervals apart, and workers give `judged` the higher grade."""

    clicked: dict[str, Any]
    judged: dict[str, Any]
    grades: tuple[int, int]


def disagreements(documents: pl.DataFrame, grades: Mapping[str, int], model: str = "position-based") -> list[Disagreement]:
    """Pairs of documents whose intervals are apart and which workers grade the opposite way, the furthest apart first.

    >>> rows = [("a", 0.2, 0.1, 0.3), ("b", 0.7, 0.6, 0.8), ("c", 0.25, 0.1, 0.4)]
    >>> frame = pl.DataFrame(rows, ["document", "m", "m low", "m high"], orient="row")
    >>> [(pair.clicked["document"], pair.judged["document"]) for pair in disagreements(frame, {"a": 2, "b": 1, "c": 0}, "m")]
    [('b', 'a')]
    """
    if model not in documents.columns:
        return []
    judged = documents.filter(pl.col("document").is_in(list(grades))).head(MOST).sort(model, descending=True).to_dicts()
    pairs = [
        Disagreement(more, less, (grades[more["document"]], grades[less["document"]]))
        for more, less in combinations(judged, 2)
        if grades[more["document"]] < grades[less["document"]] and more[f"{model} low"] > less[f"{model} high"]
    ]
    return sorted(pairs, key=lambda pair: pair.judged[model] - pair.clicked[model])
