"""Reports on graded and on side-by-side studies: steps that compute from evidence, which goes on changing and is read once.

To add a step, write a function that takes the kind's `Evidence` and returns `Findings`. Enter it in the kind's `parts.py` under
its name, and read its result with `part(report, name)`. Reports without it then count as out of date.
What it needs of the database belongs into `evidence.py`: the fingerprint must change with it.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl
from django.db.models import Max, OuterRef, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ireval import ENGINE_VERSION
from judging.labels.results import current
from judging.models import Item, Judgement, Study, Worker
from metrics import pipeline
from metrics.models import Part, Report
from metrics.pipeline import Findings, Kind, Reading
from metrics.sentences import differ, difference
from metrics.stored_tables import Tables, table_of_part

SOME_CHANGED = {
    "judgement": gettext_lazy("some judgements were changed"),
    "answer": gettext_lazy("some answers were changed"),
}
INTERVALS = {"confidence": 0.95, "resamples": 1000, "seed": 0}
# The table of a step that has one.
ROWS = "rows"


@dataclass(frozen=True)
class StudyKind:
    """A kind of report on studies: its steps, how its evidence is read, and the fingerprint that tells it from later evidence."""

    name: Report.Kind
    steps: Mapping[str, Callable[[Any], Findings]]
    fingerprint: Callable[[Study], dict[str, Any]]
    read: Callable[[Study], Tables]
    evidence_of: Callable[[Report], Any]

    @property
    def spec(self) -> dict[str, Any]:
        return {"steps": list(self.steps), "intervals": INTERVALS}

    @property
    def kind(self) -> Kind:
        return Kind(self.name, self.reading, self.compute, whole)

    def reading(self, report: Report) -> Reading:
        """Read the evidence after its fingerprint.

        What is judged in between is in the report and is announced as new as well; it is never missed.
        """
        now, facts = timezone.now(), self.fingerprint(report.subject)
        return Reading(now, evidence=facts, digest=digest(report.subject, report.spec, facts), tables=self.read(report.subject))

    def compute(self, parts: Sequence[Part]) -> Iterable[Findings]:
        evidence = self.evidence_of(parts[0].report)
        return (self.steps[part.name](evidence) for part in parts)


def whole(report: Report) -> Findings:
    """Nothing: steps are not put together."""
    return Findings(None)


def digest(study: Study, spec: dict[str, Any], facts: dict[str, Any]) -> str:
    content = {"study": study.pk, "engine": ENGINE_VERSION, "spec": spec, "evidence": facts}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def judgement_facts(study: Study) -> dict[str, Any]:
    """The number of current judgements, the key of the latest, and a hash of the excluded workers.

    Judgements are only added, so that number and key tell whether there are new ones. Which of them count depends on the number
    that an item wants, too, where that was chosen for it.
    """
    people = Worker.objects.filter(study=study).order_by("pk")
    own = Judgement.objects.filter(worker=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    return {
        "judgements": current(study).count(),
        "latest": people.order_by().annotate(own=Subquery(own)).aggregate(latest=Max("own"))["latest"] or 0,
        "excluded": hash_of(people.filter(standing=Worker.Standing.EXCLUDED).values_list("pk")),
        **other_votes(study),
    }


def other_votes(study: Study) -> dict[str, str]:
    """A hash of the items that somebody wanted judged by another number of workers than all: it decides which votes count."""
    items = Item.objects.filter(study=study, role=Item.Role.WORK).exclude(wanted=study.overlap)
    chosen = list(items.order_by("pk").values_list("pk", "wanted")) if not study.is_adaptive else []
    return {"votes": hash_of(chosen)} if chosen else {}


def judgement_changes(before: dict[str, Any], after: dict[str, Any], noun: str) -> list[str]:
    """What changed between two of `judgement_facts`; empty texts for what did not."""
    as_many = before["judgements"] == after["judgements"]
    return [
        difference(before["judgements"], after["judgements"], noun),
        str(SOME_CHANGED[noun]) if as_many and differ(before, after, "latest") else "",
        _("other workers are excluded") if differ(before, after, "excluded") else "",
        _("items are judged by other numbers of workers") if differ(before, after, "votes") else "",
    ]


def hash_of(rows: Iterable[tuple]) -> str:
    return hashlib.sha256(json.dumps(list(rows)).encode()).hexdigest()[:16]


def request_study_report(kind: StudyKind, study: Study) -> Report:
    """Return the report that is being computed, or the newest if it is current; else ask for a new one."""
    report, _, waiting = pipeline.latest_reports(kind.name, study)
    if waiting:
        return waiting
    if report and is_current(kind, report):
        return report
    return pipeline.ask(kind.name, study, kind.spec, list(kind.steps))


def has_answers(study: Study) -> bool:
    return Judgement.objects.filter(worker__study=study).exists()


def is_current(kind: StudyKind, report: Report) -> bool:
    """Whether asking again would give the same report."""
    return report.digest == digest(report.subject, kind.spec, kind.fingerprint(report.subject))


def judged_since(report: Report) -> int:
    return Judgement.objects.filter(worker__study=report.study_id, pk__gt=report.evidence["latest"]).count()


def page_context(kind: StudyKind, study: Study) -> dict[str, Any]:
    """The context of the report's page. Whoever looks first asks for the first report."""
    answered = study.is_launched and has_answers(study)
    latest = pipeline.looked_at(kind.name, study, partial(request_study_report, kind, study) if answered else None)
    report = latest.report
    return {
        "study": study,
        **latest._asdict(),
        "has_answers": answered,
        "is_current": report and is_current(kind, report),
        "since": judged_since(report) if report else 0,
    }


def newest(kind: StudyKind, study: Study) -> Report | None:
    return pipeline.latest_reports(kind.name, study).report


def part(report: Report, step: str) -> dict[str, Any]:
    """The result of a step. Reports of earlier versions may lack it: `report.spec["steps"]` names their steps."""
    result = report.parts.get(name=step).result
    assert result is not None
    return result


def rows(report: Report, step: str) -> pl.DataFrame:
    return table_of_part(report, step, ROWS)


def in_order(frame: pl.DataFrame, order: str, *, ties: list[pl.Expr]) -> pl.DataFrame:
    """The frame sorted by the column that `order` names, falling after a minus; nulls come last either way."""
    falling, column = order.startswith("-"), order.removeprefix("-")
    if column == "topic":
        return frame.sort(ties, descending=[falling] * len(ties), nulls_last=True)
    return frame.sort(column, *ties, descending=[falling, *[False] * len(ties)], nulls_last=True)


def summary(report: Report) -> dict[str, dict[str, Any]]:
    """The result of each step by name, without its rows."""
    return {part.name: part.result or {} for part in report.parts.all()}


def not_people(about: dict[str, Any]) -> str:
    """The warning above numbers that count simulated votes; empty where they count none."""
    if not about["simulated"]:
        return ""
    counts = {"simulated": f"{about['simulated']:,}", "votes": f"{about['votes']:,}"}
    return _("%(simulated)s of %(votes)s votes are simulated, made by a program and not by people.") % counts
