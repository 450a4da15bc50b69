"""The report of an A/B test: each part gives sums over its units, and the sums of all parts are the experiment."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from typing import Any

import numpy as np
import polars as pl

from ireval.arrays import Ints
from ireval.behaviour import DEFAULT_RULES, Behaviour, Log, behaviour_of, flagged, log_of
from ireval.experiments import Experiment as Sums
from ireval.experiments.sums import as_sums, from_sums
from judging.logs.moments import micros
from metrics.kinds.ab.evidence import plan
from metrics.logs.bots import from_spec
from metrics.logs.cluster import Tally
from metrics.logs.frames import SEGMENT, events, searches, units_of_agents, window_of
from metrics.logs.kind import log_kind
from metrics.models import Report
from metrics.pipeline import Findings

# Computing takes several times the memory of the records, so it is done one slice at a time.
ROWS_A_SLICE = 400_000


@dataclass(frozen=True)
class Totals:
    """The sums of a finished report.

    `looks` are the experiment until each moment, `segments` those of each attribute and value. `everybody` counts records before
    bots were left out, `bots` the units left out.
    """

    experiment: Sums
    looks: dict[datetime, Sums]
    segments: dict[str, dict[str, Sums]]
    behaviour: Behaviour
    everybody: dict[str, int]
    bots: int


@dataclass(frozen=True)
class Counted:
    """What the units of a part did, or of a slice of one; it is added up, and stored as JSON.

    `segments`, `everybody` and `bots` are as in `Totals`. `unknown` counts the events that name no unit, which each of the
    `slices` reads.
    """

    behaviour: Behaviour
    segments: dict[str, dict[str, Sums]]
    everybody: dict[str, int]
    bots: int
    unknown: int
    slices: int

    def merged(self, other: "Counted") -> "Counted":
        """Both together; no unit may be in both."""
        return Counted(
            self.behaviour.merged(other.behaviour),
            {name: merged_segments(values, other.segments[name]) for name, values in self.segments.items()},
            {name: count + other.everybody[name] for name, count in self.everybody.items()},
            self.bots + other.bots,
            self.unknown,
            self.slices + other.slices,
        )

    def as_sums(self) -> dict[str, Any]:
        """As JSON holds it."""
        segments = {name: {value: as_sums(sums) for value, sums in values.items()} for name, values in self.segments.items()}
        return {**vars(self), "behaviour": self.behaviour.as_sums(), "segments": segments}

    @staticmethod
    def from_sums(sums: dict[str, Any]) -> "Counted":
        segments = {name: {value: from_sums(kept) for value, kept in of.items()} for name, of in sums["segments"].items()}
        return Counted(**{**sums, "behaviour": Behaviour.from_sums(sums["behaviour"]), "segments": segments})


def merged_segments(first: dict[str, Sums], second: dict[str, Sums]) -> dict[str, Sums]:
    return {**first, **second, **{value: first[value].merged(second[value]) for value in first.keys() & second.keys()}}


def part(report: Report, number: int, parts: int) -> tuple[dict[str, Any], None]:
    """Sums over the units of one part, to be added up; an A/B report needs no rows."""
    assert report.experiment and report.as_of
    window = window_of(report.experiment, report.as_of).part(number, parts)
    search_rows = searches(window, report.experiment.name, report.spec["arms"], report.spec["values"])
    event_rows = events(window, actions_of(report.spec["metrics"]))
    named = units_of_agents(window, from_spec(report.spec["bots"]).agents)
    slices = 1 + (len(search_rows) + len(event_rows)) // ROWS_A_SLICE
    # All units of a part have the same last bits, so the bits above them choose the slice. Events without a user are in each.
    of_searches, of_events = (frame["unit"] // parts % slices for frame in (search_rows, event_rows))
    chosen = ((of_searches == place, (of_events == place) | of_events.is_null()) for place in range(slices))
    tallied = (tally_of(report, search_rows.filter(here), event_rows.filter(there), named) for here, there in chosen)
    return reduce(Counted.merged, tallied).as_sums(), None


def tally_of(report: Report, search_rows: pl.DataFrame, event_rows: pl.DataFrame, named: Ints) -> Counted:
    log = log_in(report, search_rows, event_rows)
    gone = np.intersect1d(
        np.union1d(flagged(log, from_spec(report.spec["bots"]).limits), named), units_in(search_rows, event_rows)
    )
    segments = {
        attribute: segment_sums(report, search_rows.rename({SEGMENT + attribute: "segment"}), event_rows, gone, values)
        for attribute, values in report.spec["values"].items()
    }
    everybody = record_counts(log)
    log = log.without(gone)
    looks = [look for look in report.spec["looks"] if log.start < look <= log.stop]
    behaviour = behaviour_of(log, report.spec["metrics"], looks=looks, before=report.spec["before"])
    return Counted(behaviour, segments, everybody, len(gone), event_rows["unit"].null_count(), slices=1)


def units_in(search_rows: pl.DataFrame, event_rows: pl.DataFrame) -> Ints:
    return pl.concat([search_rows["unit"], event_rows["unit"].drop_nulls()]).unique().to_numpy()


def record_counts(log: Log) -> dict[str, int]:
    """The numbers of searches, events and units in the time of the experiment."""
    searches, events = log.searches.filter(log.inside), log.events.filter(log.inside)
    return {"searches": len(searches), "events": len(events), "units": searches["unit"].n_unique()}


def actions_of(metrics: Sequence[str]) -> list[str]:
    """The actions that metrics count besides clicks."""
    return [*(argument for name, _, argument in (metric.partition(":") for metric in metrics) if argument), DEFAULT_RULES.success]


def log_in(report: Report, search_rows: pl.DataFrame, event_rows: pl.DataFrame) -> Log:
    assert report.experiment and report.experiment.started and report.as_of
    until = window_of(report.experiment, report.as_of).until
    return log_of(search_rows, event_rows, report.spec["arms"], micros(report.experiment.started), micros(until))


def segment_sums(
    report: Report, search_rows: pl.DataFrame, event_rows: pl.DataFrame, gone: Ints, values: Sequence[str]
) -> dict[str, Sums]:
    """The experiment by the value of one attribute, of the units that have the value."""
    log = log_in(report, search_rows, event_rows).without(gone)
    behaviour = behaviour_of(log, report.spec["metrics"], segments=True, before=report.spec["before"])
    return {values[number]: sums for number, sums in behaviour.segments.items()}


def combine(report: Report, parts: Sequence[Tally]) -> Findings:
    """The sums of all parts, in the shape of one part's.

    Events that name no unit are read in every slice, and only one of the slices can have their search. The others counted them
    as ownerless, which is taken back here.
    """
    whole = reduce(Counted.merged, (Counted.from_sums(sums) for sums, _ in parts))
    counts = whole.behaviour.counts
    counts = counts._replace(ownerless=counts.ownerless - (whole.slices - 1) * whole.unknown)
    return Findings(replace(whole, behaviour=replace(whole.behaviour, counts=counts)).as_sums())


AB = log_kind(Report.Kind.AB, plan, part, combine)


def result_of(report: Report) -> Totals:
    """The totals that a finished report stores."""
    assert report.result
    whole = Counted.from_sums(report.result)
    looks = {datetime.fromtimestamp(look / 1_000_000, UTC): sums for look, sums in whole.behaviour.looks.items()}
    segments = {attribute: dict(sorted(values.items())) for attribute, values in whole.segments.items()}
    return Totals(whole.behaviour.experiment, looks, segments, whole.behaviour, whole.everybody, whole.bots)
