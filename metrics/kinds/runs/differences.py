"""Stored differences between a report's runs as a reader chose them: by one test and correction, the better run first."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from django.utils.translation import gettext_lazy, pgettext_lazy

from ireval.significance import CORRECTIONS as ALL_CORRECTIONS
from ireval.significance import shares_of_alpha
from ireval.significance.students_t import corrected_ends
from metrics.kinds.runs.contrasts import DIFFERENCES, MOST_PAIRS, SCHEMA, comparable_measures
from metrics.kinds.runs.results import Outcome, best_first, outcomes, sign_of
from metrics.kinds.runs.values import largest_difference
from metrics.models import Report
from metrics.stored_tables import table_of

ALPHA = 0.05
TESTS = {"t": gettext_lazy("paired t test"), "randomisation": gettext_lazy("randomisation test"), "tukey": "Tukey HSD"}
CORRECTIONS = {"holm": "Holm", "bh": "Benjamini–Hochberg", "none": pgettext_lazy("correction", "none")}


class Pair(NamedTuple):
    """Two runs by their ids, the one with the better mean first, and their difference.

    `level` is the confidence that the correction leaves the interval. None stands for what cannot be said or was left out.
    """

    first: int
    second: int
    n: int
    difference: float
    low: float | None
    high: float | None
    level: float | None
    effect: float | None
    p: float | None
    corrected: float | None

    @property
    def is_told_apart(self) -> bool:
        return self.corrected is not None and self.corrected < ALPHA

    def turned(self) -> "Pair":
        """The same pair as seen from the other run."""
        low, high, effect = (None if number is None else -number for number in (self.high, self.low, self.effect))
        return self._replace(first=self.second, second=self.first, difference=-self.difference, low=low, high=high, effect=effect)


@dataclass(frozen=True)
class Differences:
    """All pairs of runs under one of the qrels, by one measure, with one test and one correction."""

    report: Report
    qrels: int
    measure: str
    test: str
    correction: str

    @cached_property
    def runs(self) -> list[Outcome]:
        """The runs with a mean, the best first."""
        ordered = best_first(outcomes(self.report, self.qrels), self.measure)
        return [outcome for outcome in ordered if outcome.means[self.measure].mean is not None]

    @cached_property
    def names(self) -> dict[int, str]:
        return {run["id"]: run["name"] for run in self.report.spec["runs"]}

    @property
    def sign(self) -> int:
        return sign_of(self.measure)

    @cached_property
    def pairs(self) -> list[Pair]:
        """All pairs, from the largest difference to the smallest."""
        frame = stored(self.report).filter(qrels=self.qrels, measure=self.measure)
        chosen = with_test(frame, self.test, self.correction)
        pairs = [Pair(*row) for row in chosen.select(Pair._fields).iter_rows()]
        better_first = (pair.turned() if pair.difference * self.sign < 0 else pair for pair in pairs)
        return sorted(better_first, key=lambda pair: (-abs(pair.difference), self.names[pair.first], self.names[pair.second]))

    @cached_property
    def told_apart(self) -> list[Pair]:
        return [pair for pair in self.pairs if pair.is_told_apart]

    @property
    def topics(self) -> int:
        return self.pairs[0].n if self.pairs else 0

    @property
    def leaves_topics_out(self) -> bool:
        """Whether some runs count topics that others do not."""
        return any(outcome.topics > self.topics for outcome in self.runs)

    @property
    def was_too_much(self) -> bool:
        """Whether there are so many pairs that some or all of them were left out."""
        pairs = len(self.runs) * (len(self.runs) - 1) // 2
        return pairs * len(comparable_measures(self.report)) * len(self.report.spec["qrels"]) > MOST_PAIRS

    @property
    def lacks_the_test(self) -> bool:
        """Whether the chosen test was left out here because all tests together would have taken too long."""
        return self.test != "t" and bool(self.pairs) and all(pair.p is None for pair in self.pairs)

    @property
    def rule(self) -> str:
        """The test, its correction and α, in few words."""
        correction = "" if self.test == "tukey" or self.correction == "none" else f", {CORRECTIONS[self.correction]}"
        return f"{TESTS[self.test]}{correction}, α = .05"

    @cached_property
    def by_runs(self) -> dict[frozenset[int], Pair]:
        return {frozenset((pair.first, pair.second)): pair for pair in self.pairs}

    def between(self, first: int, second: int) -> Pair | None:
        """The pair of these two runs, in this order; None if they were not compared."""
        pair = self.by_runs.get(frozenset((first, second)))
        return pair.turned() if pair and pair.first != first else pair

    def in_order(self, order: str) -> list[Pair]:
        """The pairs sorted by a field, falling after a minus; unknown numbers come last."""
        column, falling = order.removeprefix("-"), order.startswith("-")
        if column in ("first", "second"):
            return sorted(self.pairs, key=lambda pair: self.names[getattr(pair, column)].lower(), reverse=falling)
        defined = [pair for pair in self.pairs if getattr(pair, column) is not None]
        undefined = [pair for pair in self.pairs if getattr(pair, column) is None]
        return [*sorted(defined, key=lambda pair: getattr(pair, column), reverse=falling), *undefined]


def measures_of(report: Report) -> list[str]:
    return [str(measure) for measure in comparable_measures(report)]


def stored(report: Report) -> pl.DataFrame:
    kept = table_of(report, DIFFERENCES)
    return pl.DataFrame(schema=SCHEMA) if kept is None else kept


def with_test(frame: pl.DataFrame, test: str, correction: str) -> pl.DataFrame:
    """The frame with `p` and `corrected` of one test, and the interval that leaves out 0 exactly where `corrected` is below α."""
    if test == "tukey":
        difference, half = pl.col("difference"), pl.col("half")
        ends = {"low": difference - half, "high": difference + half}
        return cut_off(frame.with_columns(p="p_tukey", corrected="p_tukey", level=pl.lit(1 - ALPHA), **ends))
    names = (f"p_{test}", "low", "high")
    p, low, high = (frame[name].cast(pl.Float64).fill_null(math.nan).to_numpy() for name in names)
    low, high = corrected_ends(p, low, high, frame["n"].to_numpy() - 1, correction=correction)
    level = 1 - shares_of_alpha(p, correction, ALPHA)
    columns = {"p": p, "corrected": ALL_CORRECTIONS[correction][1](p), "low": low, "high": high, "level": level}
    return cut_off(frame.with_columns(pl.Series(name, values).fill_nan(None) for name, values in columns.items()))


def cut_off(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with intervals that end where differences by the row's measure can."""
    by_measure = {measure: largest_difference(measure) for measure in frame["measure"].unique()}
    largest = pl.lit(pl.Series([by_measure[measure] for measure in frame["measure"]], dtype=pl.Float64))
    return frame.with_columns(pl.col("low", "high").clip(-largest, largest))


