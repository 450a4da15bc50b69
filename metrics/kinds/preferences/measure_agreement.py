"""Whether a measure agrees with people: a pair's preference scores beside its differences by the measure, topic by topic."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from django.core.cache import cache
from django.utils.translation import gettext as _

from ireval import ENGINE_VERSION, BadMeasure, evaluate, parse_measures
from ireval.io.plain import plain
from ireval.preferences import agreement_with_metric
from ireval.preferences.measure_agreement import MetricAgreement
from judging.models import Qrels, Run
from metrics.kinds.runs.evidence import grades, ranking
from metrics.kinds.runs.results import sign_of

DEFAULT_MEASURE = "nDCG@10"
OFFERED = ["nDCG@10", "AP", "P@5", "P@10", "RR", "ERR@10", "RBP", "Bpref"]
A_DAY = 24 * 3600


@dataclass(frozen=True)
class MeasureComparison:
    """A pair of systems by preferences and by a measure.

    `table` has topic, n, score and difference, which is above 0 where the measure finds the first system better.
    """

    measure: str
    table: pl.DataFrame
    agreement: MetricAgreement

    @property
    def coefficients(self) -> list[tuple[str, dict[str, Any]]]:
        """Pairs of (name, mean with low and high); None for what is undefined."""
        agreement = self.agreement
        named = {_("Kendall’s τb"): agreement.kendall, _("Spearman’s ρ"): agreement.spearman, _("Pearson’s r"): agreement.pearson}
        return [(name, plain(estimate)) for name, estimate in named.items()]


def known_measure(text: str) -> str:
    """The measure's canonical name. Raises BadMeasure for several, and for a measure by which no system is better."""
    measures = parse_measures(text or DEFAULT_MEASURE)
    if len(measures) != 1 or measures[0].kind.better == "neither":
        raise BadMeasure(_("“%(text)s” is not one measure that says which of two systems is better") % {"text": text})
    return str(measures[0])


def compare_with_measure(topics: pl.DataFrame, first: Run, second: Run, qrels: Qrels, measure: str) -> MeasureComparison:
    """Compare a pair's preference scores with its differences by a measure.

    `topics` has topic, n and score, one row per topic of the pair. Only topics that the qrels have can be compared.
    """
    differences = differences_of(first, second, qrels, measure)
    numbers = pl.DataFrame(list(differences.items()), schema={"topic": pl.String, "difference": pl.Float64}, orient="row")
    table = topics.select("topic", "n", "score").join(numbers, on="topic", maintain_order="left")
    return MeasureComparison(measure, table, agreement_with_metric(dict(table.select("topic", "score").iter_rows()), differences))


def differences_of(first: Run, second: Run, qrels: Qrels, measure: str) -> dict[str, float]:
    values, others = (values_of(run, qrels, measure) for run in (first, second))
    return {topic: sign_of(measure) * (values[topic] - others[topic]) for topic in values.keys() & others.keys()}


def values_of(run: Run, qrels: Qrels, measure: str) -> dict[str, float]:
    """A run's values by topic. Raises Unreadable where a stored file is not what it was.

    They are cached: runs and qrels never change.
    """
    key = f"values {ENGINE_VERSION} {run.sha256} {qrels.sha256} {measure}".replace(" ", "-")
    by_topic = cache.get(key)
    if by_topic is None:
        values = evaluate(ranking(run), grades(qrels), [measure], may_share_none=True).values
        by_topic = dict(values.select("topic", pl.col(measure).cast(pl.Float64)).iter_rows())
        cache.set(key, by_topic, A_DAY)
    return by_topic


def offered_measures(measure: str) -> Sequence[str]:
    """The measures that a form offers, with the chosen one among them."""
    return OFFERED if measure in OFFERED else [measure, *OFFERED]
