"""Which part of a report the reader looks at; all of it stands in the address, so that a link shows the same."""

from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property

from django.http import QueryDict

from judging.database.numbers import number_in
from metrics.figures.charts import MOST_TOLD_APART
from metrics.kinds.runs.results import Outcome, best_first, outcomes, sign_of
from metrics.kinds.runs.values import main_measure
from metrics.models import Report


def one_of(choices: Container[str], asked: str | None, usual: str) -> str:
    return asked if asked and asked in choices else usual


@dataclass(frozen=True)
class Choice:
    """One of the qrels, one measure, and the runs that are shown topic by topic (by their ids; none named: the best)."""

    report: Report
    qrels: int
    measure: str
    named: frozenset[int]

    @classmethod
    def read(cls, query: QueryDict, report: Report) -> "Choice":
        """Read the query string; ignore choices that no longer exist."""
        qrels = [one["id"] for one in report.spec["qrels"]]
        asked = number_in(query.get("qrels", ""))
        measure = query.get("measure", "")
        everything = {run["id"] for run in report.spec["runs"]}
        named = everything if query.get("runs") == "all" else everything & set(map(number_in, query.getlist("run")))
        return cls(
            report=report,
            qrels=asked if asked and asked in qrels else qrels[0],
            measure=measure if measure in report.spec["measures"] else main_measure(report),
            named=frozenset(named),
        )

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """All runs under the chosen qrels, the best by the chosen measure first."""
        return best_first(outcomes(self.report, self.qrels), self.measure)

    @cached_property
    def shown(self) -> list[Outcome]:
        if self.named:
            return [one for one in self.outcomes if one.run in self.named]
        return self.outcomes[:MOST_TOLD_APART]

    @property
    def best_is(self) -> str:
        return "lowest" if sign_of(self.measure) < 0 else "highest"

    @property
    def worst_is(self) -> str:
        return "highest" if sign_of(self.measure) < 0 else "lowest"

    @property
    def runs(self) -> list[int]:
        return [one.run for one in self.shown]

    @property
    def hides(self) -> int:
        return len(self.outcomes) - len(self.shown)

    @property
    def qrels_name(self) -> str:
        return next(one["name"] for one in self.report.spec["qrels"] if one["id"] == self.qrels)
