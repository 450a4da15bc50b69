"""What asks for a researcher's attention: in a sentence, with the page on which to mend it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count
from django.urls import reverse
from django.utils import timezone

from judging.access import experiments_for
from judging.labels.results import StudyOverview
from judging.models import Exclusion, Experiment, Study, User, Worker
from metrics.access import reports_for
from metrics.kinds.ab.cautions import goes_on
from metrics.kinds.ab.effects import ABResults
from metrics.kinds.ab.words import BETTER, flaws
from metrics.kinds.studies import summary
from metrics.kinds.verdict.parts import is_current
from metrics.models import Report

# Nobody has judged for so long: the link was lost, or the pay is too low.
STALLED = timedelta(days=3)
RECENT = timedelta(days=7)
# No list of all that went wrong: the latest of each kind.
MOST = 5


@dataclass(frozen=True)
class Concern:
    """What a thing is called, what is the matter with it, and the address of the page that mends it.

    `about` is the type and key of the thing: ("study", 3).
    """

    name: str
    text: str
    url: str
    about: tuple[str, int]


def concerns_of(user: User, studies: Iterable[StudyOverview], reports: Iterable[Report]) -> list[Concern]:
    """All that asks for attention: of these studies and reports, and of the user's experiments."""
    return [*study_concerns(studies), *experiment_concerns(user), *report_concerns(user), *news(reports), *odd_workers(reports)]


def news(reports: Iterable[Report]) -> Iterator[Concern]:
    """Verdicts whose evidence has changed since."""
    verdicts = [report for report in reports if report.kind == Report.Kind.VERDICT and report.is_done]
    for report in verdicts[:MOST]:
        if not is_current(report):
            text = "Evidence has changed since: decide again."
            yield Concern(str(report), text, report.get_absolute_url(), ("hypothesis", report.subject.pk))


def odd_workers(reports: Iterable[Report]) -> Iterator[Concern]:
    """Running studies some of whose workers stand out: too fast, against the others, wrong on gold."""
    for report in reports:
        study: Study = report.subject
        if report.kind != Report.Kind.QUALITY or not report.is_done or study.state != Study.State.RUNNING:
            continue
        if flagged := summary(report)["workers"]["flagged"]:
            workers = "1 worker stands out" if flagged == 1 else f"{flagged:,} workers stand out"
            url = reverse("study_quality_workers", args=[study.pk])
            yield Concern(study.name, f"{workers}: look at their work.", f"{url}?flagged=1", ("study", study.pk))


def study_concerns(rows: Iterable[StudyOverview]) -> Iterator[Concern]:
    """Concerns about running studies: complete, without workers for days, or with workers whom a rule stopped."""
    running = [row for row in rows if row.study.state == Study.State.RUNNING]
    stopped = workers_stopped([row.study for row in running])
    for row in running:
        name, key = row.study.name, [row.study.pk]
        if row.slots and row.judged >= row.slots:
            text = f"All {row.slots:,} judgements are there: read them and close the study."
            yield Concern(name, text, reverse("study_results", args=key), ("study", row.study.pk))
        elif days := days_without_work(row):
            missing = row.slots - row.judged
            text = f"{missing:,} judgements are missing, and nobody has judged for {days} days."
            yield Concern(name, text, reverse("study", args=key), ("study", row.study.pk))
        if count := stopped.get(row.study.pk):
            workers = "1 worker was" if count == 1 else f"{count:,} workers were"
            text = f"{workers} stopped by a rule this week: look at their work."
            yield Concern(name, text, reverse("study_quality_workers", args=key), ("study", row.study.pk))


def days_without_work(row: StudyOverview) -> int:
    """For how many days nobody has judged; 0 before that is too long."""
    last = row.last or row.study.launched
    quiet = timezone.now() - last if last else timedelta()
    return quiet.days if quiet >= STALLED else 0


def workers_stopped(studies: list[Study]) -> dict[int, int]:
    """How many workers a rule has stopped lately, by the study's key."""
    stops = [Worker.Standing.BLOCKED, Worker.Standing.EXCLUDED]
    recent = Exclusion.objects.filter(worker__study__in=studies, rule__isnull=False, lifted=None, standing__in=stops)
    since = recent.filter(created__gte=timezone.now() - RECENT)
    return dict(since.order_by().values_list("worker__study").annotate(Count("worker", distinct=True)))


def experiment_concerns(user: User) -> Iterator[Concern]:
    """A/B tests that run and are flawed, or have all the users that were planned."""
    running = experiments_for(user).filter(state=Experiment.State.RUNNING, kind=Experiment.Kind.AB).order_by("-pk")
    for experiment in running[:MOST]:
        report = Report.objects.of(Report.Kind.AB, experiment).filter(state=Report.State.DONE).order_by("pk").last()
        if report:
            for text in faults(ABResults(report, user, {})):
                yield Concern(experiment.name, text, report.get_absolute_url(), ("experiment", experiment.pk))


def faults(results: ABResults) -> Iterable[str]:
    if results.nothing or results.too_few:
        return ()
    return [flaw.why for flaw in flaws(results)] or filter(None, [goes_on(results) or decided(results)])


def decided(results: ABResults) -> str:
    """Say that a test that may be looked at at any time is decided, and goes on all the same."""
    is_told = any(line.judged in BETTER for line in results.deciding)
    if not results.choice.always or not results.may_be_read or not is_told:
        return ""
    return "It is decided: stop it, and give everybody what is better."


def report_concerns(user: User) -> Iterator[Concern]:
    """Reports that failed this week and were not computed since."""
    failed = reports_for(user).filter(state=Report.State.FAILED, created__gte=timezone.now() - RECENT).with_subject()
    for report in failed.order_by("-pk")[:MOST]:
        since = Report.objects.of(report.kind, report.subject).filter(pk__gt=report.pk)
        if report.kind == Report.Kind.RUNS or not since.exists():
            about = ("report", report.pk) if report.kind == Report.Kind.RUNS else (report.about, report.subject.pk)
            yield Concern(str(report), report.error, report.get_absolute_url(), about)