def every_correction(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with a column for each test and correction; the pairs of one measure and qrels are corrected together."""
    groups = [
        group.with_columns(
            corrected(group[f"p_{test}"], correction).alias(f"p_{test}_{correction}")
            for test in TESTS
            for correction in CORRECTIONS
            if test != "tukey" and correction != "none"
        )
        for group in frame.partition_by("qrels", "measure", maintain_order=True) or [frame]
    ]
    return cut_off(pl.concat(groups))


def corrected(p: pl.Series, correction: str) -> pl.Series:
    numbers = np.array([np.nan if value is None else value for value in p], np.float64)
    return pl.Series(ALL_CORRECTIONS[correction][1](numbers)).fill_nan(None)


@dataclass(frozen=True)
class MatrixCell:
    """The row's run against the column's; no pair on the diagonal."""

    pair: Pair | None
    row: str
    column: str
    is_better: bool

    @property
    def verdict(self) -> str:
        """`better` or `worse`; empty where chance may have made the difference."""
        if self.pair is None or not self.pair.is_told_apart:
            return ""
        return "better" if self.is_better else "worse"


def matrix(differences: Differences, runs: Sequence[Outcome]) -> list[tuple[Outcome, list[MatrixCell]]]:
    """One row and one column per run, in the order given."""
    ids = {run.run for run in runs}
    shown = [pair for pair in differences.pairs if pair.first in ids and pair.second in ids]
    by_runs = {(side.first, side.second): side for pair in shown for side in (pair, pair.turned())}
    better = {(pair.first, pair.second) for pair in shown}
    return [
        (row, [MatrixCell(by_runs.get(key := (row.run, column.run)), row.name, column.name, key in better) for column in runs])
        for row in runs
    ]
