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
from metrics.kinds.ab.words import flaws
from metrics.models import Report

# Nobody has judged for so long: the link was lost, or the pay is too low.
STALLED = timedelta(days=3)
RECENT = timedelta(days=7)
# No list of all that went wrong: the latest of each kind.
MOST = 5


@dataclass(frozen=True)
class Concern:
    """A thing by its name, what is the matter with it, and the address of the page that mends it."""

    name: str
    text: str
    url: str


def study_concerns(rows: Iterable[StudyOverview]) -> Iterator[Concern]:
    """Concerns about running studies: complete, without workers for days, or with workers whom a rule stopped."""
    running = [row for row in rows if row.study.state == Study.State.RUNNING]
    stopped = workers_stopped([row.study for row in running])
    for row in running:
        name, key = row.study.name, [row.study.pk]
        if row.slots and row.judged >= row.slots:
            text = f"All {row.slots:,} judgements are there: read them and close the study."
            yield Concern(name, text, reverse("study_results", args=key))
        elif days := days_without_work(row):
            missing = row.slots - row.judged
            text = f"{missing:,} judgements are missing, and nobody has judged for {days} days."
            yield Concern(name, text, reverse("study", args=key))
        if count := stopped.get(row.study.pk):
            workers = "1 worker was" if count == 1 else f"{count:,} workers were"
            text = f"{workers} stopped by a rule this week: look at their work."
            yield Concern(name, text, reverse("study_quality_workers", args=key))


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
            yield from (Concern(experiment.name, text, report.get_absolute_url()) for text in faults(ABResults(report, user, {})))


def faults(results: ABResults) -> Iterable[str]:
    if results.nothing or results.too_few:
        return ()
    return [flaw.why for flaw in flaws(results)] or filter(None, [goes_on(results)])


def report_concerns(user: User) -> Iterator[Concern]:
    """Reports that failed this week and were not computed since."""
    failed = reports_for(user).filter(state=Report.State.FAILED, created__gte=timezone.now() - RECENT).with_subject()
    for report in failed.order_by("-pk")[:MOST]:
        since = Report.objects.of(report.kind, report.subject).filter(pk__gt=report.pk)
        if report.kind == Report.Kind.RUNS or not since.exists():
            yield Concern(str(report), report.error, report.get_absolute_url())
