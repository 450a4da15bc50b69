"""Curves of one run under one of the qrels: computed and stored with its per-topic values, read by pages and files.

Cumulated gain is by rank, precision by recall, and ROC's share of relevant documents by the share of non-relevant ones. Each is a
mean over the topics that count for the report.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ireval import Measure, parse_measures
from ireval.arrays import Floats
from ireval.curves.curves import GainCurve, Roc, cumulated_gain, discounted_cumulated_gain, roc, share_of
from ireval.io.checked_frames import believe
from ireval.measures.arrangement import rankings_of
from ireval.measures.evaluation import EvaluationRules
from ireval.measures.gains import GainModel
from ireval.measures.precision import ELEVEN_POINTS
from ireval.measures.rankings import Qrels, Rankings
from ireval.significance.intervals import mean_interval
from metrics.kinds.runs.results import CURVES, Outcome, contents
from metrics.kinds.runs.rules import rules_of
from metrics.kinds.runs.values import PRECISIONS, estimate
from metrics.models import Report
from metrics.stored_tables import from_parquet

Ends = tuple[float | None, float | None]
Points = tuple[list[float], list[float]]

PRECISION = "interpolated precision"
DEEPEST = 100
# The engine keeps a row of ranks for each topic: so many topics at a time need no more than some 30 MB.
TOPICS_AT_ONCE = 1000
# ROC follows rankings down to the usual thousand documents; a curve of ROC_RANKS points looks the same.
DEEPEST_ROC = 1000
ROC_RANKS = 98
# Versions of the engine whose reports drew the usual discount, whatever was asked.
DISCOUNTED_AS_USUAL = ("1", "2", "3")
SCHEMA = pl.Schema({"curve": pl.String, "x": pl.Float64, "value": pl.Float64})


@dataclass(frozen=True)
class RunCurves:
    """A run's curves by their names; `ends` are the intervals of the precisions, `areas` of the areas."""

    run: int
    name: str
    points: Mapping[str, Points]
    ends: Sequence[Ends]
    areas: Mapping[str, Ends]


class Traces(NamedTuple):
    """A run's curves: one row per point (SCHEMA), none where no topic counts; and the interval of the area under each share."""

    points: pl.DataFrame
    areas: dict[str, list[float | None]]


def trace_curves(run: pl.DataFrame, qrels: pl.DataFrame, spec: dict[str, Any], duplicates: pl.DataFrame | None = None) -> Traces:
    topics = 0
    sums: dict[str, Floats] = {}
    areas: dict[str, list[float]] = {"nCG": [], "nDCG": []}
    for rankings in blocks(run, qrels, rules_of(spec), duplicates):
        topics += len(rankings)
        gains = gain_curves(rankings, gain_model(spec["measures"]))
        for name, gain in gains.items():
            areas[f"n{name}"] += gain.areas().tolist()
        for name, mean in means(rankings, spec["relevant_from"], gains).items():
            sums[name] = sums.get(name, 0) + mean * len(rankings)
    points = as_frame({name: total / topics for name, total in sums.items()})
    return Traces(points, {name: area_interval(values) for name, values in areas.items()})


def area_interval(areas: Sequence[float]) -> list[float | None]:
    """The ends of the interval of the mean area over topics; none for fewer than two."""
    if len(areas) < 2:
        return [None, None]
    _, low, high = mean_interval(areas, bounds=(0, 1))
    return [low, high]


def blocks(run: pl.DataFrame, qrels: pl.DataFrame, rules: EvaluationRules, duplicates: pl.DataFrame | None) -> Iterator[Rankings]:
    """The rankings of the topics that count, by the rules of `evaluate`."""
    topics = qrels["topic"].unique(maintain_order=True)
    if rules["topics"] == "both":
        topics = topics.filter(topics.is_in(run["topic"].unique().implode()))
    for start in range(0, len(topics), TOPICS_AT_ONCE):
        chosen = pl.col("topic").is_in(topics.slice(start, TOPICS_AT_ONCE).implode())
        yield rankings_by(rules, run.filter(chosen), qrels.filter(chosen), duplicates)


def rankings_by(rules: EvaluationRules, run: pl.DataFrame, qrels: pl.DataFrame, duplicates: pl.DataFrame | None) -> Rankings:
    """The rankings of a stored run, which was checked at its import."""
    return rankings_of(
        believe(run, "run"),
        Qrels(qrels, duplicates=duplicates),
        profile=rules["profile"],
        depth=rules["depth"],
        judged_only=rules["judged_only"],
        ties=rules["ties"],
    )


def gain_model(measures: Iterable[str]) -> GainModel:
    """The gains and the discount of the first discounted gain that the question names; the usual ones where it names none.

    >>> gain_model(["AP", "nDCG(dcg='jk')@10", "nDCG"]).dcg, gain_model(["AP"]).dcg
    ('jk', 'log2')
    """
    asked = next((measure for measure in parse_measures(measures) if measure.kind.name in ("nDCG", "DCG")), None)
    return GainModel(*(asked.values[name] for name in ("dcg", "base", "gains"))) if asked else GainModel()


def model_of(report: Report) -> GainModel:
    """What the report's gains were discounted by."""
    return GainModel() if report.engine_version in DISCOUNTED_AS_USUAL else gain_model(report.spec["measures"])


