"""The report of an A/B test: each part gives sums over its units, and the sums of all parts are the experiment."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from typing import Any

import numpy as np
import polars as pl

from ireval.arrays import Ints
from ireval.behaviour import DEFAULT_RULES, Behaviour, Log, behaviour_of, flagged, log_of
from ireval.experiments import Experiment as Sums
from ireval.experiments.sums import as_sums, from_sums
from metrics.kinds.ab.evidence import plan
from metrics.logs.bots import from_spec
from metrics.logs.frames import SEGMENT, events, micros, searches, units_of_agents, window_of
from metrics.logs.kind import Tally, log_kind
from metrics.models import Report
from metrics.pipeline import Findings

# Computing takes several times as much memory as records do, so it is done of a slice at a time.
ROWS_A_SLICE = 400_000


@dataclass(frozen=True)
class Totals:
    """What came out. `looks` are the experiment until some moments, `segments` by attribute and value; `everybody` counts
    records before bots were left out, `bots` the units that were."""

    experiment: Sums
    looks: dict[datetime, Sums]
    segments: dict[str, dict[str, Sums]]
    behaviour: Behaviour
    everybody: dict[str, int]
    bots: int


def part(report: Report, number: int, parts: int) -> tuple[dict[str, Any], None]:
    """What the units of one part did, to be added up."""
    assert report.experiment and report.as_of
    window = window_of(report.experiment, report.as_of).part(number, parts)
    asked = searches(window, report.experiment.name, report.spec["arms"], report.spec["values"])
    done = events(window, actions_of(report.spec["metrics"]))
    named = units_of_agents(window, from_spec(report.spec["bots"]).agents)
    slices = 1 + (len(asked) + len(done)) // ROWS_A_SLICE
    # The last bits are the same in all of a part.
    here = [pl.col("unit") // parts % slices == one for one in range(slices)]
    nobody = pl.col("unit").is_null()
    sums = [of_slice(report, asked.filter(some), done.filter(some | nobody), named) for some in here]
    return reduce(added, sums), None


def of_slice(report: Report, asked: pl.DataFrame, done: pl.DataFrame, named: Ints) -> dict[str, Any]:
    log = log_in(report, asked, done)
    gone = np.intersect1d(np.union1d(flagged(log, from_spec(report.spec["bots"]).limits), named), units_in(asked, done))
    segments = {
        attribute: by_segment(report, asked.rename({SEGMENT + attribute: "segment"}), done, gone, values)
        for attribute, values in report.spec["values"].items()
    }
    everybody = counted(log)
    log = log.without(gone)
    looks = [look for look in report.spec["looks"] if log.start < look <= log.stop]
    found = behaviour_of(log, report.spec["metrics"], looks=looks, before=report.spec["before"])
    sums = {"behaviour": found.as_sums(), "segments": segments, "everybody": everybody, "bots": len(gone)}
    return {**sums, "unknown": done["unit"].null_count(), "slices": 1}


def units_in(asked: pl.DataFrame, done: pl.DataFrame) -> Ints:
    return pl.concat([asked["unit"], done["unit"].drop_nulls()]).unique().to_numpy()


def counted(log: Log) -> dict[str, int]:
    """What there is in the time of the experiment."""
    searches, events = log.searches.filter(log.inside), log.events.filter(log.inside)
    return {"searches": len(searches), "events": len(events), "units": searches["unit"].n_unique()}


def actions_of(metrics: Sequence[str]) -> list[str]:
    """The events that metrics are about, besides clicks."""
    return [*(argument for name, _, argument in (one.partition(":") for one in metrics) if argument), DEFAULT_RULES.success]


def log_in(report: Report, asked: pl.DataFrame, done: pl.DataFrame) -> Log:
    assert report.experiment and report.experiment.started and report.as_of
    until = window_of(report.experiment, report.as_of).until
    return log_of(asked, done, report.spec["arms"], micros(report.experiment.started), micros(until))


def by_segment(report: Report, asked: pl.DataFrame, done: pl.DataFrame, gone: Ints, values: Sequence[str]) -> dict[str, Any]:
    """By a segment's value what its units did."""
    log = log_in(report, asked, done).without(gone)
    found = behaviour_of(log, report.spec["metrics"], segments=True, before=report.spec["before"])
    return {values[number]: sums for number, sums in found.as_sums()["segments"]}


def together(report: Report, parts: Sequence[Tally]) -> Findings:
    """What all parts say, in the shape of one. Events that name no unit were in each slice, and had no owner in all but one."""
    whole = reduce(added, (sums for sums, _ in parts))
    counts = whole["behaviour"]["counts"]
    counts = {**counts, "ownerless": counts["ownerless"] - (whole["slices"] - 1) * whole["unknown"]}
    return Findings({**whole, "behaviour": {**whole["behaviour"], "counts": counts}})


AB = log_kind(Report.Kind.AB, plan, part, together)


def added(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    behaviour = Behaviour.from_sums(one["behaviour"]).merged(Behaviour.from_sums(other["behaviour"]))
    segments = {name: merged_segments(values, other["segments"][name]) for name, values in one["segments"].items()}
    everybody = {name: count + other["everybody"][name] for name, count in one["everybody"].items()}
    return {
        "behaviour": behaviour.as_sums(),
        "segments": segments,
        "everybody": everybody,
        "bots": one["bots"] + other["bots"],
        "unknown": one["unknown"],
        "slices": one["slices"] + other["slices"],
    }


def merged_segments(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    both = {value: as_sums(from_sums(one[value]).merged(from_sums(other[value]))) for value in one.keys() & other.keys()}
    return {**one, **other, **both}


def result_of(report: Report) -> Totals:
    """What a finished report says."""
    result = report.result
    assert result
    behaviour = Behaviour.from_sums(result["behaviour"])
    looks = {datetime.fromtimestamp(look / 1_000_000, UTC): sums for look, sums in behaviour.looks.items()}
    segments = {
        attribute: {value: from_sums(sums) for value, sums in sorted(values.items())}
        for attribute, values in result["segments"].items()
    }
    return Totals(behaviour.experiment, looks, segments, behaviour, result["everybody"], result["bots"])
