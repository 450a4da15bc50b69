"""In which order the systems stand under each way to make labels of votes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ireval.aggregation import Aggregated
from ireval.arrays import Floats, Ints
from ireval.correlation.orderings import correlation_matrix
from ireval.measures.registry import Measure
from ireval.stability.panel import Panel


@dataclass(frozen=True, eq=False)
class Orders:
    """Of S sets of labels, R runs and M measures: the mean over topics (S, R, M), the place of each run (S, R, M; 1 for the best,
    shared by runs that tie), how alike the orders of the runs are (M, S, S; Kendall's τ_b, NaN for a single run or where all runs
    tie), and how many places the run loses that loses most from one order to the other (M, S, S; rows are where it starts)."""

    labels: tuple[str, ...]
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    mean: Floats
    place: Ints
    tau: Floats
    drop: Ints


def orders(found: Mapping[str, Aggregated], panel: Panel, items: Ints, measures: Sequence[Measure]) -> Orders:
    """The runs of the panel under each of the sets of labels; `items` (n,) as for `uncertainty`.

    Sources: Kendall, Biometrika 33, 1945 (τ_b); the largest drop as in Voorhees, Variations in relevance judgments and the
    measurement of retrieval effectiveness, IPM 36, 2000, who asks what other judges do to an order of systems.
    """
    grades = np.array([one.labels.numbers.astype(np.int64)[one.label[items]] for one in found.values()])
    mean = panel.means(grades, measures)
    signs = np.array([-1.0 if measure.kind.better == "lower" else 1.0 for measure in measures])
    place = places(mean * signs)
    names = tuple(map(str, measures))
    tau = np.array([correlation_matrix(mean[:, :, one].T, "kendall_b") for one in range(len(names))])
    lost = place[None, :] - place[:, None]  # (from, to, R, M)
    return Orders(tuple(found), panel.runs, names, mean, place, tau, np.moveaxis(lost.max(axis=2), 2, 0))


def places(means: Floats) -> Ints:
    """1 + how many runs are better, (S, R, M)."""
    return 1 + (means[:, None] > means[:, :, None]).sum(axis=2)