def gain_curves(rankings: Rankings, model: GainModel) -> dict[str, GainCurve]:
    """The curves of one block over all its topics, also those without judged documents."""
    return {
        "CG": cumulated_gain(rankings, cutoff=DEEPEST, gains=model.gains, topics="qrels"),
        "DCG": discounted_cumulated_gain(
            rankings, cutoff=DEEPEST, dcg=model.dcg, base=model.base, gains=model.gains, topics="qrels"
        ),
    }


def means(rankings: Rankings, relevant_from: int, gains: Mapping[str, GainCurve]) -> dict[str, Floats]:
    """The mean curves of one block, by name: values by rank."""
    curves: dict[str, Floats] = {}
    for name, gain in gains.items():
        curves |= {name: gain.mean(), f"ideal {name}": gain.ideal_mean(), f"n{name}": gain.normalised_mean()}
    fpr, tpr = roc(rankings, cutoff=DEEPEST_ROC, rel=relevant_from, topics="qrels").mean()
    return curves | {"fpr": fpr, "tpr": tpr}


def as_frame(means: dict[str, Floats]) -> pl.DataFrame:
    if not means:
        return pl.DataFrame(schema=SCHEMA)
    points = roc_points(means.pop("fpr"), means.pop("tpr"))
    rows = [(name, float(rank), mean) for name, values in means.items() for rank, mean in enumerate(values.tolist(), start=1)]
    return pl.DataFrame([*rows, *(("ROC", *point) for point in points.tolist())], schema=SCHEMA, orient="row")


def roc_points(fpr: Floats, tpr: Floats) -> Floats:
    """The points of ROC from (0, 0) to (1, 1), none twice in a row; densest at the first ranks, where rankings differ most."""
    kept = np.unique(np.geomspace(1, len(fpr), ROC_RANKS).round().astype(int)) - 1
    points = Roc([], fpr, tpr, "lost").points(fpr[kept], tpr[kept])
    return points[np.append(True, np.diff(points, axis=0).any(axis=1))]


def run_curves(report: Report, qrels: int, runs: Sequence[Outcome]) -> list[RunCurves]:
    """The curves of each run; runs that count no topic have none."""
    kept, ends, areas = curves_of(report, qrels, runs), intervals_of(report, qrels, runs), areas_of(report, qrels, runs)
    counting = [run for run in runs if run.topics]
    return [RunCurves(run.run, run.name, kept[run.run], ends[run.run], areas.get(run.run, {})) for run in counting]


def curves(report: Report, outcome: Outcome) -> dict[str, Points]:
    """Every curve of one run under one of the qrels, by name: (x, value)."""
    return curves_of(report, outcome.qrels, [outcome])[outcome.run]


def curves_of(report: Report, qrels: int, outcomes: Sequence[Outcome]) -> dict[int, dict[str, Points]]:
    """The curves of several runs, by the run's key and the curve's name."""
    kept = contents(report, qrels=qrels, runs=[outcome.run for outcome in outcomes], table=CURVES)
    return {outcome.run: points_of(outcome, kept.get(outcome.run)) for outcome in outcomes}


def points_of(outcome: Outcome, content: bytes | None) -> dict[str, Points]:
    """The stored curves, and that of the interpolated precisions that the report has published."""
    by_name = {PRECISION: (list(ELEVEN_POINTS), precisions)} if (precisions := precisions_of(outcome)) else {}
    if content is None:  # computed before curves were stored
        return by_name
    for (name,), points in from_parquet(content).group_by("curve", maintain_order=True):
        by_name[str(name)] = (points["x"].to_list(), points["value"].to_list())
    return by_name | {f"n{gain} micro": ratio_of_means(by_name, gain) for gain in ("CG", "DCG") if gain in by_name}


def intervals_of(report: Report, qrels: int, outcomes: Sequence[Outcome]) -> dict[int, list[Ends]]:
    """The ends of the intervals of each run's interpolated precisions, by the run's key, from its values of topics."""
    kept = contents(report, qrels=qrels, runs=[outcome.run for outcome in outcomes])
    levels = parse_measures(PRECISIONS)
    frames = {run: from_parquet(content, PRECISIONS) for run, content in kept.items()}
    return {run: [ends_of(frame, level) for level in levels] for run, frame in frames.items()}


def areas_of(report: Report, qrels: int, outcomes: Sequence[Outcome]) -> dict[int, dict[str, Ends]]:
    """The ends of the intervals of each run's areas, by the run's key and the curve; reports of earlier versions have none."""
    parts = report.parts.filter(qrels_id=qrels, run_id__in=[outcome.run for outcome in outcomes])
    kept = ((run, (result or {}).get("areas", {})) for run, result in parts.values_list("run_id", "result"))
    return {run: {curve: (low, high) for curve, (low, high) in areas.items()} for run, areas in kept}


def ends_of(frame: pl.DataFrame, measure: Measure) -> Ends:
    _, low, high = estimate(frame, measure)
    return low, high


def ratio_of_means(by_name: dict[str, Points], gain: str) -> Points:
    """The mean gain by rank over the mean ideal gain, 0 where that is nothing: Järvelin and Kekäläinen's normalised curve."""
    (ranks, reached), (_, ideal) = by_name[gain], by_name[f"ideal {gain}"]
    return ranks, share_of(np.array(reached), np.array(ideal)).tolist()


def precisions_of(outcome: Outcome) -> list[float]:
    return [precision for precision in outcome.precisions if precision is not None]
