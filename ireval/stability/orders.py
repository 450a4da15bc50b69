"""Orders of the systems under each method to aggregate labels."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ireval.aggregation import Aggregated
from ireval.arrays import Floats, Ints
from ireval.correlation.orderings import correlation_matrix
from ireval.io.arguments import require_type
from ireval.measures.names import Measures, parse_measures
from ireval.stability.panel import Panel, items_of, require_panel
from ireval.stability.worker_bootstrap import settled


@dataclass(frozen=True, eq=False)
class Orders:
    """How R runs stand under S sets of labels by M measures.

    - mean (S, R, M): the mean over topics.
    - place (S, R, M): the place of each run, 1 for the best; runs that tie share it.
    - tau (M, S, S): Kendall's τ_b of two orders; NaN for a single run or where all runs tie.
    - drop (M, S, S): the most places that a run loses from one order (row) to the other (column).
    """

    labels: tuple[str, ...]
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    mean: Floats
    place: Ints
    tau: Floats
    drop: Ints


def orders(labellings: Mapping[str, Aggregated], panel: Panel, items: Ints, measures: Measures) -> Orders:
    """Order the runs of the panel under each of the `labellings`; `items` (n,) and ties as for `uncertainty`.

    Sources: Kendall, Biometrika 33, 1945 (τ_b). The largest drop follows Voorhees, Variations in relevance judgments and the
    measurement of retrieval effectiveness, IPM 36, 2000.
    """
    require_type("labellings", labellings, Mapping, "{name: Aggregated}")
    for labelling in labellings.values():
        require_panel(panel, labelling)
        items = items_of(items, panel, labelling.labels)
    measures = parse_measures(measures)
    grades = np.array([labelling.labels.numbers.astype(np.int64)[settled(labelling)[items]] for labelling in labellings.values()])
    mean = panel.means(grades, measures)
    signs = np.array([-1.0 if measure.kind.better == "lower" else 1.0 for measure in measures])
    place = places(mean * signs)
    names = tuple(map(str, measures))
    tau = np.array([correlation_matrix(mean[:, :, number].T, "kendall_b") for number in range(len(names))])
    lost = place[None, :] - place[:, None]  # (from, to, R, M)
    return Orders(tuple(labellings), panel.runs, names, mean, place, tau, np.moveaxis(lost.max(axis=2), 2, 0))


def places(means: Floats) -> Ints:
    """1 + how many runs are better, (S, R, M)."""
    return 1 + (means[:, None] > means[:, :, None]).sum(axis=2)
