"""Evidence of an interleaving report: a spec, settled when the report is asked for and when computing begins."""

from datetime import datetime
from typing import Any

from judging.logs import bots
from judging.logs.moments import micros
from judging.models import Experiment
from metrics.kinds.experiments.looks import looks_of
from metrics.logs.bots import filter_of
from metrics.logs.frames import parts_of, window_of
from metrics.models import Report

ROWS_A_PART = 1_700_000  # with their texts


def spec_of(experiment: Experiment) -> dict[str, Any]:
    return {
        "method": experiment.method,
        "arms": [arm.name for arm in experiment.arms.all()],
        "bots": filter_of(bots.current(experiment.site)).as_spec(),
    }


def plan(report: Report, as_of: datetime) -> tuple[dict[str, Any], int]:
    """The spec that all parts share, settled once, and the number of parts."""
    assert report.experiment and report.experiment.started
    window = window_of(report.experiment, as_of)
    looks = looks_of(report.experiment.started, window.until)
    return {"looks": [micros(moment) for moment in looks]}, parts_of(window, ROWS_A_PART)
