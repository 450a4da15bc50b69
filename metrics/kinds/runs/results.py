"""Results of a report on runs: its published means, and the per-topic values behind them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import polars as pl

from ireval import parse_measure
from judging.models import Qrels
from metrics.models import Report
from metrics.stored_tables import from_parquet

RETRIEVED = "NumRet"
# The names of the parts' tables.
VALUES, CURVES = "values", "curves"


@dataclass(frozen=True)
class Estimate:
    """A mean over topics and the ends of its 95 % interval.

    The mean is None without topics, the ends are None with fewer than two.
    """

    mean: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Outcome:
    """The published numbers of one run under one of the qrels: means by measure, and the share judged."""

    run: int
    name: str
    qrels: int
    topics: int
    means: dict[str, Estimate]
    judged: float | None
    precisions: list[float | None]


def outcomes(report: Report, qrels: int | None = None) -> list[Outcome]:
    """The outcomes under one of the qrels, or under all, in the order of the report's question."""
    names = {run["id"]: run["name"] for run in report.spec["runs"]}
    places = {version["id"]: place for place, version in enumerate(report.spec["qrels"])}
    rows: list[dict[str, Any]] = sorted((report.result or {}).get("rows", []), key=lambda row: places[row["qrels"]])
    return [outcome_in(row, names[row["run"]], report.spec["measures"]) for row in rows if qrels in (None, row["qrels"])]


def outcome_of(report: Report, *, qrels: int, run: int) -> Outcome | None:
    return next((outcome for outcome in outcomes(report, qrels) if outcome.run == run), None)


def outcome_in(row: dict[str, Any], name: str, measures: Iterable[str]) -> Outcome:
    means = {measure: Estimate(*row["means"][measure]) for measure in measures}  # PostgreSQL keeps no order of keys
    return Outcome(row["run"], name, row["qrels"], row["topics"], means, row["judged"], row["precisions"])


def graded_by(report: Report) -> list[Qrels]:
    """The report's qrels, in the order of its question."""
    versions = Qrels.objects.in_bulk([version["id"] for version in report.spec["qrels"]])
    return [versions[version["id"]] for version in report.spec["qrels"]]


def best_first(runs: Iterable[Outcome], measure: str) -> list[Outcome]:
    """The outcomes sorted by a measure, the best first; runs that count no topic come last."""
    sign = sign_of(measure)
    return sorted(runs, key=lambda run: (-worth(run.means[measure].mean, sign), run.name))


def sign_of(measure: str) -> int:
    """1, or −1 where lower is better, as with search length."""
    return -1 if parse_measure(measure).kind.better == "lower" else 1


def worth(mean: float | None, sign: int) -> float:
    """The mean turned so that more is better; −∞ for no mean."""
    return lowest_if_none(None if mean is None else sign * mean)


def lowest_if_none(number: float | None) -> float:
    return -math.inf if number is None else number


def values(report: Report, *, qrels: int, run: int) -> pl.DataFrame:
    """Per-topic values of one run: one row per topic, with the columns topic and one per measure."""
    return from_parquet(contents(report, qrels=qrels, runs=[run])[run])


def contents(report: Report, *, qrels: int, runs: Iterable[int], table: str = VALUES) -> dict[int, bytes]:
    """The Parquet of each run's table under one of the qrels, by the run's key, in the order of the question."""
    tables = report.tables.filter(name=table, part__qrels_id=qrels, part__run_id__in=list(runs)).order_by("part_id")
    return {run: bytes(content) for run, content in tables.values_list("part__run_id", "content")}


@dataclass(frozen=True)
class TopicValues:
    """One measure's values: one row per topic, with a column per run, named by its id.

    A value is null where the topic was not counted for the run. `without_ranking` has each (topic, run) for which nothing was
    retrieved.
    """

    frame: pl.DataFrame
    without_ranking: frozenset[tuple[str, int]]


def values_of_runs(report: Report, *, qrels: int, runs: Iterable[int], measure: str) -> TopicValues:
    parts = contents(report, qrels=qrels, runs=runs)
    frames = {run: from_parquet(content, {"topic", measure, RETRIEVED}) for run, content in parts.items()}
    columns = [frame.select("topic", pl.col(measure).alias(str(run))) for run, frame in frames.items()]
    return TopicValues(
        frame=pl.concat(columns, how="align") if len(columns) > 1 else columns[0],
        without_ranking=frozenset((topic, run) for run, frame in frames.items() for topic in topics_without(frame)),
    )


def topics_without(frame: pl.DataFrame) -> list[str]:
    return frame.filter(pl.col(RETRIEVED) == 0)["topic"].to_list()
