"""Does a measure agree with people? Preference scores of a pair beside its difference by a measure, topic by topic."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from django.core.cache import cache

from ireval import ENGINE_VERSION, BadMeasure, evaluate, parse_measures
from ireval.io.plain import plain
from ireval.preferences import agreement_with_metric
from ireval.preferences.measure_agreement import MetricAgreement
from judging.models import Qrels, Run
from metrics.figures.charts import preferences_by_measure
from metrics.kinds.runs.evidence import grades, ranking
from metrics.kinds.runs.results import sign_of
from metrics.sentences import count, percent

DEFAULT_MEASURE = "nDCG@10"
OFFERED = ["nDCG@10", "AP", "P@5", "P@10", "RR", "ERR@10", "RBP", "Bpref"]
A_DAY = 24 * 3600


@dataclass(frozen=True)
class Against:
    """A pair by preferences and by a measure; `table`: topic, n, score and difference, which is above 0 where the measure finds
    the first system better."""

    measure: str
    table: pl.DataFrame
    found: MetricAgreement

    def said(self, first: str, second: str) -> str:
        share, decided = self.found.share, self.found.decided
        if not decided:
            return f"There is no topic on which both workers and {self.measure} decide between {first} and {second}."
        of = f"{self.found.agreeing:,} of {count(decided, 'topic')} where both decide"
        sure = f"{percent(share.mean)}, 95 % interval {100 * share.low:.0f} to {percent(share.high)}"
        return f"On {of}, workers and {self.measure} prefer the same system ({sure}). {verdict(share)}"

    @property
    def coefficients(self) -> list[tuple[str, dict[str, Any]]]:
        """Name, and mean, low and high; None for what is undefined."""
        named = {"Kendall’s τb": self.found.kendall, "Spearman’s ρ": self.found.spearman, "Pearson’s r": self.found.pearson}
        return [(name, plain(one)) for name, one in named.items()]

    def figure(self, first: str) -> dict[str, Any]:
        return preferences_by_measure(self.table.to_dicts(), first, self.measure)


def verdict(share: Any) -> str:
    if share.low > 0.5:
        return "So it agrees with people more often than chance would."
    if share.high < 0.5:
        return "So it contradicts people more often than chance would."
    return "Chance alone could do as much: whether it agrees with people cannot be told yet."


def known_measure(text: str) -> str:
    """Its canonical name. BadMeasure for none or several, and for one by which nothing is better."""
    measures = parse_measures(text or DEFAULT_MEASURE)
    if len(measures) != 1 or measures[0].kind.better == "neither":
        raise BadMeasure(f"“{text}” is not one measure that says which of two systems is better")
    return str(measures[0])


def against(topics: pl.DataFrame, first: Run, second: Run, qrels: Qrels, measure: str) -> Against:
    """`topics` are those of the pair: topic, n, score. Only topics that the qrels know can be compared."""
    differences = differences_of(first, second, qrels, measure)
    numbers = pl.DataFrame(list(differences.items()), schema={"topic": pl.String, "difference": pl.Float64}, orient="row")
    table = topics.select("topic", "n", "score").join(numbers, on="topic", maintain_order="left")
    return Against(measure, table, agreement_with_metric(dict(table.select("topic", "score").iter_rows()), differences))


def differences_of(first: Run, second: Run, qrels: Qrels, measure: str) -> dict[str, float]:
    one, other = (values_of(run, qrels, measure) for run in (first, second))
    return {topic: sign_of(measure) * (one[topic] - other[topic]) for topic in one.keys() & other.keys()}


def values_of(run: Run, qrels: Qrels, measure: str) -> dict[str, float]:
    """By topic. Runs and qrels never change, so neither does this; Unreadable where a file is not what it was."""
    key = f"values {ENGINE_VERSION} {run.sha256} {qrels.sha256} {measure}".replace(" ", "-")
    found = cache.get(key)
    if found is None:
        values = evaluate(ranking(run), grades(qrels), [measure]).values
        found = dict(values.select("topic", pl.col(measure).cast(pl.Float64)).iter_rows())
        cache.set(key, found, A_DAY)
    return found


def offered(measure: str) -> Sequence[str]:
    return OFFERED if measure in OFFERED else [measure, *OFFERED]
