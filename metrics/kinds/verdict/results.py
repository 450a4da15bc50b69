"""Results of a verdict as its page shows them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ireval.io.plain import from_plain
from ireval.significance import Decision
from metrics.kinds.verdict.parts import line_from
from metrics.kinds.verdict.sources import LABELS
from metrics.models import Report
from metrics.stored_tables import table_of

A_GLANCE = 10
SAYS = {
    "better": "B is better",
    "worse": "A is better",
    "equal": "no difference that matters",
    "not worse": "B is not worse",
    "not better": "A is not worse",
    "unknown": "not known yet",
}


@dataclass(frozen=True)
class Row:
    """What one kind of evidence says, as a row of the table."""

    kind: str
    word: str
    line: Any
    decision: Decision
    share: Decision
    needed: int | None

    @property
    def says(self) -> str:
        return SAYS[self.word]

    @property
    def more(self) -> int | None:
        """How many units more would find what matters; None where it is decided or not known."""
        if self.needed is None or self.word in ("better", "worse", "equal"):
            return None
        return max(0, self.needed - self.line.n)


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
        return self.result["sentence"]

    @cached_property
    def rows(self) -> list[Row]:
        return [
            Row(
                answer["line"]["kind"],
                answer["word"],
                line_from(answer["line"]),
                Decision(**from_plain(answer["decision"])),
                Decision(**from_plain(answer["share"])),
                answer["needed"],
            )
            for answer in self.result["answers"]
        ]

    @property
    def to_settle(self) -> list[Row]:
        """The kinds that cannot tell yet, with what each lacks, the fewest units first."""
        lacking = [row for row in self.rows if row.more]
        return sorted(lacking, key=lambda row: row.more or 0)

    @property
    def cautions(self) -> list[str]:
        """What could mislead; that experts, machines and clicks are not drawn anew is no news."""
        told = [row for row in self.rows if row.line.caution and row.kind == LABELS["workers"]]
        return [f"{row.kind.capitalize()}: {row.line.caution}" for row in told]

    @property
    def heterogeneity(self) -> dict[str, Any] | None:
        return self.result["heterogeneity"]

    @cached_property
    def topics(self) -> list[dict[str, Any]]:
        """The topics on which kinds lie farthest apart: the topic, how far B is ahead by each kind, how far apart they are."""
        table = table_of(self.report, "topics")
        if table is None:
            return []
        kinds = [column for column in table.columns if column not in ("topic", "apart")]
        return [
            {"topic": row["topic"], "apart": row["apart"], "ahead": [row[kind] for kind in kinds]}
            for row in table.head(A_GLANCE).iter_rows(named=True)
        ]

    @property
    def topic_kinds(self) -> list[str]:
        table = table_of(self.report, "topics")
        return [] if table is None else [column for column in table.columns if column not in ("topic", "apart")]
