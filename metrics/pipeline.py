"""The pipeline of every report: asked for, begun, computed in parts and published.

A part may be computed twice, anywhere, and counts once: it is stored where nothing is stored yet. Whoever finds no part open
publishes, by one compare-and-set. Work that is killed in between is sent again, and what was stored stays. What differs between
kinds of reports is a `Kind`.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from ireval import ENGINE_VERSION
from ireval.translatable import Phrase
from judging.background.heartbeat import beating, silent
from judging.collections.storage import MissingFile
from judging.models import Outbox, ParkedTask, Upload
from judging.models.subscription import Event
from judging.news import events
from judging.text.library_words import in_reader_language
from metrics.models import SUBJECTS, SUPERSEDING, UNFINISHED, Part, Report, ReportQuerySet, Subject, Table
from metrics.stored_tables import Tables, keep

log = logging.getLogger(__name__)

BEGIN, COMPUTE = "metrics.tasks.begin_report", "metrics.tasks.compute_part"
# What a task is sent to compute that takes all open parts at once.
ALL = "all"
# Work beats while it runs. After this time without a beat, the broker has lost a message or is busy with others. Each further
# wait is twice as long, so that a long queue is not made longer.
PATIENCE = timedelta(seconds=30)
MOST_DOUBLINGS = 6  # then it is sent again every 32 minutes
# After this time without a sign of life, nobody works on a report.
QUIET = timedelta(seconds=15)
# A look is noted once a day, so that reading a page hardly ever writes.
A_LOOK = timedelta(days=1)


class CannotCompute(ValueError):
    """The report cannot be computed, for a reason in words for whoever asked."""

    def __init__(self, why: str):
        super().__init__(why)
        self.why = why


@dataclass(frozen=True)
class Reading:
    """The facts that are settled when computing begins, so that all parts see the same.

    `spec` is added to the report's. `evidence` is the fingerprint of what was read, `tables` are kept with the report. `parts`
    are the names of the parts that the report does not have yet.
    """

    as_of: datetime
    spec: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""
    tables: Tables = field(default_factory=dict)
    parts: Sequence[str] = ()


class Findings(NamedTuple):
    """The findings of a part or of a whole report: a result that JSON can hold, and tables of what is too large for it."""

    result: dict[str, Any] | None
    tables: Tables = {}


@dataclass(frozen=True)
class Kind:
    """A kind of report.

    `read` reads evidence when computing begins. `compute` takes the open parts of one name and gives the findings of each, in
    their order; all of a report's, where they go `at_once`. `whole` puts the parts together. A kind that `keeps_rows` keeps its
    parts' tables when it is published. `keep_answers`, which the registry adds, keeps what reports said that a newer one
    supersedes.
    """

    name: Report.Kind
    read: Callable[[Report], Reading]
    compute: Callable[[Sequence[Part]], Iterable[Findings]]
    whole: Callable[[Report], Findings]
    keeps_rows: bool = True
    keep_answers: Callable[[ReportQuerySet], None] | None = None
    at_once: Callable[[], bool] = lambda: False


class LatestReports(NamedTuple):
    """The latest reports on a subject: the newest finished one, the newest failed one, and the unfinished one; None if absent."""

    report: Report | None
    failed: Report | None
    waiting: Report | None

    @property
    def last(self) -> Report | None:
        """The report that was asked for last."""
        return self.waiting or self.failed or self.report


def latest_reports(kind: str, subject: Subject) -> LatestReports:
    return latest_reports_of_each(kind, [subject])[subject.pk]


def latest_reports_of_each(kind: str, subjects: Iterable[Subject]) -> dict[int, LatestReports]:
    """The latest reports on each subject by its key, in one query for all of them."""
    by_key = {subject.pk: subject for subject in subjects}
    about = SUBJECTS[kind]
    newest: dict[int, dict[str, Report]] = {key: {} for key in by_key}
    for report in Report.objects.filter(kind=kind, **{f"{about}__in": by_key}).with_progress():  # the newest first
        key = getattr(report, f"{about}_id")
        setattr(report, about, by_key[key])
        newest[key].setdefault("unfinished" if report.state in UNFINISHED else report.state, report)
    return {key: LatestReports(*map(reports.get, ("done", "failed", "unfinished"))) for key, reports in newest.items()}


def ask(kind: str, subject: Subject, spec: dict[str, Any], parts: Sequence[str] = ()) -> Report:
    """Return the unfinished report on a subject, or create a new one, which takes the place of one that failed."""
    waiting = Report.objects.of(kind, subject).unfinished()
    try:
        return waiting.first() or create_report(kind, subject, spec, parts)
    except IntegrityError:  # somebody else asked at the same moment
        return waiting.first() or create_report(kind, subject, spec, parts)


@transaction.atomic
def create_report(kind: str, subject: Subject, spec: dict[str, Any], parts: Sequence[str]) -> Report:
    question: dict[str, Any] = {"kind": kind, SUBJECTS[kind]: subject}
    Report.objects.filter(**question, state=Report.State.FAILED).delete()
    report = Report.objects.create(**question, spec=spec, engine_version=ENGINE_VERSION)
    Part.objects.bulk_create(Part(report=report, name=name) for name in parts)
    send(report)
    return report


def send(report: Report) -> None:
    Outbox.objects.post(BEGIN, report=report.pk)


def unfinished(report_id: int) -> ReportQuerySet:
    return Report.objects.filter(pk=report_id).unfinished()


def open_parts(report_id: int) -> QuerySet[Part]:
    return Part.objects.filter(report__in=unfinished(report_id), result__isnull=True)


def begin(kind: Kind, report_id: int) -> None:
    """Read the evidence, if nobody has yet, and ask for the parts that are missing."""
    report = unfinished(report_id).with_subject().first()
    if report is None:
        return
    with working_on(report):
        refuse_another_engine(report)
        if report.as_of is None:
            settle(report, kind.read(report))
        send_parts(kind, report_id)


def settle(report: Report, reading: Reading) -> None:
    """Store a reading unless another was stored before: the first counts."""
    facts = {"as_of": reading.as_of, "evidence": reading.evidence, "spec": {**report.spec, **reading.spec}}
    if reading.digest:
        facts["digest"] = reading.digest
    try:
        with transaction.atomic():
            if unfinished(report.pk).filter(as_of=None).update(**facts):
                keep(reading.tables, report.pk)
                if reading.parts:  # where the report is computed anew, it has those of another day
                    report.parts.all().delete()
                Part.objects.bulk_create(Part(report=report, name=name) for name in reading.parts)
    except IntegrityError:  # a change was taken back meanwhile, and this very evidence has its report already
        unfinished(report.pk).delete()


@transaction.atomic
def send_parts(kind: Kind, report_id: int) -> None:
    """Send the open parts as separate tasks, so that several Celery workers share them; or all as one."""
    if not unfinished(report_id).update(state=Report.State.RUNNING, active=timezone.now()):
        return
    names = dict.fromkeys(open_parts(report_id).values_list("name", flat=True))
    for name in [ALL] if names and kind.at_once() else names:
        Outbox.objects.post(COMPUTE, report=report_id, part=name)


def compute_part(kind: Kind, report_id: int, name: str) -> None:
    """Compute the open parts of a name, or ALL; nothing before the evidence was read."""
    evidence = (
        "report__study",
        "report__site",
        "report__experiment__site",
        "report__hypothesis__a",
        "report__hypothesis__b",
        "run",
        "qrels",
    )
    named = {} if name == ALL else {"name": name}
    parts = list(open_parts(report_id).filter(**named, report__as_of__isnull=False).select_related(*evidence))
    if not parts:
        return
    with working_on(parts[0].report):
        refuse_another_engine(parts[0].report)
        for part, findings in zip(parts, kind.compute(parts), strict=True):
            store(part, findings)


@transaction.atomic
def store(part: Part, findings: Findings) -> None:
    if Part.objects.filter(pk=part.pk, result__isnull=True).update(result=findings.result):
        keep(findings.tables, part.report_id, part)
        unfinished(part.report_id).update(active=timezone.now(), resent=0)


def publish_if_complete(kind: Kind, report_id: int) -> None:
    """Publish the report if no part is open.

    Several may try at once and one succeeds; all put together the same stored parts.
    """
    report = unfinished(report_id).filter(as_of__isnull=False).with_subject().first()
    if report is None or report.parts.filter(result__isnull=True).exists():
        return
    with working_on(report):
        publish(kind, report, kind.whole(report))


@transaction.atomic
def publish(kind: Kind, report: Report, whole: Findings) -> None:
    """Publish findings unless somebody else did, or the evidence that they rest on was erased meanwhile."""
    now = timezone.now()
    facts = {"state": Report.State.DONE, "finished": now, "active": now, "error": "", "result": whole.result}
    if not unfinished(report.pk).filter(as_of=report.as_of).update(**facts):
        return
    if not kind.keeps_rows:
        report.tables.filter(part__isnull=False).delete()
    keep(whole.tables, report.pk)
    if kind.name in SUPERSEDING:
        earlier = Report.objects.of(report.kind, report.subject).filter(pk__lt=report.pk)
        if kind.keep_answers:
            kind.keep_answers(earlier.filter(state=Report.State.DONE).with_subject())
        earlier.delete()
    tell(Event.REPORT_READY, report)


def tell(event: Event, report: Report) -> None:
    """Have who asked for the report, or runs what it is on, hear of it if they subscribed."""
    finished = timezone.now()
    events.tell(
        event,
        key=f"report {report.pk}: {finished:%Y%m%d%H%M%S%f}",
        text=lambda: f"{event.label}: {report}" + (f". {in_reader_language(report.error)}" if report.error else ""),
        path=report.get_absolute_url,
        people={report.created_by, *events.watchers(report.subject)},
    )


@contextmanager
def working_on(report: Report) -> Iterator[None]:
    """Give signs of life while computing. CannotCompute and MissingFile fail the report, so that it is not sent again."""
    try:
        # `resent` is not reset here: work that kills its process each time is to be given up, however long it lived.
        with beating(unfinished(report.pk), "active"):
            yield
    except (CannotCompute, MissingFile) as reason:
        log.warning("Report %s failed: %s", report.pk, reason)  # with the path of a missing file, which its readers are not told
        fail(report.pk, reason.why)


def refuse_another_engine(report: Report) -> None:
    if report.engine_version != ENGINE_VERSION:
        another = Phrase(
            "This report was asked of version %(asked)s of the engine, and this server now runs version %(today)s. Try again: "
            "that asks the same of today’s engine.",
            asked=report.engine_version,
            today=ENGINE_VERSION,
        )
        raise CannotCompute(another)


@transaction.atomic
def fail(report_id: int, reason: str) -> None:
    if unfinished(report_id).update(state=Report.State.FAILED, error=reason, finished=timezone.now()):
        tell(Event.REPORT_FAILED, Report.objects.with_subject().get(pk=report_id))


def wait_again(report_id: int) -> None:
    """Let a failed report be computed; what is sent beside this finds it unfinished. Not where a newer one is under way."""
    with suppress(IntegrityError), transaction.atomic():
        Report.objects.filter(pk=report_id, state=Report.State.FAILED).update(**as_waiting())


@transaction.atomic
def try_again(report: Report) -> None:
    """Send a failed report to Celery once more; its computed parts stay. Two who click at once send it once."""
    if Report.objects.filter(pk=report.pk, state=Report.State.FAILED).update(**as_waiting()):
        ParkedTask.objects.filter(task__in=(BEGIN, COMPUTE), arguments__report=report.pk).delete()
        send(report)


@transaction.atomic
def compute_anew(report: Report) -> None:
    """Delete the results of a finished report and send it to Celery once more. Two who click at once send it once."""
    if Report.objects.filter(pk=report.pk, state=Report.State.DONE).update(**as_waiting(), result=None, as_of=None):
        Table.objects.filter(report=report).delete()
        report.parts.update(result=None)
        send(report)


def as_waiting() -> dict[str, Any]:
    return {"state": Report.State.WAITING, "error": "", "finished": None, "resent": 0, "active": timezone.now()}


def resume_stopped() -> int:
    """Send unfinished reports again that gave no sign of life for too long; returns how many.

    None is given up here, since a long queue looks the same. A task that kills its Celery worker is parked, and its report fails.
    """
    resumed = 0
    waited_for = [silent("active", PATIENCE * 2**resent) for resent in range(MOST_DOUBLINGS + 1)]  # before any is sent
    for resent, long_enough in enumerate(waited_for):
        stopped = Report.objects.unfinished().filter(long_enough, resent=resent)
        for report in stopped.only("pk"):
            resumed += send_again(stopped.filter(pk=report.pk), report)
    return resumed


@transaction.atomic
def send_again(stopped: ReportQuerySet, report: Report) -> int:
    """Send a stopped report again. Returns 1 if this call did it, and 0 if another sweep did or work on it has resumed."""
    resent = min(report.resent + 1, MOST_DOUBLINGS)
    claimed = stopped.update(resent=resent, active=timezone.now())
    if claimed:
        send(report)
    return claimed


def looked_at(kind: str, subject: Subject, ask: Callable[[], object] | None) -> LatestReports:
    """The latest reports, for somebody who looks at them. Whoever looks first asks for the first, where one can `ask`."""
    latest = latest_reports(kind, subject)
    if ask and not latest.last:
        ask()
        latest = latest_reports(kind, subject)
    if latest.report:
        note_look(latest.report)
    return latest


def note_look(report: Report) -> None:
    """Note that somebody looks at a report, so that it is renewed at night."""
    now = timezone.now()
    if report.looked < now - A_LOOK:
        Report.objects.filter(pk=report.pk, looked__lt=now - A_LOOK).update(looked=now)


def is_quiet(report: Report) -> bool:
    """Whether nobody seems to work on an unfinished report just now."""
    return report.active < timezone.now() - QUIET


def number_ahead(report: Report) -> int:
    """The number of unfinished reports and imports that were asked for before this report."""
    imports = Upload.objects.filter(state__in=[Upload.State.WAITING, Upload.State.CHECKING])
    reports = Report.objects.unfinished()
    return sum(waiting.filter(created__lt=report.created).count() for waiting in (imports, reports))
