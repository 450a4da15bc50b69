"""Values of a report on runs: the per-topic values of one run, and the means that a finished report publishes."""

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from ireval import BadMeasure, Measure, Qrels, evaluate, measure_interval, parse_measure, parse_measures
from metrics.kinds.runs.results import RETRIEVED, VALUES
from metrics.kinds.runs.rules import rules_of
from metrics.models import Report
from metrics.pipeline import CannotCompute
from metrics.stored_tables import from_parquet

JUDGED = "Judged@10"
R_PRECISION = "Rprec"
PRECISIONS = [str(measure) for measure in parse_measures("iprec_at_recall")]
# Every report has these, asked for or not. They say how far to trust a number, draw the precision-recall curve and the precision
# histogram, and are trec_eval's counts.
ALWAYS = [JUDGED, *PRECISIONS, R_PRECISION, RETRIEVED, "NumRel", "NumRelRet"]


def per_topic_values(
    run: pl.DataFrame, qrels: pl.DataFrame, spec: dict[str, Any], duplicates: pl.DataFrame | None = None
) -> pl.DataFrame:
    """One row per counted topic, with a column for each measure of the spec and of ALWAYS.

    CannotCompute where a measure was told a size of the collection that cannot be.
    """
    rules, judged = rules_of(spec), Qrels(qrels, duplicates=duplicates)
    try:
        values = evaluate(run, judged, [*spec["measures"], *ALWAYS], **rules, may_share_none=True).values
    except BadMeasure as reason:
        raise CannotCompute(str(reason)) from reason
    if rules["judged_only"]:  # without unjudged documents all are judged; readers want to know how much of the ranking was
        rules["judged_only"] = False
        values = values.with_columns(evaluate(run, judged, JUDGED, **rules, may_share_none=True).values[JUDGED])
    return values


def summary(report: Report) -> dict[str, Any]:
    """The published result: one row per run and qrels, each qrels' runs in the order of the question."""
    measures = parse_measures(report.spec["measures"])
    tables = report.tables.filter(name=VALUES).order_by("part__qrels_id", "part_id")
    parts = tables.values_list("part__run_id", "part__qrels_id", "content").iterator(chunk_size=20)
    return {"rows": [row(run, qrels, from_parquet(content), measures) for run, qrels, content in parts]}


def row(run: int, qrels: int, values: pl.DataFrame, measures: list[Measure]) -> dict[str, Any]:
    return {
        "run": run,
        "qrels": qrels,
        "topics": len(values),
        "means": {str(measure): estimate(values, measure) for measure in measures},
        "judged": mean(values[JUDGED]),
        "precisions": [mean(values[name]) for name in PRECISIONS],
    }


def estimate(values: pl.DataFrame, measure: Measure) -> list[float | None]:
    """The mean and the ends of its interval, cut off at the measure's range.

    No ends for sums, geometric means, and means over fewer than two topics.
    """
    return [finite(number) for number in measure_interval(values, measure)]


def bounds(measure: str) -> tuple[float, float] | None:
    """The lowest and highest value that a measure can have; None for sums, which have no interval."""
    kind = parse_measure(measure).kind
    return None if kind.aggregate == "sum" else kind.range


def largest_difference(measure: str) -> float:
    """The most by which two means can differ; infinite for sums and where the collection sets the limit."""
    limits = bounds(measure)
    return parse_measure(measure).kind.largest_difference if limits else math.inf


def mean(values: pl.Series) -> float | None:
    value = values.mean()
    return float(value) if isinstance(value, float) else None


def ranking_measures(names: Sequence[str]) -> list[str]:
    """The measures by which one run can be better than another; counts are not among them."""
    return [str(measure) for measure in parse_measures(names) if measure.kind.better != "neither"]


def main_measure(report: Report) -> str:
    """The report's first measure by which a run can be better than another; else its first measure."""
    measures = report.spec["measures"]
    return next(iter(ranking_measures(measures)), measures[0])


def finite(number: float) -> float | None:
    """The number, or None for NaN and infinity, which JSON cannot hold."""
    return number if math.isfinite(number) else None
