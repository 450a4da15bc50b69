"""Figures of a report on runs, each with a table of the same: curves, and how two runs differ by topic."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl
from django.urls import reverse
from django.utils.http import urlencode

from ireval.measures.gains import GainModel
from metrics.figures import charts
from metrics.figures.charts import Curve
from metrics.figures.intervals import Intervals, Mark, around, known
from metrics.kinds.runs.curves import PRECISION, Points
from metrics.kinds.runs.differences import Differences
from metrics.kinds.runs.results import Outcome
from metrics.kinds.runs.values import R_PRECISION
from metrics.kinds.runs.words import counted, listed
from metrics.models import Report

# Nobody looks through more bars or rows; then those that differ most are shown.
MOST_TOPICS = 500
SORTED_BY = {"difference": "By difference", "topic": "By topic"}
# How shares of the ideal are averaged over topics, and what that is at each rank.
AVERAGES = {"macro": "the mean of the topics’ shares of their ideal", "micro": "mean gain over mean ideal gain"}

Table = tuple[Sequence[str], Sequence[tuple[str, Sequence[float]]]]
CurvesByName = Mapping[str, Mapping[str, Points]]


@dataclass(frozen=True)
class Figure:
    """A figure, and the same as a table."""

    key: str
    title: str
    caption: str
    drawn: dict
    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float]]]
    addresses: Sequence[str] = ()

    @property
    def lines(self) -> list[tuple[str, str, Sequence[float]]]:
        """The rows with where each leads, empty for nowhere."""
        addresses = self.addresses or [""] * len(self.rows)
        return [(address, *row) for address, row in zip(addresses, self.rows, strict=True)]


@dataclass(frozen=True)
class Histogram:
    """How two runs, by their ids, differ topic by topic."""

    first: int
    second: int
    sorted_by: str
    figure: Figure


def figures(by_run: CurvesByName, model: GainModel, average: str = "macro") -> list[Figure]:
    """Figures of the runs' curves, by name; `model` is what their gains were discounted by, `average` one of AVERAGES."""
    if not by_run:
        return []
    precisions, ndcg = curves_named(by_run, PRECISION), curves_named(by_run, "nDCG")
    drawn = [
        Figure(
            "precision",
            "Precision and recall",
            "Precision interpolated at 11 recall levels, mean over topics.",
            charts.precision_recall(precisions),
            *by_place("Recall", precisions),
        )
    ]
    if not ndcg:
        return drawn
    points = curves_named(by_run, "ROC")
    return [
        *drawn,
        gain(by_run, "DCG", "Discounted cumulated gain", f"{in_words_of(model)}, summed up to each rank, mean over topics"),
        gain(by_run, "CG", "Cumulated gain", f"{of_grades(model)} summed up to each rank, mean over topics"),
        *share(by_run, "nDCG", "Normalised discounted cumulated gain", average),
        *share(by_run, "nCG", "Normalised cumulated gain", average),
        *([roc(points)] if has_non_relevant(points) else []),
    ]


def curves_named(by_run: CurvesByName, curve: str) -> list[Curve]:
    return [Curve(run, curves[curve][1], curves[curve][0]) for run, curves in by_run.items() if curve in curves]


def gain(by_run: CurvesByName, curve: str, title: str, what: str) -> Figure:
    reached, ideals = curves_named(by_run, curve), distinct_ideals(curves_named(by_run, f"ideal {curve}"))
    caption = f"{what}; dashed the ideal order of all judged documents."
    return Figure(curve.lower(), title, caption, charts.by_rank(curve, reached, ideals), *by_place("Rank", [*reached, *ideals]))


def share(by_run: CurvesByName, curve: str, title: str, average: str) -> list[Figure]:
    """The figure of a normalised curve, with the areas under it; none for reports that have not kept it."""
    shares = curves_named(by_run, curve if average == "macro" else f"{curve} {average}")
    if not shares:
        return []
    areas = [sum(run.values) / len(run.values) for run in shares]
    caption = f"{curve} at each rank: {AVERAGES[average]}. Area under the curve: " + " · ".join(
        f"{run.name} {area:.4f}" for run, area in zip(shares, areas, strict=True)
    )
    heads, rows = by_place("Rank", shares)
    return [Figure(curve.lower(), title, caption, charts.by_rank(curve, shares, shares=True), heads, [*rows, ("Area", areas)])]


def in_words_of(model: GainModel) -> str:
    """The gains and the discount of cumulated gain, for a caption.

    >>> in_words_of(GainModel()), in_words_of(GainModel("jk"))
    ('Grades over log₂(rank + 1)', 'Grades over log₂ rank from rank 2 on')
    """
    gains = "2 to the grade less 1" if model.dcg == "exp-log2" and not model.gains else of_grades(model)
    base = str(model.base).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
    return f"{gains} over " + (f"log{base} rank from rank {model.base} on" if model.dcg == "jk" else "log₂(rank + 1)")


