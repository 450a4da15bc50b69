"""What a log's report consists of, by its kind."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from judging.models import Experiment
from metrics.kinds.ab import parts as ab
from metrics.kinds.clicks import parts as clicks
from metrics.kinds.interleaving import parts as interleaved
from metrics.models import LogReport

# Sums of a part, to be added up, and rows where sums are not enough.
Found = tuple[dict[str, Any], pl.DataFrame | None]
Result = tuple[dict[str, Any], list[pl.DataFrame]]


@dataclass(frozen=True)
class Kind:
    """`plan` settles what all parts have in common, and how many there are; `part` computes one; `result` puts them together, and
    says which rows each part keeps."""

    plan: Callable[[LogReport, datetime], tuple[dict[str, Any], int]]
    part: Callable[[LogReport, int, int], Found]
    result: Callable[[LogReport, Sequence[Found]], Result]


def of_users(together: Callable[[LogReport, Sequence[Found]], dict[str, Any]]) -> Callable[[LogReport, Sequence[Found]], Result]:
    """What users did stays with the site alone: of a part's rows nothing is kept."""
    return lambda report, found: (together(report, found), [])


KINDS = {
    LogReport.Kind.AB: Kind(ab.plan, ab.part, of_users(ab.together)),
    LogReport.Kind.INTERLEAVING: Kind(interleaved.plan, interleaved.part, of_users(interleaved.together)),
    LogReport.Kind.CLICKS: Kind(clicks.plan, clicks.part, clicks.together),
}


def kind_of(report: LogReport) -> Kind:
    return KINDS[LogReport.Kind(report.kind)]


def spec_of(experiment: Experiment) -> dict[str, Any]:
    return (interleaved if experiment.interleaves else ab).spec_of(experiment)
