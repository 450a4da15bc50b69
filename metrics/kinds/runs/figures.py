"""Figures of a report on runs, each with the same in a table: how two runs differ by topic, and the figure of the answer."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.text.counts import count
from metrics.figures.bars import histogram
from metrics.figures.intervals import Intervals, Mark, around, known
from metrics.kinds.runs.differences import Differences, Pair
from metrics.kinds.runs.results import Outcome
from metrics.sentences import signed

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


def topic_addresses(report: int, topics: Sequence[str], qrels: int, measure: str) -> list[str]:
    """Where the report of this key shows the rankings of each topic."""
    page = reverse("report_topic", args=[report])
    return [f"{page}?{urlencode([('topic', topic), ('qrels', str(qrels)), ('measure', measure)])}" for topic in topics]


def histogram_of(
    pair: tuple[Outcome, Outcome], every: pl.DataFrame, rows: pl.DataFrame, names: Mapping[str, str], addresses: Sequence[str]
) -> Figure:
    """R-precision of the first run less that of the second: `every` difference by topic in words, and bars of some `rows`.

    `names` and `addresses` are of the rows' topics, in their order.
    """
    first, second = pair
    return Figure(
        "histogram",
        _("R-precision: %(first)s minus %(second)s") % {"first": first.name, "second": second.name},
        in_words(first.name, second.name, every, rows.height),
        histogram(first.name, second.name, names, rows["difference"].to_list(), addresses),
        [_("Topic"), first.name, second.name, _("Difference")],
        list(zip(names.values(), rows.select("first", "second", "difference").iter_rows(), strict=True)),
        addresses,
    )


def in_words(first: str, second: str, frame: pl.DataFrame, shown: int) -> str:
    better, worse = (frame["difference"] > 0).sum(), (frame["difference"] < 0).sum()
    words = _("%(first)s is better on %(better)s of %(topics)s, %(second)s on %(worse)s.") % {
        "first": first,
        "better": f"{better:,}",
        "topics": count(frame.height, "topic"),
        "second": second,
        "worse": f"{worse:,}",
    }
    if shown == frame.height:
        return words
    return f"{words} {_('Shown are the %(most)s that differ most.') % {'most': shown}}"


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
