"""The part of a report that its reader chose in the address, so that a link shows others the same."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.http import QueryDict
from django.utils.translation import gettext as _

from judging.database.numbers import number_in
from metrics.figures.charts import MOST_TOLD_APART
from metrics.kinds.runs.results import Outcome, best_first, outcomes, sign_of
from metrics.kinds.runs.values import main_measure
from metrics.models import Report


def one_of(choices: Container[str], name: str | None, usual: str) -> str:
    return name if name and name in choices else usual


@dataclass(frozen=True)
class Choice:
    """One of the qrels, one measure, and the runs to show topic by topic.

    `named` are the ids of the chosen runs; if there are none, the best runs are shown.
    """

    report: Report
    qrels: int
    measure: str
    named: frozenset[int]

    @classmethod
    def read(cls, query: QueryDict, report: Report) -> "Choice":
        """Read the query string; ignore choices that no longer exist."""
        versions = [version["id"] for version in report.spec["qrels"]]
        qrels = number_in(query.get("qrels", ""))
        measure = query.get("measure", "")
        everything = {run["id"] for run in report.spec["runs"]}
        named = everything if query.get("runs") == "all" else everything & set(map(number_in, query.getlist("run")))
        return cls(
            report=report,
            qrels=qrels if qrels and qrels in versions else versions[0],
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
            return [outcome for outcome in self.outcomes if outcome.run in self.named]
        return self.outcomes[:MOST_TOLD_APART]

    @cached_property
    def compared(self) -> list[Outcome]:
        """The runs that count a topic, the best first."""
        return [outcome for outcome in self.outcomes if outcome.topics]

    def compared_pair(self, query: QueryDict) -> tuple[Outcome, Outcome]:
        """The two compared runs that the address names, else the best shown."""
        return pair(query, sorted(self.compared, key=lambda outcome: outcome not in self.shown))

    @property
    def best_is(self) -> str:
        return _("lowest") if sign_of(self.measure) < 0 else _("highest")

    @property
    def worst_is(self) -> str:
        return _("highest") if sign_of(self.measure) < 0 else _("lowest")

    @property
    def runs(self) -> list[int]:
        return [outcome.run for outcome in self.shown]

    @property
    def hides(self) -> int:
        return len(self.outcomes) - len(self.shown)

    @property
    def qrels_name(self) -> str:
        return next(version["name"] for version in self.report.spec["qrels"] if version["id"] == self.qrels)


def pair(query: QueryDict, runs: Sequence[Outcome]) -> tuple[Outcome, Outcome]:
    """The two different runs that the address names; where it names none, the first ones."""
    numbers = number_in(query.get("first", "")), number_in(query.get("second", ""))
    first = next((run for run in runs if run.run == numbers[0]), runs[0])
    rest = [run for run in runs if run.run != first.run]
    return first, next((run for run in rest if run.run == numbers[1]), rest[0])
