"""Evidence of an A/B report: a spec, settled when the report is asked for and when computing begins."""

from datetime import datetime
from typing import Any

from judging.logs import bots
from judging.logs.moments import micros
from judging.models import Experiment
from metrics.kinds.experiments.looks import looks_of
from metrics.logs.bots import filter_of
from metrics.logs.frames import ALL, Window, parts_of, window_of
from metrics.models import Report

# A part's records are held in memory as numbers.
ROWS_A_PART = 3_500_000
MOST_SEGMENTS = 8


def spec_of(experiment: Experiment) -> dict[str, Any]:
    return {
        "metrics": experiment.metrics,
        "arms": [arm.name for arm in experiment.arms.all()],
        "segments": experiment.segments,
        "before": bool(experiment.before_days),
        "bots": filter_of(bots.current(experiment.site)).as_spec(),
    }


def plan(report: Report, as_of: datetime) -> tuple[dict[str, Any], int]:
    """The spec that all parts share, settled once, and the number of parts."""
    assert report.experiment
    window = window_of(report.experiment, as_of)
    start = report.experiment.started
    assert start
    values = {name: values_of(window, name, report.experiment) for name in report.spec["segments"]}
    looks = [micros(moment) for moment in looks_of(start, window.until)]
    return {"looks": looks, "values": values}, parts_of(window, ROWS_A_PART)


def values_of(window: Window, attribute: str, experiment: Experiment) -> list[str]:
    """The commonest values of an attribute of searches, at most MOST_SEGMENTS."""
    commonest = window.ask(
        "SELECT attributes[$1] AS value FROM queries WHERE value IS NOT NULL AND arms[$2] IS NOT NULL"
        " GROUP BY value ORDER BY count(*) DESC, value LIMIT $3",
        [attribute, experiment.name, MOST_SEGMENTS],
        queries=ALL,
    )
    return commonest["value"].to_list()