def of_grades(model: GainModel) -> str:
    return "Gains of the question" if model.gains else "Grades"


def distinct_ideals(ideals: Sequence[Curve]) -> list[Curve]:
    """One curve for each different ideal: runs averaged over the same topics share it."""
    alike: dict[tuple[float, ...], list[str]] = {}
    for ideal in ideals:
        alike.setdefault(tuple(round(value, 9) for value in ideal.values), []).append(ideal.name)
    names = ["Ideal"] if len(alike) == 1 else [f"Ideal for {listed(runs)}" for runs in alike.values()]
    return [Curve(name, values, ideals[0].places) for name, values in zip(names, alike, strict=True)]


def by_place(label: str, curves: Sequence[Curve]) -> Table:
    """The table's heads and rows: one row per rank or recall level, one column per curve."""
    places = curves[0].places if curves else []
    rows = [(f"{place:g}", [curve.values[row] for curve in curves]) for row, place in enumerate(places)]
    return [label, *(curve.name for curve in curves)], rows


def has_non_relevant(curves: Sequence[Curve]) -> bool:
    return any(0 < place < 1 for curve in curves for place in curve.places)


def roc(curves: Sequence[Curve]) -> Figure:
    caption = (
        "How much of the documents judged relevant, and of those judged not relevant, each run has found by the same rank; "
        "mean over topics. Unjudged documents are passed over; the line after a ranking’s end is drawn as if the rest came last."
    )
    rows = [(curve.name, point) for curve in curves for point in zip(curve.places, curve.values, strict=True)]
    return Figure("roc", "ROC", caption, charts.roc(curves), ["Run", "Non-relevant found", "Relevant found"], rows)


def topic_addresses(report: Report, topics: Sequence[str], qrels: int, measure: str) -> list[str]:
    """Where the report shows the rankings of each topic."""
    page = reverse("report_topic", args=[report.pk])
    return [f"{page}?{urlencode([('topic', topic), ('qrels', str(qrels)), ('measure', measure)])}" for topic in topics]


def histogram_of(report: Report, qrels: int, pair: tuple[Outcome, Outcome], frame: pl.DataFrame, sorted_by: str) -> Histogram:
    """R-precision of the first run less that of the second; `frame` has topic, first, second and difference, by topic."""
    first, second = pair
    rows = sorted_topics(frame, sorted_by)
    topics, differences = rows["topic"].to_list(), rows["difference"].to_list()
    addresses = topic_addresses(report, topics, qrels, R_PRECISION)
    figure = Figure(
        "histogram",
        f"R-precision: {first.name} less {second.name}",
        in_words(first.name, second.name, frame),
        charts.histogram(first.name, second.name, topics, differences, addresses),
        ["Topic", first.name, second.name, "Difference"],
        list(zip(topics, rows.select("first", "second", "difference").iter_rows(), strict=True)),
        addresses,
    )
    return Histogram(first.run, second.run, sorted_by, figure)


def sorted_topics(frame: pl.DataFrame, sorted_by: str) -> pl.DataFrame:
    if frame.height > MOST_TOPICS:
        differing = frame["difference"].abs().rank("ordinal", descending=True) <= MOST_TOPICS
        frame = frame.filter(differing)
    return frame if sorted_by == "topic" else frame.sort("difference", descending=True, maintain_order=True)


def in_words(first: str, second: str, frame: pl.DataFrame) -> str:
    better, worse = (frame["difference"] > 0).sum(), (frame["difference"] < 0).sum()
    words = f"{first} is better on {better:,} of {counted(frame.height)}, {second} on {worse:,}."
    return words if frame.height <= MOST_TOPICS else f"{words} Shown are the {MOST_TOPICS} that differ most."


def from_the_best(differences: Differences) -> Intervals | None:
    """How far each run is from the best, with the interval that leaves out 0 exactly where the test tells them apart."""
    if not differences.runs:
        return None
    best, *others = differences.runs
    pairs = [pair for other in others if (pair := differences.between(other.run, best.run))]
    marks = [
        Mark(differences.names[pair.first], pair.difference, low, high, in_numbers(pair.difference, low, high))
        for pair in pairs
        for low, high in [(known(pair.low), known(pair.high))]
        if not math.isnan(low)
    ]
    return around(f"Difference from {best.name} in {differences.measure}", marks, even=0.0)


def in_numbers(difference: float, low: float, high: float) -> str:
    """
    >>> in_numbers(-0.05, -0.0712, -0.03)
    '−0.0500 [−0.0712, −0.0300]'
    """
    return f"{difference:+.4f} [{low:+.4f}, {high:+.4f}]".replace("-", "−")
