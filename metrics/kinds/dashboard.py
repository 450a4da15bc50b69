"""The dashboard's lines: of each question, study, report and experiment what is known, what asks for attention, what to do next.

A study's reports are told on the study's line, so that nothing stands there twice.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from judging.access import experiments_for, hypotheses_for
from judging.labels.study_progress import StudyOverview, kept_of
from judging.models import Experiment, Hypothesis, Study, User
from metrics.access import reports_for
from metrics.kinds.attention import Concern, about, concerns_of
from metrics.kinds.glances import at_a_glance
from metrics.kinds.overview import newest_of_each, sentence, with_sentences
from metrics.kinds.verdict.results import SETTLED
from metrics.models import Report

MOST, LOOKED_THROUGH = 12, 60
# Concerns by the type and key of what they are about.
Concerns = dict[tuple[str, int], list[Concern]]
STUDIES = {
    Study.State.DRAFT: _("Study, draft"),
    Study.State.RUNNING: _("Study, running"),
    Study.State.PAUSED: _("Study, paused"),
    Study.State.CLOSED: _("Study, closed"),
}
EXPERIMENTS = {
    Experiment.State.DRAFT: _("%(kind)s, draft"),
    Experiment.State.RUNNING: _("%(kind)s, running"),
    Experiment.State.STOPPED: _("%(kind)s, stopped"),
}


@dataclass(frozen=True)
class Step:
    label: str
    url: str


@dataclass(frozen=True)
class Line:
    """A thing by its name, its kind, what is known of it, what is the matter with it, and the next step, if any.

    The figure is that of its report, empty where there is none.
    """

    name: str
    kind: str
    url: str
    says: str
    concerns: tuple[Concern, ...] = ()
    step: Step | None = None
    figure: str = ""


def lines(user: User, studies: Iterable[StudyOverview]) -> list[Line]:
    """Questions first, then studies, reports and experiments; of each kind the newest."""
    studies, asked = list(studies), list(hypotheses_for(user)[:MOST])
    reports = newest_reports(user, asked)
    concerns_about: Concerns = defaultdict(list)
    for concern in concerns_of(user, studies, reports):
        concerns_about[concern.about].append(concern)
    told = {about(report): report for report in reports if report.kind != Report.Kind.RUNS}
    rest = [report for report in reports if not report.study_id and not report.hypothesis_id]
    settled = when_settled(studies[:MOST])
    return [
        *(question_line(question, told.get(("hypothesis", question.pk)), user, concerns_about) for question in asked),
        *(study_line(row, told.get(("study", row.study.pk)), user, concerns_about, settled) for row in studies[:MOST]),
        *(line_of(report, user, concerns_about) for report in rest[:MOST]),
        *experiments_without_report(user),
    ]


def when_settled(studies: Iterable[StudyOverview]) -> dict[int, datetime]:
    """When the grades that people gave in each study were last kept as qrels, by its key."""
    kept = kept_of(row.study.pk for row in studies).order_by().values_list("study")
    return dict(kept.annotate(newest=Max("created")))


def newest_reports(user: User, asked: Iterable[Hypothesis]) -> list[Report]:
    """The newest of each subject; verdicts apart, so that many reports cannot crowd out what puts them together."""
    every = with_sentences(reports_for(user))
    return newest_of_each([*every.filter(hypothesis__in=asked), *every.filter(hypothesis=None)[:LOOKED_THROUGH]])


def question_line(question: Hypothesis, report: Report | None, user: User, concerns_about: Concerns) -> Line:
    if report:
        return line_of(report, user, concerns_about)
    address = reverse("verdict", args=[question.pk])
    return Line(
        question.name, gettext("Verdict"), address, gettext("Nobody has looked yet."), (), Step(gettext("Decide"), address)
    )


def line_of(report: Report, user: User, concerns_about: Concerns) -> Line:
    says = sentence(report, user) if report.is_done else "" if report.is_failed else gettext("Being computed.")
    concerns = tuple(concerns_about[about(report)])
    name, kind, address = name_of(report), report.get_kind_display(), report.get_absolute_url()
    return Line(name, kind, address, says, concerns, step_after(report), at_a_glance(report, user))


def name_of(report: Report) -> str:
    return report.title or str(getattr(report.subject, "name", report.subject))


def step_after(report: Report) -> Step | None:
    if report.kind == Report.Kind.VERDICT and report.is_failed:
        return Step(gettext("What is missing"), f"{report.get_absolute_url()}#missing")
    if report.kind == Report.Kind.VERDICT and report.is_done:
        is_settled = (report.result or {})["outcome"] in SETTLED
        label, place = (gettext("Share it"), "share") if is_settled else (gettext("What would settle it"), "settle")
        return Step(label, f"{report.get_absolute_url()}#{place}")
    if report.kind == Report.Kind.RUNS and report.is_done and len(report.spec["runs"]) > 1:
        return Step(gettext("Judge next"), reverse("report_next", args=[report.pk]))
    return None


def study_line(
    row: StudyOverview, report: Report | None, user: User, concerns_about: Concerns, settled: dict[int, datetime]
) -> Line:
    study = row.study
    is_settled = study.pk in settled and row.last is not None and settled[study.pk] >= row.last
    judged = ngettext(
        "%(judged)s of %(slots)s judged by %(workers)s worker.",
        "%(judged)s of %(slots)s judged by %(workers)s workers.",
        row.workers,
    ) % {"judged": f"{row.judged:,}", "slots": f"{row.slots:,}", "workers": f"{row.workers:,}"}
    says = f"{judged} {sentence(report, user) if report and report.is_done else ''}".strip()
    kind, concerns = str(STUDIES[Study.State(study.state)]), tuple(concerns_about["study", study.pk])
    drawn = at_a_glance(report, user) if report else ""
    return Line(study.name, kind, study_url(study), says, concerns, study_step(row, report, is_settled=is_settled), drawn)


def study_url(study: Study) -> str:
    return reverse("study", args=[study.pk])


def study_step(row: StudyOverview, report: Report | None, *, is_settled: bool) -> Step | None:
    study = row.study
    if study.state == Study.State.RUNNING and not row.judged:
        return Step(gettext("Send its link"), study_url(study))
    if row.judged and not report:
        name = "study_preferences" if study.compares else "study_quality"
        label = gettext("What do workers prefer") if study.compares else gettext("How far do workers agree")
        return Step(label, reverse(name, args=[study.pk]))
    if row.judged and not study.compares and not is_settled:
        return Step(gettext("Settle the grades"), reverse("study_results", args=[study.pk]))
    return Step(gettext("Show it"), report.get_absolute_url()) if report else None


def experiments_without_report(user: User) -> Iterator[Line]:
    for experiment in experiments_for(user).filter(reports=None).order_by("-pk")[:MOST]:
        address = reverse("experiment", args=[experiment.pk])
        kind = EXPERIMENTS[Experiment.State(experiment.state)] % {"kind": experiment.get_kind_display()}
        if experiment.state == Experiment.State.DRAFT:
            yield Line(experiment.name, kind, address, gettext("Not started."), (), Step(gettext("Start it"), address))
        else:
            step = Step(gettext("Show its report"), reverse("experiment_report", args=[experiment.pk]))
            yield Line(experiment.name, kind, address, gettext("Nobody has looked yet."), (), step)
