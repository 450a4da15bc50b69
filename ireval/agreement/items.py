"""How far the labels of each item agree."""

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from ireval.arrays import Floats
from ireval.io.arguments import as_numbers
from ireval.io.files import BadInput
from ireval.io.frames import Source
from ireval.labels import Labels, as_labels


def entropy(counts: ArrayLike) -> Floats:
    """−Σ p log₂ p of each item's labels, in bits, (I,) from counts (I, K).

    0 where all agree, 1 for two halves, at most log₂ K. An item with a single label has 0, too. NaN without labels. Source:
    Shannon, Bell System Technical Journal 27, 1948.

    >>> entropy([[2, 2], [4, 0]]).tolist()
    [1.0, 0.0]
    """
    table = as_numbers("counts", counts)
    if table.ndim != 2:
        raise BadInput(f"counts have the shape {table.shape}; expected a row per item and a column per value")
    sizes = table.sum(axis=1, keepdims=True)
    shares = np.divide(table, sizes, out=np.full_like(table, np.nan), where=sizes > 0)
    # Subtracted from zero, since a negated 0 would show as -0.
    return 0 - (shares * np.log2(shares, out=np.zeros_like(shares), where=shares != 0)).sum(axis=1)


def item_agreement(labels: Labels | Source) -> pl.DataFrame:
    """One row per item: item, n (its labels), agreement and entropy in bits.

    agreement is the share of the item's pairs of labels that agree; null for a single label.

    >>> from ireval.agreement.coefficients import small
    >>> [tuple(round(cell, 4) if isinstance(cell, float) else cell for cell in row) for row in item_agreement(small()).rows()]
    [('a', 3, 0.3333, 0.9183), ('b', 2, 1.0, 0.0), ('c', 1, None, 0.0)]
    """
    labels = as_labels(labels)
    counts = labels.counts
    sizes = counts.sum(axis=1)
    pairs = sizes * (sizes - 1)
    agreeing = np.divide((counts * (counts - 1)).sum(axis=1), pairs, out=np.full(len(counts), np.nan), where=pairs > 0)
    frame = pl.DataFrame({"item": labels.items, "n": sizes, "agreement": agreeing, "entropy": entropy(counts)})
    return frame.with_columns(pl.col("agreement").fill_nan(None))
