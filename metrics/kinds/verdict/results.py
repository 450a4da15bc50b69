"""Results of a verdict as its page shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl
from django.utils.translation import gettext, gettext_lazy

from ireval.io.plain import from_plain
from ireval.planning import Target
from ireval.significance import Decision
from ireval.verdict import Answer, Verdict, disagreements, sentence
from ireval.verdict.verdict import Word, one_sided, target_of
from judging.models import Topic
from judging.text.library_words import target_in_words
from metrics.kinds.verdict.evidence import LABELS, begun
from metrics.kinds.verdict.parts import line_from
from metrics.models import Report
from metrics.stored_tables import table_of

A_GLANCE = 10
SAYS = {
    "better": gettext_lazy("%(b)s is better"),
    "worse": gettext_lazy("%(a)s is better"),
    "equal": gettext_lazy("no difference that matters"),
    "not worse": gettext_lazy("%(b)s is not worse"),
    "not better": gettext_lazy("%(a)s is not worse"),
    "unknown": gettext_lazy("not known yet"),
}
SETTLED = ("better", "worse", "equal")


@dataclass(frozen=True)
class Row:
    """What one kind of evidence says of systems `a` and `b`, as a row of the table."""

    a: str
    b: str
    kind: str
    word: Word
    line: Any
    decision: Decision
    two_one_sided: tuple[float, float]
    share: Decision
    needed: int | None
    target: Target

    @property
    def name(self) -> str:
        """The kind, in the reader's language."""
        return gettext(self.kind)

    @property
    def measure(self) -> str:
        return gettext(self.line.measure)

    @property
    def unit(self) -> str:
        return gettext(self.line.unit)

    @property
    def answer(self) -> Answer:
        return Answer(self.line, self.word, self.decision, *self.two_one_sided, self.share, self.needed)

    @property
    def key(self) -> str:
        return next((key for key, label in LABELS.items() if label == self.kind), "")

    @property
    def says(self) -> str:
        return SAYS[self.word] % {"a": self.a, "b": self.b}

    @property
    def told(self) -> str:
        """The difference that matters, as what is to be told."""
        return target_in_words(self.target)

    @property
    def one_sided(self) -> str:
        return one_sided(self.word, *self.two_one_sided, gettext)

    @property
    def more(self) -> int | None:
        """How many units more would tell what matters; None where it is decided or not known."""
        if self.needed is None or self.word in ("better", "worse", "equal"):
            return None
        return max(0, self.needed - self.line.n)


def ends_of(answer: Mapping[str, Any]) -> tuple[float, float]:
    ends = from_plain({name: answer[name] for name in ("low", "high")})
    return ends["low"], ends["high"]


class VerdictResults:
    """A finished verdict."""

    def __init__(self, report: Report):
        self.report = report
        self.result: dict[str, Any] = report.result or {}

    @property
    def outcome(self) -> str:
        return self.result["outcome"]

    @property
    def sentence(self) -> str:
        """The sentence that the result has, in the reader's language."""
        hypothesis = self.report.subject
        conclusion = Verdict(self.result["outcome"], [row.answer for row in self.rows], None, hypothesis.alpha)
        return sentence(conclusion, str(hypothesis.a), str(hypothesis.b), gettext)

    @cached_property
    def rows(self) -> list[Row]:
        return [self.row(answer) for answer in self.result["answers"]]

    def row(self, answer: Mapping[str, Any]) -> Row:
        hypothesis, line = self.report.subject, line_from(answer["line"])
        return Row(
            str(hypothesis.a),
            str(hypothesis.b),
            line.kind,
            answer["word"],
            line,
            Decision(**from_plain(answer["decision"])),
            ends_of(answer),
            Decision(**from_plain(answer["share"])),
            answer["needed"],
            target_of(line, hypothesis.alpha, len(self.result["answers"])),
        )

    @property
    def to_settle(self) -> list[Row]:
        """The kinds that cannot tell yet, with what each lacks, the fewest units first; none where the verdict is settled."""
        lacking = [row for row in self.rows if row.more] if self.outcome not in SETTLED else []
        return sorted(lacking, key=lambda row: row.more or 0)

    @property
    def heterogeneity(self) -> dict[str, Any] | None:
        return self.result["heterogeneity"]

    @property
    def there_when_asked(self) -> list[str]:
        """The kinds whose evidence had begun to come when the question was asked."""
        asked, rows = self.report.subject.created, self.report.spec["sources"]
        times = {LABELS[kind]: begun(kind, keys) for kind, keys in rows.items()}
        return [gettext(label) for label, time in times.items() if time and time < asked]

    @cached_property
    def apart(self) -> pl.DataFrame:
        """Every topic that two kinds or more speak of, the farthest apart first, as `disagreements` gives them."""
        table = table_of(self.report, "topics")
        return disagreements([]) if table is None else table

    @property
    def names_of_kinds(self) -> list[str]:
        """The kinds that speak of topics, in the reader's language."""
        return [gettext(kind) for kind in self.topic_kinds]

    @property
    def topic_kinds(self) -> list[str]:
        return [column for column in self.apart.columns if column not in ("topic", "apart")]

    @property
    def topics(self) -> list[dict[str, Any]]:
        """The topics on which kinds lie farthest apart: the topic, how far B is ahead by each kind, how far apart they are."""
        first = self.apart.head(A_GLANCE)
        titles = self.titles(first["topic"].to_list())
        return [
            {**row, "title": titles.get(row["topic"], ""), "ahead": [row[kind] for kind in self.topic_kinds]}
            for row in first.iter_rows(named=True)
        ]

    def titles(self, numbers: Sequence[str]) -> dict[str, str]:
        """The titles of topics by their numbers."""
        topics = Topic.objects.filter(collection=self.report.subject.collection, number__in=numbers)
        return dict(topics.values_list("number", "title"))
