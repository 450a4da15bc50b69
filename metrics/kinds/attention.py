"""What asks for a researcher's attention: in a sentence, with the page on which to mend it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, F, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from judging.access import experiments_for, sees_records
from judging.labels.study_progress import StudyOverview
from judging.models import Exclusion, Experiment, Item, Judgement, Rule, Study, User, Worker
from judging.text.library_words import in_reader_language
from metrics.access import only_reads, reports_for
from metrics.kinds.ab.results import ABResults
from metrics.kinds.ab.words import BETTER, flaws
from metrics.kinds.experiment_reports import results_for
from metrics.kinds.experiments.words import advice_to_stop
from metrics.kinds.interleaving.results import InterleavingResults
from metrics.kinds.quality.workers import NOTICES
from metrics.kinds.report_kinds import REPORT_KINDS
from metrics.kinds.runs import versions
from metrics.kinds.studies import summary
from metrics.models import Report

# Nobody has judged for so long: the link was lost, or the pay is too low.
STALLED = timedelta(days=3)
RECENT = timedelta(days=7)
# Evidence that comes in all the time makes a report old only after a day: at night it is computed again.
A_DAY = timedelta(days=1)
# No list of all that went wrong: the latest of each kind.
MOST = 5
# From so many answers on a worker's pace is heeded.
LEAST_ANSWERS = NOTICES[Rule.Signal.HASTY].least
KINDS = (Report.Kind.AB, Report.Kind.INTERLEAVING)
READ = (Item.Role.WORK, Item.Role.GOLD, Item.Role.ATTENTION)


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
    reports = list(reports)
    return [
        *study_concerns(studies),
        *experiment_concerns(user),
        *report_concerns(user),
        *news(reports, user),
        *odd_workers(reports),
    ]


def about(report: Report) -> tuple[str, int]:
    """The type and key of the thing whose line tells of the report. A report on runs has a line of its own."""
    return ("report", report.pk) if report.kind == Report.Kind.RUNS else (report.about, report.subject.pk)


def news(reports: Iterable[Report], user: User) -> Iterator[Concern]:
    """Reports whose evidence has changed since, where the user may have them computed again."""
    checked: Counter[str] = Counter()
    for report in reports:
        if not report.is_done or is_fresh(report) or only_reads(user, report) or checked[report.kind] == MOST:
            continue
        checked[report.kind] += 1
        if not is_current(report, user):
            yield Concern(str(report), str(CHANGED.get(report.kind, CHANGED[""])), report.get_absolute_url(), about(report))


CHANGED = {
    "": _("Evidence has changed since: compute it again."),
    Report.Kind.RUNS: _("There are newer qrels: ask again of them."),
    Report.Kind.VERDICT: _("Evidence has changed since: decide again."),
}


def is_fresh(report: Report) -> bool:
    """Whether it was computed within a day from evidence that comes in all the time."""
    at_work = report.kind == Report.Kind.CLICKS or getattr(report.subject, "state", "") == Study.State.RUNNING
    return at_work and report.finished is not None and report.finished > timezone.now() - A_DAY


def is_current(report: Report, user: User) -> bool:
    return versions.is_newest(report, user) if report.kind == Report.Kind.RUNS else REPORT_KINDS[report.kind].is_current(report)


def odd_workers(reports: Iterable[Report]) -> Iterator[Concern]:
    """Running studies some of whose workers stand out: too fast, against the others, wrong on gold."""
    for report in reports:
        study: Study = report.subject
        if report.kind != Report.Kind.QUALITY or not report.is_done or study.state != Study.State.RUNNING:
            continue
        if flagged := summary(report)["workers"]["flagged"]:
            text = ngettext(
                "%(number)s worker stands out: look at their work.", "%(number)s workers stand out: look at their work.", flagged
            ) % {"number": f"{flagged:,}"}
            yield Concern(study.name, text, f"{workers_page(study)}?flagged=1", ("study", study.pk))


def study_concerns(rows: Iterable[StudyOverview]) -> Iterator[Concern]:
    """Concerns about running studies: how far they are, and workers whom a rule stopped or who cannot have read."""
    running = [row for row in rows if row.study.state == Study.State.RUNNING]
    studies = [row.study for row in running]
    stopped, hasty = workers_stopped(studies), hasty_workers(studies)
    for row in running:
        study, about_it = row.study, ("study", row.study.pk)
        if state := state_concern(row):
            yield Concern(study.name, *state, about_it)
        if count := stopped.get(study.pk):
            text = ngettext(
                "%(number)s worker was stopped by a rule this week: look at their work.",
                "%(number)s workers were stopped by a rule this week: look at their work.",
                count,
            ) % {"number": f"{count:,}"}
            yield Concern(study.name, text, workers_page(study), about_it)
        if count := hasty.get(study.pk):
            text = ngettext(
                "%(number)s worker answers mostly within %(seconds)s s, too quick to have read: look at their work.",
                "%(number)s workers answer mostly within %(seconds)s s, too quick to have read: look at their work.",
                count,
            ) % {"number": f"{count:,}", "seconds": f"{study.least_seconds:g}"}
            yield Concern(study.name, text, f"{workers_page(study)}?sort=seconds", about_it)


def state_concern(row: StudyOverview) -> tuple[str, str] | None:
    """What is the matter with how far a running study is, and the page that mends it."""
    key = [row.study.pk]
    if row.slots and row.judged >= row.slots:
        complete = gettext("All %(number)s judgements are there: read them and close the study.")
        return complete % {"number": f"{row.slots:,}"}, reverse("study_results", args=key)
    if not row.judged:
        return gettext("Nobody has judged yet."), f"{reverse('study', args=key)}#invite"
    if days := days_without_work(row):
        stalled = gettext("%(missing)s judgements are missing, and nobody has judged for %(days)s days.")
        return stalled % {"missing": f"{row.slots - row.judged:,}", "days": days}, reverse("study", args=key)
    return None


def workers_page(study: Study) -> str:
    return reverse("study_preferences_workers" if study.compares else "study_quality_workers", args=[study.pk])


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


def hasty_workers(studies: list[Study]) -> dict[int, int]:
    """How many workers' median answer came sooner than anybody can have read, by the study's key.

    Times that no page measured are 0 and say nothing; nor does a changed mind, whose time is in two rows.
    """
    timed = Judgement.objects.filter(milliseconds__gt=0, revises=None, revised_by=None, item__role__in=READ)
    people = timed.filter(item__study__in=studies, worker__machine="", worker__standing=Worker.Standing.GOOD)
    sooner = Q(milliseconds__lt=1000 * F("item__study__least_seconds"))
    paces = people.order_by().values("worker", "worker__study").annotate(answers=Count("pk"), sooner=Count("pk", filter=sooner))
    hasty = paces.filter(answers__gte=LEAST_ANSWERS, sooner__gt=F("answers") / 2.0)
    return Counter(row["worker__study"] for row in hasty)


def experiment_concerns(user: User) -> Iterator[Concern]:
    """Experiments that run and are flawed, are decided, or have all the users that were planned."""
    running = experiments_for(user).filter(state=Experiment.State.RUNNING).order_by("-pk")
    for experiment in running.select_related("site")[:MOST]:
        report = experiment.reports.filter(state=Report.State.DONE, kind__in=KINDS).order_by("pk").last()
        if report:
            for text, page in faults(results_for(report, user, {})):
                may_stop = sees_records(user, experiment.site)
                url = reverse(page if may_stop else "experiment_report", args=[experiment.pk])
                yield Concern(experiment.name, text, url, ("experiment", experiment.pk))


def faults(results: ABResults | InterleavingResults) -> Iterable[tuple[str, str]]:
    """What is the matter, and the name of the experiment's page that mends it."""
    if results.nothing or results.too_few:
        return []
    over = advice_to_stop(results) or decided(results)
    flawed = [(flaw.why, "experiment_report") for flaw in flaws(results)] if isinstance(results, ABResults) else []
    return flawed or ([(over, "experiment_stop")] if over else [])


def decided(results: ABResults | InterleavingResults) -> str:
    """Say that a test that may be looked at at any time is decided, and goes on all the same."""
    if not results.choice.always or not results.may_be_read or not is_told(results):
        return ""
    return gettext("It is decided: stop it, and give everybody what is better.")


def is_told(results: ABResults | InterleavingResults) -> bool:
    """Whether an arm was found better than the control; of interleaving whether all arms can be told apart."""
    if isinstance(results, ABResults):
        return any(line.judged in BETTER for line in results.deciding)
    return all(duel.decision.is_told for duel in results.duels)


def report_concerns(user: User) -> Iterator[Concern]:
    """Reports that failed this week and were not computed since."""
    failed = reports_for(user).filter(state=Report.State.FAILED, created__gte=timezone.now() - RECENT).with_subject()
    for report in failed.order_by("-pk")[:MOST]:
        since = Report.objects.of(report.kind, report.subject).filter(pk__gt=report.pk)
        if report.kind == Report.Kind.RUNS or not since.exists():
            yield Concern(str(report), in_reader_language(report.error), report.get_absolute_url(), about(report))
