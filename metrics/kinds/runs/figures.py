"""The figures of a report on runs: curves, and how two runs differ topic by topic; each with the same as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from metrics.figures import charts
from metrics.figures.charts import Curve
from metrics.kinds.runs.curves import PRECISION, Points
from metrics.kinds.runs.results import Outcome
from metrics.kinds.runs.words import counted, listed

# More bars or rows than these nobody looks through: then those that differ most are shown.
MOST_TOPICS = 500
SORTED_BY = {"difference": "By difference", "topic": "By topic"}

Table = tuple[Sequence[str], Sequence[tuple[str, Sequence[float]]]]
Traced = Mapping[str, Mapping[str, Points]]


@dataclass(frozen=True)
class Figure:
    """A figure, and the same as a table."""

    key: str
    title: str
    caption: str
    drawn: dict
    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float]]]


@dataclass(frozen=True)
class Histogram:
    one: int
    other: int
    sorted_by: str
    figure: Figure


def figures(found: Traced) -> list[Figure]:
    if not found:
        return []
    precisions, ndcg = named(found, PRECISION), named(found, "nDCG")
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
    points = named(found, "ROC")
    return [
        *drawn,
        gain(found, "DCG", "Discounted cumulated gain", "Grades over log₂(rank + 1), summed up to each rank, mean over topics"),
        gain(found, "CG", "Cumulated gain", "Grades summed up to each rank, mean over topics"),
        Figure(
            "ndcg",
            "Normalised discounted cumulated gain",
            "nDCG at each rank: the mean of the topics’ shares of their ideal.",
            charts.by_rank("nDCG", ndcg, shares=True),
            *by_place("Rank", ndcg),
        ),
        *([roc(points)] if has_non_relevant(points) else []),
    ]


def named(found: Traced, curve: str) -> list[Curve]:
    return [Curve(run, of_run[curve][1], of_run[curve][0]) for run, of_run in found.items() if curve in of_run]


def gain(found: Traced, curve: str, title: str, what: str) -> Figure:
    reached, ideals = named(found, curve), one_each(named(found, f"ideal {curve}"))
    caption = f"{what}; dashed the ideal order of all judged documents."
    return Figure(curve.lower(), title, caption, charts.by_rank(curve, reached, ideals), *by_place("Rank", [*reached, *ideals]))


def one_each(ideals: Sequence[Curve]) -> list[Curve]:
    """Runs that are averaged over the same topics have the same ideal."""
    alike: dict[tuple[float, ...], list[str]] = {}
    for ideal in ideals:
        alike.setdefault(tuple(round(value, 9) for value in ideal.values), []).append(ideal.name)
    names = ["Ideal"] if len(alike) == 1 else [f"Ideal for {listed(runs)}" for runs in alike.values()]
    return [Curve(name, values, ideals[0].places) for name, values in zip(names, alike, strict=True)]


def by_place(label: str, found: Sequence[Curve]) -> Table:
    """One row per rank or recall level, a column a curve."""
    places = found[0].places if found else []
    rows = [(f"{place:g}", [curve.values[row] for curve in found]) for row, place in enumerate(places)]
    return [label, *(curve.name for curve in found)], rows


def has_non_relevant(found: Sequence[Curve]) -> bool:
    return any(0 < place < 1 for curve in found for place in curve.places)


def roc(found: Sequence[Curve]) -> Figure:
    caption = (
        "How much of the documents judged relevant, and of those judged not relevant, each run has found by the same rank; "
        "mean over topics. Unjudged documents are passed over; the line after a ranking’s end is drawn as if the rest came last."
    )
    rows = [(curve.name, point) for curve in found for point in zip(curve.places, curve.values, strict=True)]
    return Figure("roc", "ROC", caption, charts.roc(found), ["Run", "Non-relevant found", "Relevant found"], rows)


def histogram_of(one: Outcome, other: Outcome, frame: pl.DataFrame, sorted_by: str) -> Histogram:
    """R-precision of one run less that of the other; `frame` has topic, one, other and difference, by topic."""
    rows = sorted_topics(frame, sorted_by)
    topics, differences = rows["topic"].to_list(), rows["difference"].to_list()
    figure = Figure(
        "histogram",
        f"R-precision: {one.name} less {other.name}",
        in_words(one.name, other.name, frame),
        charts.histogram(one.name, other.name, topics, differences),
        ["Topic", one.name, other.name, "Difference"],
        list(zip(topics, rows.select("one", "other", "difference").iter_rows(), strict=True)),
    )
    return Histogram(one.run, other.run, sorted_by, figure)


def sorted_topics(frame: pl.DataFrame, sorted_by: str) -> pl.DataFrame:
    if frame.height > MOST_TOPICS:
        differing = frame["difference"].abs().rank("ordinal", descending=True) <= MOST_TOPICS
        frame = frame.filter(differing)
    return frame if sorted_by == "topic" else frame.sort("difference", descending=True, maintain_order=True)


def in_words(one: str, other: str, frame: pl.DataFrame) -> str:
    better, worse = (frame["difference"] > 0).sum(), (frame["difference"] < 0).sum()
    words = f"{one} is better on {better:,} of {counted(frame.height)}, {other} on {worse:,}."
    return words if frame.height <= MOST_TOPICS else f"{words} Shown are the {MOST_TOPICS} that differ most."
