"""The effect of a study's labels on its systems, by one measure, as pages and files take it."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from ireval.significance.intervals import Interval, cut_off
from judging.labels.aggregation import MAJORITY, METHOD_CHOICES
from metrics.kinds.runs.results import Estimate
from metrics.kinds.runs.values import bounds
from metrics.kinds.studies import part
from metrics.models import Report

STEP = "effect"


@dataclass(frozen=True)
class System:
    """A run by one measure.

    `alone` is the mean with its interval over topics, `both` over topics and workers, `widening` the share that workers add to
    the width. `judged` is the judged share of the first ten documents, `under` the mean and place under each method of
    aggregation.
    """

    run: int
    name: str
    measure: str
    alone: Estimate
    both: Estimate
    widening: float | None
    judged: float | None
    under: list[tuple[float | None, int]]

    @property
    def alone_shown(self) -> Estimate:
        return within_bounds(self.alone, self.measure)

    @property
    def both_shown(self) -> Estimate:
        return within_bounds(self.both, self.measure)


@dataclass(frozen=True)
class Effect:
    measure: str
    measures: list[str]
    methods: list[str]
    systems: list[System]
    alike: list[tuple[str, list[tuple[float | None, int] | None]]]
    topics: int
    workers: int
    resamples: int
    undefined: str
    refused: dict[str, str]

    @property
    def titles(self) -> list[str]:
        return [title_of(method) for method in self.methods]


def title_of(method: str) -> str:
    return _(METHOD_CHOICES[method].title)


def has_effect(report: Report) -> bool:
    """Whether the effect was computed; reports of earlier versions lack it."""
    return STEP in report.spec["steps"]


def effect_of(report: Report, measure: str = "") -> Effect | str:
    """The effect by one measure, by the first if this was not computed; or the reason why there is none."""
    result = part(report, STEP)
    if result["why"]:
        return _(result["why"])
    m = result["measures"].index(measure) if measure in result["measures"] else 0
    systems = [system(result, r, m) for r in range(len(result["runs"]))]
    first = result["methods"].index(MAJORITY)
    return Effect(
        measure=result["measures"][m],
        measures=result["measures"],
        methods=result["methods"],
        systems=sorted(systems, key=lambda system: (system.under[first][1], system.name)),
        alike=alike(result, m),
        **{name: result[name] for name in ("topics", "workers", "resamples", "undefined", "refused")},
    )


def system(result: dict[str, Any], r: int, m: int) -> System:
    mean = result["mean"][r][m]
    return System(
        run=result["runs"][r]["id"],
        name=result["runs"][r]["name"],
        measure=result["measures"][m],
        alone=Estimate(mean, *result["by_topics"][r][m]),
        both=Estimate(mean, *result["by_both"][r][m]),
        widening=result["widening"][r][m],
        judged=result["judged"][r],
        under=[(means[r][m], places[r][m]) for means, places in zip(result["means"], result["place"], strict=True)],
    )


def alike(result: dict[str, Any], m: int) -> list[tuple[str, list[tuple[float | None, int] | None]]]:
    """One row per method of aggregation: its title, and for each method τ between them and the most places that a run loses.

    The diagonal is None.
    """
    tau, drop, size = result["tau"][m], result["drop"][m], range(len(result["methods"]))
    rows = [[None if i == j else (tau[i][j], max(drop[i][j], drop[j][i])) for j in size] for i in size]
    return [(title_of(method), row) for method, row in zip(result["methods"], rows, strict=True)]


def within_bounds(estimate: Estimate, measure: str) -> Estimate:
    """The estimate as pages and files show it: its interval is cut off at the measure's lowest and highest value.

    The bootstrap's interval is moved onto the mean, and few topics may move it out of the range. The mean is never moved.
    """
    limits = bounds(measure)
    if limits is None or estimate.mean is None or estimate.low is None or estimate.high is None:
        return estimate
    return Estimate(*cut_off(Interval(estimate.mean, estimate.low, estimate.high), limits))
