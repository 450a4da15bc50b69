"""Contrasts of every two runs under each qrels and measure, by three tests.

They are a pure function of the stored per-topic values: chance is seeded by the report's digest. Tests that would take too long
are left out by counting, not by the clock.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from ireval import Measure, parse_measures
from ireval.measures.evaluation import terms
from ireval.significance import Rules, Scores, compare
from metrics.kinds.runs.results import contents
from metrics.kinds.runs.values import ranking_measures
from metrics.models import Report
from metrics.stored_tables import from_parquet

DIFFERENCES = "differences"
SCHEMA = {
    "qrels": pl.Int64,
    "measure": pl.String,
    "first": pl.Int64,
    "second": pl.Int64,
    "n": pl.Int64,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "effect": pl.Float64,
    "half": pl.Float64,
    "p_t": pl.Float64,
    "p_randomisation": pl.Float64,
    "p_tukey": pl.Float64,
}
# For a whole report: seconds on half a core for the tests with 10,000 repetitions, and pairs to keep (6 MB).
SECONDS = 20.0
MOST_PAIRS = 100_000
SECONDS_A_PAIR_AND_TOPIC = 1e-5
SECONDS_A_RUN_AND_TOPIC = 2.5e-4


@dataclass
class Budget:
    """The time and the number of pairs that one of the qrels may still cost."""

    seconds: float
    pairs: int

    def allows_pairs(self, scores: Scores) -> bool:
        return self.take("pairs", pairs_of(scores))

    def allows_repeating(self, scores: Scores) -> bool:
        topics, systems = scores.values.shape
        return self.take("seconds", topics * (pairs_of(scores) * SECONDS_A_PAIR_AND_TOPIC + systems * SECONDS_A_RUN_AND_TOPIC))

    def take(self, what: str, cost: float) -> bool:
        left = getattr(self, what)
        if cost > left:
            return False
        setattr(self, what, left - cost)
        return True


def pairs_of(scores: Scores) -> int:
    return len(scores.systems) * (len(scores.systems) - 1) // 2


def differences(report: Report) -> pl.DataFrame:
    """One row per two runs, qrels and measure (SCHEMA).

    `difference` is the first run's mean less the second's, over the `n` topics that all runs count. `low` and `high` end its
    interval by Student's t; ± `half` is the interval that holds for all pairs at once. `effect` is Hedges' g. Null is what cannot
    be said or was left out.
    """
    return pl.concat([pl.DataFrame(schema=SCHEMA), *contrast_frames(report)])


def contrast_frames(report: Report) -> Iterator[pl.DataFrame]:
    versions = [version["id"] for version in report.spec["qrels"]]
    for qrels in versions:
        budget = Budget(SECONDS / len(versions), MOST_PAIRS // len(versions))
        runs = [run["id"] for run in report.spec["runs"]]
        parts = contents(report, qrels=qrels, runs=runs)
        in_order = {run: parts[run] for run in runs}
        for measure in comparable_measures(report):
            scores = scores_of(in_order, measure)
            if len(scores.systems) > 1 and scores.topics and budget.allows_pairs(scores):
                yield contrasts(scores, qrels, measure, rules_of(report) if budget.allows_repeating(scores) else None)


def comparable_measures(report: Report) -> list[Measure]:
    """The report's measures by which a run can be better and that have a value for each topic."""
    ranking = parse_measures(ranking_measures(report.spec["measures"]))
    return [measure for measure in ranking if not measure.kind.only_over_all and measure.kind.aggregate != "geometric mean"]


def rules_of(report: Report) -> Rules:
    return Rules(seed=int(report.digest[:16], 16))


def scores_of(parts: Mapping[int, bytes], measure: Measure) -> Scores:
    """The runs' scores on the topics that all of them count; runs that count no topic are left out."""
    return scores_in(frames_of(parts, measure), measure)


def frames_of(parts: Mapping[int, bytes], measure: Measure) -> dict[int, pl.DataFrame]:
    """Each run's values by the measure, one row per topic that it counts, with what weighs the topics."""
    columns = ["topic", *dict.fromkeys(str(column) for column in (measure, measure.weight) if column)]
    return {run: from_parquet(content, columns) for run, content in parts.items()}


def scores_in(frames: Mapping[int, pl.DataFrame], measure: Measure) -> Scores:
    finite = {str(run): frame.filter(pl.col(str(measure)).is_finite()) for run, frame in frames.items()}
    counted = {run: frame for run, frame in finite.items() if len(frame)}
    topics = [set(frame["topic"]) for frame in counted.values()]
    shared = sorted(set.intersection(*topics)) if topics else []
    values = [terms(frame.filter(pl.col("topic").is_in(shared)).sort("topic"), measure) for frame in counted.values()]
    table = np.array(values, np.float64).reshape(len(counted), len(shared)).T
    return Scores(tuple(shared), tuple(counted), table, len(set().union(*topics)) - len(shared))


def contrasts(scores: Scores, qrels: int, measure: Measure, rules: Rules | None) -> pl.DataFrame:
    """One row per two runs under one of the qrels and by one measure (SCHEMA); without `rules` only the t test."""
    by_t = compare(scores, "t", correction="none")
    runs = np.array(scores.systems, np.int64)
    columns = {
        "first": runs[by_t.pairs.first],
        "second": runs[by_t.pairs.second],
        "difference": by_t.difference,
        "low": by_t.low,
        "high": by_t.high,
        "effect": by_t.g,
        "p_t": by_t.p,
    }
    if rules:
        tukey = compare(scores, "randomised-tukey", rules=rules)
        columns |= {
            "p_randomisation": compare(scores, "randomisation", correction="none", rules=rules).p,
            "p_tukey": tukey.p,
            "half": (tukey.high - tukey.low) / 2,
        }
    missing = [pl.lit(None).alias(name) for name in SCHEMA if name not in {*columns, "qrels", "measure", "n"}]
    constant = [pl.lit(qrels).alias("qrels"), pl.lit(str(measure)).alias("measure"), pl.lit(len(scores.topics)).alias("n")]
    frame = (
        pl.DataFrame(columns).with_columns(*constant, *missing).select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())
    )
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))
