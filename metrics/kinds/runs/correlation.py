"""How alike things order: runs by two measures or two qrels, and documents by two runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from ireval.arrays import Floats
from ireval.correlation.lists import DEFAULT_DEPTH, DEFAULT_P
from ireval.correlation.orderings import correlate_runs, correlated, correlation_matrix, with_ranks
from judging.models import Run
from metrics.kinds.runs import evidence
from metrics.kinds.runs.results import outcomes, sign_of
from metrics.kinds.runs.values import finite, ranking_measures
from metrics.models import Report

ORDERINGS = {"kendall_b": "Kendall’s τ-b", "spearman": "Spearman’s ρ", "rbo": "RBO"}
RANKINGS = {"rbo": "RBO", "kendall_b": "Kendall’s τ-b", "overlap": f"overlap@{DEFAULT_DEPTH}"}
# Two runs always come in the same order or in the opposite one.
FEWEST_RUNS = 3
# RBO's weight below it is 0.00003; twice as deep is twice as slow.
DEPTH = 100
# Two runs take about 0.2 ms a topic, so all of them 10 seconds; 45 runs on 50 topics.
MOST_PAIRS_AND_TOPICS = 50_000


def rankings_alike(report: Report) -> list[list[Any]] | None:
    """Every two runs with how many topics both have, and the means over these of RANKINGS. None if there are too many."""
    runs = Run.objects.in_bulk([run["id"] for run in report.spec["runs"]])
    pairs = list(combinations([run["id"] for run in report.spec["runs"]], 2))
    if len(pairs) * max(run.topic_count for run in runs.values()) > MOST_PAIRS_AND_TOPICS:
        return None
    rankings = {pk: top(run) for pk, run in runs.items()} if pairs else {}
    return [[first, second, *means(rankings[first], rankings[second])] for first, second in pairs]


def top(run: Run) -> pl.DataFrame:
    return evidence.ranking(run).filter(pl.col("rank") <= DEPTH)


def means(first: pl.DataFrame, second: pl.DataFrame) -> list[float | None]:
    by_topic = correlate_runs(first, second, RANKINGS)
    over_topics = by_topic.select(pl.col(method).fill_nan(None).mean() for method in RANKINGS).row(0)
    return [len(by_topic), *(None if mean is None else round(mean, 6) for mean in over_topics)]


@dataclass(frozen=True)
class Alike:
    """How alike every two of the `names` are, and over how many things each two were compared; values may be NaN."""

    names: Sequence[str]
    values: Floats
    n: Floats

    @property
    def rows(self) -> list[tuple[str, list[tuple[str, float | None, int]]]]:
        """Each name with the others, how alike they are and over how many things."""
        cells = zip(self.values.tolist(), self.n.tolist(), strict=True)
        return [
            (name, [(other, finite(value), int(n)) for other, value, n in zip(self.names, values, ns, strict=True)])
            for name, (values, ns) in zip(self.names, cells, strict=True)
        ]

    @property
    def pairs(self) -> list[tuple[str, str, int, float | None]]:
        found = []
        for i, j in combinations(range(len(self.names)), 2):
            found.append((self.names[i], self.names[j], int(self.n[i, j]), finite(float(self.values[i, j]))))
        return found

    @property
    def least(self) -> tuple[str, str, int, float] | None:
        known = [(first, second, n, value) for first, second, n, value in self.pairs if value is not None]
        return min(known, key=lambda pair: pair[3]) if known else None

    @cached_property
    def smallest_n(self) -> int:
        return int(self.n.min()) if self.n.size else 0


def measures_alike(report: Report, qrels: int, method: str) -> Alike:
    """Every two measures by the order in which they put the runs."""
    names = ranking_measures(report.spec["measures"])
    found = outcomes(report, qrels)
    scores = [[oriented(one.means[name].mean, name) for name in names] for one in found]
    return alike(names, np.array(scores, np.float64).reshape(len(found), len(names)), method)


def qrels_alike(report: Report, measure: str, method: str) -> Alike:
    """Every two qrels by the order in which the runs come under them."""
    columns = [
        {one.run: oriented(one.means[measure].mean, measure) for one in outcomes(report, one["id"])}
        for one in report.spec["qrels"]
    ]
    scores = [[column[run["id"]] for column in columns] for run in report.spec["runs"]]
    return alike([one["name"] for one in report.spec["qrels"]], np.array(scores, np.float64), method)


def oriented(mean: float | None, measure: str) -> float:
    """The higher the better."""
    return np.nan if mean is None else mean * sign_of(measure)


def alike(names: Sequence[str], scores: Floats, method: str) -> Alike:
    known = ~np.isnan(scores)
    n = known.T.astype(np.float64) @ known
    return Alike(names, rbo_matrix(scores) if method == "rbo" else correlation_matrix(scores, method), n)


def rbo_matrix(scores: Floats) -> Floats:
    """As correlation_matrix, all pairs at once."""
    size = scores.shape[1]
    pairs = [(i, j) for i in range(size) for j in range(i, size)]
    things = [str(number) for number in range(len(scores))]
    frames = [
        pl.DataFrame({"topic": f"{place:06d}", "thing": things, "first": scores[:, i], "second": scores[:, j]})
        for place, (i, j) in enumerate(pairs)
    ]
    if not frames:
        return np.empty((0, 0))
    frame = pl.concat(frames).with_columns(pl.col("first", "second").fill_nan(None))
    values = correlated(with_ranks(frame), ["rbo"], p=DEFAULT_P, depth=DEFAULT_DEPTH)["rbo"]
    found = np.empty((size, size))
    for (i, j), value in zip(pairs, values, strict=True):
        found[i, j] = found[j, i] = value
    return found


def runs_alike(report: Report, runs: Sequence[int], method: str) -> Alike | None:
    """Every two of these runs by how they rank documents, as it was published; None if it was left out."""
    stored = (report.result or {}).get("rankings")
    if stored is None:
        return None
    names = {run["id"]: run["name"] for run in report.spec["runs"]}
    column = 3 + list(RANKINGS).index(method)
    known = {(row[0], row[1]): (row[2], row[column]) for row in stored}
    values, n = np.full((len(runs), len(runs)), np.nan), np.zeros((len(runs), len(runs)))
    np.fill_diagonal(values, 1.0)
    for i, first in enumerate(runs):
        for j, second in enumerate(runs):
            if found := known.get((first, second)) or known.get((second, first)):
                n[i, j], values[i, j] = found[0], np.nan if found[1] is None else found[1]
    np.fill_diagonal(n, n.max(axis=1, initial=0))
    return Alike([names[run] for run in runs], values, n)


def every_agreement(report: Report) -> Iterator[tuple[str, tuple[str, str], dict[str, str], str, Alike]]:
    """All that the page can show: what is alike, under which qrels and by which measure, in which coefficients, which of them."""
    measures, runs = ranking_measures(report.spec["measures"]), [run["id"] for run in report.spec["runs"]]
    for method in ORDERINGS:
        for one in report.spec["qrels"]:
            yield "measures", (one["name"], ""), ORDERINGS, method, measures_alike(report, one["id"], method)
        for measure in measures:
            yield "qrels", ("", measure), ORDERINGS, method, qrels_alike(report, measure, method)
    for method in RANKINGS:
        if documents := runs_alike(report, runs, method):
            yield "runs", ("", ""), RANKINGS, method, documents
