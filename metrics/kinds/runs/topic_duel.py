"""Two runs topic by topic: where one wins, and how many topics it takes to tell them apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from statistics import stdev

from ireval import parse_measure
from ireval.planning.topics import DEFAULT_ALPHA, DEFAULT_POWER, smallest_difference, topics_needed
from metrics.kinds.runs.contrasts import scores_of
from metrics.kinds.runs.differences import Differences, Pair
from metrics.kinds.runs.results import contents
from metrics.kinds.runs.values import bounds

# Beyond it a table serves nobody: the largest gains and losses are shown.
MOST_TOPICS = 300


@dataclass(frozen=True)
class Duel:
    """`differences` are the first run's value less the second's, by topic, from the largest gain to the largest loss.

    `largest` is what two values of the measure can differ by at most.
    """

    pair: Pair
    first: str
    second: str
    sign: int
    largest: float
    differences: Sequence[tuple[str, float]]
    comparisons: int

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
        return stdev(difference for _, difference in self.differences) if len(self.differences) > 1 else None

    @cached_property
    def topics_needed(self) -> int | None:
        """For a difference as large as this one; None where nothing differs, or no number of topics would do."""
        if not self.pair.difference or self.deviation is None:
            return None
        try:
            return topics_needed(abs(self.pair.difference), self.deviation, comparisons=self.comparisons)
        except ValueError:
            return None

    @cached_property
    def smallest(self) -> float | None:
        """The smallest true difference that these topics are likely to show; None where even the largest would not do."""
        if self.deviation is None:
            return None
        try:
            found = smallest_difference(len(self.differences), self.deviation, comparisons=self.comparisons)
        except ValueError:
            return None
        return found if found is not None and found <= self.largest else None

    @property
    def power(self) -> str:
        return f"{DEFAULT_POWER:.0%}".replace("%", " %")

    @property
    def alpha(self) -> str:
        return f"{DEFAULT_ALPHA:.2f}".lstrip("0") + (f" / {self.comparisons:,}" if self.comparisons > 1 else "")


def duel(found: Differences, first: int, second: int) -> Duel | None:
    """Between two of the report's runs; None where they were not compared."""
    pair = found.between(first, second)
    if pair is None:
        return None
    runs = [run["id"] for run in found.report.spec["runs"]]
    parts = contents(found.report, qrels=found.qrels, runs=runs)
    scores = scores_of(parts, parse_measure(found.measure))
    columns = scores.values[:, scores.number_of(str(first))] - scores.values[:, scores.number_of(str(second))]
    by_topic = sorted(zip(scores.topics, columns.tolist(), strict=True), key=lambda one: -one[1] * found.sign)
    corrects = found.test == "tukey" or found.correction != "none"
    return Duel(
        pair=pair,
        first=found.names[first],
        second=found.names[second],
        sign=found.sign,
        largest=largest_difference(found.measure),
        differences=by_topic,
        comparisons=len(found.pairs) if corrects else 1,
    )


def largest_difference(measure: str) -> float:
    limits = bounds(measure)
    return limits[1] - limits[0] if limits else inf


def bars(found: Duel) -> dict:
    """A bar a topic, from the largest gain to the largest loss; a figure for plotly, as in charts."""
    return {
        "data": [
            {
                "type": "bar",
                "x": list(range(1, len(found.differences) + 1)),
                "y": [difference for _, difference in found.differences],
                "customdata": [topic for topic, _ in found.differences],
                "hovertemplate": "topic %{customdata}<br>%{y:+.4f}<extra></extra>",
                "meta": {"tone": 0},
            }
        ],
        "layout": {
            "xaxis": {"title": {"text": "Topics, in order of the difference"}, "fixedrange": True, "showgrid": False},
            "yaxis": {"title": {"text": "Difference"}, "fixedrange": True, "automargin": True},
            "showlegend": False,
        },
        "height": {"plot": 320, "row": 0},
    }
