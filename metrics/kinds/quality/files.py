"""Files of a graded study's report."""

from typing import Any

import polars as pl

from metrics.downloads import JSON, File, as_csv, table
from metrics.kinds.quality.systems import Effect, System, effect_of, has_effect
from metrics.kinds.studies import rows
from metrics.kinds.study_files import as_json
from metrics.models import Report


def items_csv(report: Report) -> str:
    """One row per item, the most doubtful first, with a column for how many votes each grade has."""
    grades = sorted(report.subject.grades)
    counts = [pl.col("votes").list.get(place).alias(f"grade {grade}") for place, grade in enumerate(grades)]
    return as_csv(rows(report, "items").with_columns(counts).drop("votes"))


def workers_csv(report: Report) -> str:
    return as_csv(with_names(rows(report, "workers")).with_columns(pl.col("why").list.join("; ")))


def with_names(frame: pl.DataFrame) -> pl.DataFrame:
    """Workers as pages call them: w12."""
    return frame.with_columns(pl.format("w{}", name).alias(name) for name in ("worker", "twin_worker"))


def quality_json(report: Report) -> str:
    return as_json(
        report,
        by_item=rows(report, "items").to_dicts(),
        by_worker=with_names(rows(report, "workers")).to_dicts(),
    )


def systems_csv(report: Report) -> str:
    """One row per run and measure: everything on the page."""
    first = effect_of(report) if has_effect(report) else ""
    if isinstance(first, str):
        return table(["run", "measure"], [])
    head = ["run", "measure", "mean", "low_topics", "high_topics", "low_both", "high_both", "widening", "judged@10"]
    head += [f"{what} {method}" for method in first.methods for what in ("mean", "place")]
    effects = [effect for measure in first.measures if isinstance(effect := effect_of(report, measure), Effect)]
    return table(head, [row(system) for effect in effects for system in effect.systems])


def row(system: System) -> list[Any]:
    alone, both = system.alone_shown, system.both_shown
    ends = [alone.mean, alone.low, alone.high, both.low, both.high]
    under = [number for pair in system.under for number in pair]
    return [system.name, system.measure, *ends, system.widening, system.judged, *under]


FILES = {
    "items.csv": File(items_csv),
    "workers.csv": File(workers_csv),
    "systems.csv": File(systems_csv),
    "quality.json": File(quality_json, JSON),
}
