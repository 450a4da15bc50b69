"""Figures of a report on runs, each with the same in a table: how two runs differ by topic, and the figure of the answer."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.models import Collection, Topic
from judging.text.counts import count
from metrics.figures.bars import histogram
from metrics.figures.intervals import Intervals, Mark, around, known
from metrics.kinds.runs.differences import Differences, Pair
from metrics.kinds.runs.results import Outcome
from metrics.kinds.runs.values import R_PRECISION
from metrics.models import Report
from metrics.sentences import signed

# Nobody looks through more bars or rows; then those that differ most are shown.
MOST_TOPICS = 500
# A label's letters that fit beside its mark.
LONGEST_NAME = 60
SORTED_BY = {"difference": gettext_lazy("By difference"), "topic": gettext_lazy("By topic")}


@dataclass(frozen=True)
class Figure:
    """A figure, and the same as a table: its rows lead to `addresses`, its heads, by their names, to `head_addresses`."""

    key: str
    title: str
    caption: str
    drawn: dict
    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float | None]]]
    addresses: Sequence[str] = ()
    head_addresses: Mapping[str, str] = field(default_factory=dict)

    @property
    def headings(self) -> list[tuple[str, str]]:
        return [(self.head_addresses.get(head, ""), head) for head in self.heads]

    @property
    def lines(self) -> list[tuple[str, str, Sequence[float | None]]]:
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


def topic_addresses(report: Report, topics: Sequence[str], qrels: int, measure: str) -> list[str]:
    """Where the report shows the rankings of each topic."""
    page = reverse("report_topic", args=[report.pk])
    return [f"{page}?{urlencode([('topic', topic), ('qrels', str(qrels)), ('measure', measure)])}" for topic in topics]


def topic_names(collection: Collection | int | None, topics: Sequence[str]) -> dict[str, str]:
    """The number of each topic with its title, as far as a label has room for it."""
    titles = dict(Topic.objects.filter(collection=collection, number__in=topics).values_list("number", "title"))
    return {topic: Truncator(f"{topic} {titles.get(topic, '')}".strip()).chars(LONGEST_NAME) for topic in topics}


def histogram_of(report: Report, qrels: int, pair: tuple[Outcome, Outcome], frame: pl.DataFrame, sorted_by: str) -> Histogram:
    """R-precision of the first run less that of the second; `frame` has topic, first, second and difference, by topic."""
    first, second = pair
    rows = sorted_topics(frame, sorted_by)
    topics, differences = rows["topic"].to_list(), rows["difference"].to_list()
    names = topic_names(report.subject, topics)
    addresses = topic_addresses(report, topics, qrels, R_PRECISION)
    figure = Figure(
        "histogram",
        _("R-precision: %(first)s minus %(second)s") % {"first": first.name, "second": second.name},
        in_words(first.name, second.name, frame),
        histogram(first.name, second.name, names, differences, addresses),
        [_("Topic"), first.name, second.name, _("Difference")],
        list(zip(names.values(), rows.select("first", "second", "difference").iter_rows(), strict=True)),
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
    words = _("%(first)s is better on %(better)s of %(topics)s, %(second)s on %(worse)s.") % {
        "first": first,
        "better": f"{better:,}",
        "topics": count(frame.height, "topic"),
        "second": second,
        "worse": f"{worse:,}",
    }
    if frame.height <= MOST_TOPICS:
        return words
    return f"{words} {_('Shown are the %(most)s that differ most.') % {'most': MOST_TOPICS}}"


def from_the_best(differences: Differences, *, leads: bool) -> Intervals | None:
    """How far each run is from the best, with the interval that leaves out 0 exactly where the test tells them apart.

    With `leads` each leads to its topics.
    """
    if not differences.runs:
        return None
    best, *others = differences.runs
    pairs = [pair for other in others if (pair := differences.between(other.run, best.run))]
    marks = [
        Mark(
            differences.names[pair.first], pair.difference, low, high, in_numbers(pair.difference, low, high),
            address_of(differences, pair) if leads else "",
        )
        for pair in pairs
        for low, high in [(known(pair.low), known(pair.high))]
        if not math.isnan(low)
    ]  # fmt: skip
    title = _("Difference from %(run)s in %(measure)s") % {"run": best.name, "measure": differences.measure}
    return around(title, marks, even=0.0)


def address_of(differences: Differences, pair: Pair) -> str:
    """Where the report shows two runs topic by topic."""
    page, measure = reverse("report_differences", args=[differences.report.pk]), urlencode({"measure": differences.measure})
    return f"{page}?{measure}&qrels={differences.qrels}&first={pair.first}&second={pair.second}#pair"


def in_numbers(difference: float, low: float, high: float) -> str:
    """
    >>> in_numbers(-0.05, -0.0712, -0.03)
    '−0.0500 [−0.0712, −0.0300]'
    """
    return f"{signed(difference)} [{signed(low)}, {signed(high)}]"
