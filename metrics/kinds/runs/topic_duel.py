"""Duels of two runs: who wins on which topics, and how many topics it takes to tell them apart."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import stdev

import polars as pl
from django.utils.translation import gettext as _

from ireval import Measure, parse_measure
from ireval.planning import WORTH_TELLING, Target, smallest_difference
from judging.text.library_words import target_in_words
from metrics.kinds.runs.contrasts import frames_of, scores_in
from metrics.kinds.runs.differences import Differences, Pair
from metrics.kinds.runs.results import contents
from metrics.kinds.runs.values import largest_difference

# Nobody reads a longer table; then the largest gains and losses are shown.
MOST_TOPICS = 300


@dataclass(frozen=True)
class TopicDuel:
    """Two runs topic by topic.

    `differences` are (topic, the first run's value less the second's), from the largest gain to the largest loss. `terms` are the
    topics' differences whose mean is the pair's: those of `ireval.measures.evaluation.terms`, in any order. `largest` is the most
    that two values of the measure can differ by, `target` the difference to plan for.
    """

    pair: Pair
    first: str
    second: str
    sign: int
    largest: float
    differences: Sequence[tuple[str, float]]
    terms: Sequence[float]
    target: Target

    @property
    def told(self) -> str:
        """The difference to plan for, as what is to be told."""
        return target_in_words(self.target)

    @property
    def wins(self) -> int:
        return sum(difference * self.sign > 0 for _, difference in self.differences)

    @property
    def losses(self) -> int:
        return sum(difference * self.sign < 0 for _, difference in self.differences)

    @property
    def ties(self) -> int:
        return len(self.differences) - self.wins - self.losses

    @property
    def listed(self) -> Sequence[tuple[str, float]]:
        if len(self.differences) <= MOST_TOPICS:
            return self.differences
        return [*self.differences[: MOST_TOPICS // 2], *self.differences[-MOST_TOPICS // 2 :]]

    @cached_property
    def deviation(self) -> float | None:
        return stdev(self.terms) if len(self.terms) > 1 else None

    @cached_property
    def topics_needed(self) -> int | None:
        """The number of topics that tell the target's difference; None where nothing differs, or no number would do."""
        n = len(self.differences)
        return None if self.deviation is None else self.target.needed(self.deviation / math.sqrt(n), n)

    @cached_property
    def smallest(self) -> float | None:
        """The smallest true difference that these topics are likely to show; None where even the largest is too small."""
        if self.deviation is None:
            return None
        try:
            difference = smallest_difference(len(self.differences), self.deviation, comparisons=self.target.comparisons)
        except ValueError:
            return None
        return difference if difference is not None and difference <= self.largest else None


def duel(differences: Differences, first: int, second: int, *, matters: float = WORTH_TELLING) -> TopicDuel | None:
    """The duel of two of the report's runs, planned for a difference that matters; None if they were not compared."""
    pair = differences.between(first, second)
    if pair is None:
        return None
    runs = [run["id"] for run in differences.report.spec["runs"]]
    parts = contents(differences.report, qrels=differences.qrels, runs=runs)
    frames = frames_of(parts, measure := parse_measure(differences.measure))
    scores = scores_in(frames, measure)
    terms = scores.values[:, scores.number_of(str(first))] - scores.values[:, scores.number_of(str(second))]
    values = [values_on(scores.topics, frames[run], measure) for run in (first, second)]
    by_topic = sorted(zip(scores.topics, values[0] - values[1], strict=True), key=lambda pair: -pair[1] * differences.sign)
    corrects = differences.test == "tukey" or differences.correction != "none"
    return TopicDuel(
        pair=pair,
        first=differences.names[first],
        second=differences.names[second],
        sign=differences.sign,
        largest=largest_difference(differences.measure),
        differences=by_topic,
        terms=terms.tolist(),
        target=Target(matters, differences.measure, comparisons=len(differences.pairs) if corrects else 1),
    )


def values_on(topics: Sequence[str], frame: pl.DataFrame, measure: Measure) -> pl.Series:
    """A run's values by the measure on these topics, which it has, in string order as the topics are."""
    return frame.filter(pl.col("topic").is_in(topics)).sort("topic")[str(measure)].cast(pl.Float64)


def bars(topic_duel: TopicDuel, names: Sequence[str], addresses: Sequence[str]) -> dict:
    """A plotly figure with one bar per topic, from the largest gain to the largest loss, with its name and its address."""
    return {
        "data": [
            {
                "type": "bar",
                "x": list(range(1, len(topic_duel.differences) + 1)),
                "y": [difference for _, difference in topic_duel.differences],
                "customdata": list(names),
                "hovertemplate": _("topic %(name)s") % {"name": "%{customdata}"} + "<br>%{y:+.4f}<extra></extra>",
                "meta": {"tone": 0, "addresses": list(addresses)},
            }
        ],
        "layout": {
            "xaxis": {"title": {"text": _("Topics, in order of the difference")}, "fixedrange": True, "showgrid": False},
            "yaxis": {"title": {"text": _("Difference")}, "fixedrange": True, "automargin": True},
            "showlegend": False,
        },
        "height": {"plot": 320, "row": 0},
    }
