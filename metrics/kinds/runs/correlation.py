"""Rank correlations: of the orders of runs by two measures or two qrels, and of the rankings of two runs."""

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
# Two runs come in the same order or in the opposite one, which says little.
FEWEST_RUNS = 3
# RBO's weight below this rank is 0.00003; twice as deep is twice as slow.
DEPTH = 100
# Two runs take about 0.2 ms a topic, so the largest report takes 10 seconds: 45 runs on 50 topics.
MOST_PAIRS_AND_TOPICS = 50_000


def ranking_correlations(report: Report) -> list[list[Any]] | None:
    """One row per two runs: their ids, how many topics both have, and the mean of each of RANKINGS over these.

    None if there are too many runs and topics.
    """
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
class Correlations:
    """A coefficient for every two of the `names`.

    `values` and `n`, the number of things compared, are square arrays in the order of the names; values may be NaN.
    """

    names: Sequence[str]
    values: Floats
    n: Floats

    @property
    def rows(self) -> list[tuple[str, list[tuple[str, float | None, int]]]]:
        """For each name one row of (other name, value, number of things compared)."""
        cells = zip(self.values.tolist(), self.n.tolist(), strict=True)
        return [
            (name, [(other, finite(value), int(n)) for other, value, n in zip(self.names, values, ns, strict=True)])
            for name, (values, ns) in zip(self.names, cells, strict=True)
        ]

    @property
    def pairs(self) -> list[tuple[str, str, int, float | None]]:
        """One row per pair: first name, second name, number of things compared, value."""
        rows = []
        for i, j in combinations(range(len(self.names)), 2):
            rows.append((self.names[i], self.names[j], int(self.n[i, j]), finite(float(self.values[i, j]))))
        return rows

    @property
    def least(self) -> tuple[str, str, int, float] | None:
        """The pair with the lowest value; None if no value is defined."""
        defined = [(first, second, n, value) for first, second, n, value in self.pairs if value is not None]
        return min(defined, key=lambda pair: pair[3]) if defined else None

    @cached_property
    def smallest_n(self) -> int:
        return int(self.n.min()) if self.n.size else 0


def measure_correlations(report: Report, qrels: int, method: str) -> Correlations:
    """The correlations of every two measures' orders of the runs, under one of the qrels."""
    names = ranking_measures(report.spec["measures"])
    runs = outcomes(report, qrels)
    scores = [[oriented(run.means[name].mean, name) for name in names] for run in runs]
    return correlations(names, np.array(scores, np.float64).reshape(len(runs), len(names)), method)


def qrels_correlations(report: Report, measure: str, method: str) -> Correlations:
    """The correlations of the runs' orders under every two qrels, by one measure."""
    columns = [
        {outcome.run: oriented(outcome.means[measure].mean, measure) for outcome in outcomes(report, version["id"])}
        for version in report.spec["qrels"]
    ]
    scores = [[column[run["id"]] for column in columns] for run in report.spec["runs"]]
    return correlations([version["name"] for version in report.spec["qrels"]], np.array(scores, np.float64), method)


def oriented(mean: float | None, measure: str) -> float:
    """The mean turned so that higher is better; NaN for none."""
    return np.nan if mean is None else mean * sign_of(measure)


def correlations(names: Sequence[str], scores: Floats, method: str) -> Correlations:
    """The correlations of the columns of `scores`, which has a row for each thing that they order."""
    defined = ~np.isnan(scores)
    n = defined.T.astype(np.float64) @ defined
    return Correlations(names, rbo_matrix(scores) if method == "rbo" else correlation_matrix(scores, method), n)


def rbo_matrix(scores: Floats) -> Floats:
    """RBO of every two columns, as a square array like that of `correlation_matrix`; all pairs at once, which is faster."""
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
    matrix = np.empty((size, size))
    for (i, j), value in zip(pairs, values, strict=True):
        matrix[i, j] = matrix[j, i] = value
    return matrix


def run_correlations(report: Report, runs: Sequence[int], method: str) -> Correlations | None:
    """The published correlations of every two of these runs' rankings; None if they were left out."""
    stored = (report.result or {}).get("rankings")
    if stored is None:
        return None
    names = {run["id"]: run["name"] for run in report.spec["runs"]}
    column = 3 + list(RANKINGS).index(method)
    by_pair = {(row[0], row[1]): (row[2], row[column]) for row in stored}
    values, n = np.full((len(runs), len(runs)), np.nan), np.zeros((len(runs), len(runs)))
    np.fill_diagonal(values, 1.0)
    for i, first in enumerate(runs):
        for j, second in enumerate(runs):
            if pair := by_pair.get((first, second)) or by_pair.get((second, first)):
                n[i, j], values[i, j] = pair[0], np.nan if pair[1] is None else pair[1]
    np.fill_diagonal(n, n.max(axis=1, initial=0))
    return Correlations([names[run] for run in runs], values, n)


def every_agreement(report: Report) -> Iterator[tuple[str, tuple[str, str], dict[str, str], str, Correlations]]:
    """All correlations that the page can show: what is compared, (qrels, measure), titles of coefficients, which one, values."""
    measures, runs = ranking_measures(report.spec["measures"]), [run["id"] for run in report.spec["runs"]]
    for method in ORDERINGS:
        for version in report.spec["qrels"]:
            yield "measures", (version["name"], ""), ORDERINGS, method, measure_correlations(report, version["id"], method)
        for measure in measures:
            yield "qrels", ("", measure), ORDERINGS, method, qrels_correlations(report, measure, method)
    for method in RANKINGS:
        if documents := run_correlations(report, runs, method):
            yield "runs", ("", ""), RANKINGS, method, documents
