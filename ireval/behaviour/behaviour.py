"""From a log to its experiment: sums per arm of what units did, which can be stored and added."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from ireval.arrays import Ints
from ireval.behaviour.definitions import DEFAULT_METRICS, Definition, definition_of
from ireval.behaviour.log import BadLog, Log, require_log
from ireval.behaviour.looks import experiments_at
from ireval.behaviour.part import Amounts, BehaviourRules, Part, Totals
from ireval.behaviour.units import units_of
from ireval.behaviour.volume import DAYS, Volume, counts_of, days_of, merged_days
from ireval.experiments.observations import Experiment, Observed, experiment_from
from ireval.experiments.sums import as_sums, from_sums
from ireval.io.arguments import require_each

DEFAULT_RULES = BehaviourRules()


@dataclass(frozen=True, eq=False)
class Behaviour:
    """What the units of a log, or of a part of it, did in an experiment.

    - experiment: the whole time. looks: by moment, the experiment until then.
    - segments: by number of the segment, the experiment of its units.
    - days: one row per day (since 1970, UTC) and arm: new units, units that searched, and their searches.
    """

    experiment: Experiment
    looks: Mapping[int, Experiment]
    segments: Mapping[int, Experiment]
    counts: Volume
    days: pl.DataFrame

    def merged(self, other: "Behaviour") -> "Behaviour":
        """Add the behaviour of another part of the same log; no unit may be in both.

        BadLog for other looks; BadExperiment as `Experiment.merged`.
        """
        if list(self.looks) != list(other.looks):
            raise BadLog("parts of one log have the same looks")
        looks = {moment: experiment.merged(other.looks[moment]) for moment, experiment in self.looks.items()}
        both = {
            number: experiment.merged(other.segments[number])
            for number, experiment in self.segments.items()
            if number in other.segments
        }
        return Behaviour(
            self.experiment.merged(other.experiment),
            looks,
            dict(sorted({**other.segments, **self.segments, **both}.items())),
            self.counts.merged(other.counts),
            merged_days(self.days, other.days),
        )

    def as_sums(self) -> dict[str, Any]:
        """The sums as JSON can hold them; `from_sums` restores the behaviour."""
        return {
            "experiment": as_sums(self.experiment),
            "looks": [[moment, as_sums(experiment)] for moment, experiment in self.looks.items()],
            "segments": [[number, as_sums(experiment)] for number, experiment in self.segments.items()],
            "counts": self.counts._asdict(),
            "days": self.days.rows(),
        }

    @staticmethod
    def from_sums(sums: Mapping[str, Any]) -> "Behaviour":
        """The behaviour that `as_sums` made sums of."""
        looks, segments = ({key: from_sums(part) for key, part in sums[name]} for name in ("looks", "segments"))
        counts = Volume(**{**sums["counts"], "crossed_units": tuple(sums["counts"]["crossed_units"])})
        return Behaviour(from_sums(sums["experiment"]), looks, segments, counts, pl.DataFrame(sums["days"], DAYS, orient="row"))


def behaviour_of(
    log: Log,
    metrics: Sequence[str] = DEFAULT_METRICS,
    *,
    looks: Sequence[int] = (),
    look_metrics: Sequence[str] | None = None,
    segments: bool = False,
    before: bool = False,
    rules: BehaviourRules = DEFAULT_RULES,
) -> Behaviour:
    """The behaviour of a log's units in its experiment, by `metrics` (see DEFINITIONS).

    A unit takes part from its first search with an arm between start and stop; a unit that was shown two arms does not count.
    `before` adds what units had done before the start, for CUPED. `looks` are moments after the start, up to the stop, in order.
    They have `look_metrics`, or all metrics if not given. BadLog for other looks; BadMetric for a name that no metric has.

    >>> from ireval.behaviour.log import small
    >>> metrics = behaviour_of(small(), ["ctr", "first-click-rr"]).experiment.metrics
    >>> [(arm, metric.moments[n].mean.tolist()) for metric in metrics for n, arm in enumerate(("control", "new"))]
    [('control', [1.0, 2.0]), ('new', [1.0, 1.0]), ('control', [0.5, 1.0]), ('new', [1.0, 1.0])]
    """
    require_log(log)
    require_each("metrics", metrics, str, "names of metrics")
    chosen = {name: definition_of(name) for name in metrics}
    shown = list(chosen) if look_metrics is None else list(look_metrics)
    if strange := [name for name in shown if name not in chosen]:
        raise BadLog(f"{strange[0]} is not among the metrics")
    if any(look >= following for look, following in pairwise(looks)) or any(not log.start < look <= log.stop for look in looks):
        raise BadLog("looks are moments after the start and not after the stop, each later than the one before")
    units = units_of(log)
    part = units.part(log, rules, before=False)
    amounts = amounts_of(part, chosen)
    during, was = totals_of(amounts, len(units)), {}
    if before:
        was = totals_of(amounts_of(units.part(log, rules, before=True), chosen), len(units))
    at_looks = experiments_at(looks, units.arm, log.arms, {name: amounts[name] for name in shown}, was)
    return Behaviour(
        experiment_from(units.arm, log.arms, observed(during, was)),
        dict(zip(looks, at_looks, strict=True)),
        by_segment(units.segments(log), units.arm, log.arms, during, was) if segments else {},
        counts_of(log, units.crossed),
        days_of(part, units.arm, log.arms),
    )


def amounts_of(part: Part, metrics: Mapping[str, Definition]) -> dict[str, Amounts]:
    return {name: metric.of(part) for name, metric in metrics.items()}


def totals_of(amounts: Mapping[str, Amounts], units: int) -> dict[str, Totals]:
    return {name: amount.totals(units) for name, amount in amounts.items()}


def by_segment(
    segment: pl.Series, arm: Ints, arms: Sequence[str], during: Mapping[str, Totals], before: Mapping[str, Totals]
) -> dict[int, Experiment]:
    experiments = {}
    for number in segment.drop_nulls().unique().sort():
        rows = np.flatnonzero((segment == number).fill_null(value=False).to_numpy())
        parts = ({name: total.of(rows) for name, total in totals.items()} for totals in (during, before))
        experiments[number] = experiment_from(arm[rows], arms, observed(*parts))
    return experiments


def observed(during: Mapping[str, Totals], before: Mapping[str, Totals]) -> dict[str, Observed]:
    return {name: Observed(*totals, *before.get(name, ())) for name, totals in during.items()}
