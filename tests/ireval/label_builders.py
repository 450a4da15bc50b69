"""Small sets of labels, written the way a test wants to read them, and any that hypothesis thinks of."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from hypothesis import strategies as st

from ireval.labels import Labels, labels_of

MISSING = "."


def labels_from(*rows: str) -> Labels:
    """A row of blank-separated labels for each worker, a column an item, "." where the worker gave none."""
    cells = [row.split() for row in rows]
    triples = [
        (f"i{item:02}", f"w{worker:02}", label)
        for item in range(len(cells[0]))
        for worker, row in enumerate(cells)
        if (label := row[item]) != MISSING
    ]
    return labels_of(pl.DataFrame(triples, schema=["item", "worker", "label"], orient="row"))


def from_tables(tables: Sequence[Sequence[int]]) -> Labels:
    """A row of counts for each item: so many labels of the first value, so many of the second; nobody knows by whom."""
    rows = [np.repeat(np.arange(len(counts)), counts).tolist() for counts in tables]
    triples = [(str(item), f"w{worker}", label) for item, row in enumerate(rows) for worker, label in enumerate(row)]
    return labels_of(pl.DataFrame(triples, schema=["item", "worker", "label"], orient="row"))


def frame_of(labels: Labels) -> pl.DataFrame:
    """The labels as they were given, a row each."""
    names = {"item": labels.items, "worker": labels.workers, "label": labels.values}
    return pl.DataFrame({column: np.array(names[column])[getattr(labels, column)] for column in names})


def by_item(labels: Labels) -> Mapping[int, list[int]]:
    return {item: labels.label[labels.item == item].tolist() for item in range(len(labels.items))}


@st.composite
def any_labels(draw, values: int = 4, workers: int = 5, items: int = 8) -> Labels:
    """Any labels of up to 8 items by up to 5 workers on the scale 0 to 3, with any of them missing."""
    cells = draw(
        st.dictionaries(st.tuples(st.integers(0, items - 1), st.integers(0, workers - 1)), st.integers(0, values - 1), min_size=1)
    )
    rows = [(f"i{item}", f"w{worker}", label) for (item, worker), label in cells.items()]
    frame = pl.DataFrame(rows, schema=["item", "worker", "label"], orient="row")
    return labels_of(frame, values=[str(value) for value in range(values)])


def world(rng, items=600, workers=40, overlap=5, values=4):
    """Workers who see the grade through noise of their own, some too strict or too lenient, a tenth pressing any button."""
    truth = rng.choice(values, items, p=np.array([5, 2.5, 1.5, 1][:values]) / sum([5, 2.5, 1.5, 1][:values]))
    item = np.repeat(np.arange(items), overlap)
    worker = np.concatenate([rng.choice(workers, overlap, replace=False) for _ in range(items)])
    noise, lenience, spam = rng.gamma(2, 0.45, workers), rng.normal(0, 0.4, workers), rng.random(workers) < 0.1
    seen = np.rint(truth[item] + lenience[worker] + noise[worker] * rng.normal(size=len(item))).clip(0, values - 1)
    label = np.where(spam[worker], rng.integers(0, values, len(item)), seen).astype(np.int64)
    frame = pl.DataFrame({"item": item, "worker": worker, "label": label})
    return labels_of(frame, values=[str(value) for value in range(values)]), (truth, noise, lenience, spam)
