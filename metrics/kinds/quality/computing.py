"""How a study's report is computed: in steps that may run twice, anywhere, and count once.

What is to be computed from is stored once, by the first to do so; a step stores its part where none is stored yet; whoever finds
none missing publishes. Judging goes on meanwhile and does not matter.
"""

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from ireval import ENGINE_VERSION
from judging.background.heartbeat import beating
from judging.models import Outbox
from metrics.kinds.quality.evidence import Part, as_parquet, digest
from metrics.kinds.quality.kinds import kind_of
from metrics.models import StudyReport, StudyReportPart


def unfinished(report_id: int) -> QuerySet[StudyReport]:
    return StudyReport.objects.filter(pk=report_id, state__in=StudyReport.UNFINISHED)


def open_parts(report_id: int) -> QuerySet[StudyReportPart]:
    return StudyReportPart.objects.filter(report__in=unfinished(report_id), result__isnull=True)


def begin(report_id: int) -> None:
    """Read the evidence, if nobody has yet, and ask for the steps that are missing."""
    report = unfinished(report_id).filter(votes__isnull=True).select_related("study").first()
    if report and report.engine_version != ENGINE_VERSION:
        fail(report_id, f"It was asked of version {report.engine_version} of the engine, and today's is {ENGINE_VERSION}.")
    elif report:
        with beating(unfinished(report_id), "active"):
            keep_evidence(report)
    send_steps(report_id)


def keep_evidence(report: StudyReport) -> None:
    """The fingerprint comes first: what is judged in between is at worst announced as having come since, never missed."""
    kind, now = kind_of(report.study), timezone.now()
    facts = kind.fingerprint(report.study)
    identity = digest(report.study, report.spec, facts)
    found = {"digest": identity, "evidence": facts, "as_of": now, **kind.read(report.study)}
    try:
        with transaction.atomic():
            unfinished(report.pk).filter(votes__isnull=True).update(**found)
    except IntegrityError:  # what had changed was taken back meanwhile, and this very evidence has its report
        unfinished(report.pk).delete()


@transaction.atomic
def send_steps(report_id: int) -> None:
    if not unfinished(report_id).update(state=StudyReport.State.RUNNING, active=timezone.now()):
        return
    for step in open_parts(report_id).values_list("step", flat=True):
        Outbox.objects.post("metrics.tasks.compute_study_step", report=report_id, step=step)


def compute_step(report_id: int, step: str) -> None:
    part = open_parts(report_id).filter(step=step, report__votes__isnull=False).select_related("report__study").first()
    if part is None:
        return
    with beating(unfinished(report_id), "active"):
        kind = kind_of(part.report.study)
        found = kind.steps[step](kind.evidence_of(part.report))
    store(part, found)


def store(part: StudyReportPart, found: Part) -> None:
    rows = None if found.rows is None else as_parquet(found.rows)
    if StudyReportPart.objects.filter(pk=part.pk, result__isnull=True).update(result=found.result, rows=rows):
        unfinished(part.report_id).update(active=timezone.now(), resent=0)


@transaction.atomic
def publish_if_complete(report_id: int) -> None:
    """Of all the steps that find nothing left to do one publishes, and takes away what it supersedes."""
    report = unfinished(report_id).only("study_id").first()
    if not report or report.parts.filter(result__isnull=True).exists():
        return
    now = timezone.now()
    if unfinished(report_id).update(state=StudyReport.State.DONE, finished=now, active=now):
        StudyReport.objects.filter(study=report.study_id, pk__lt=report_id).delete()


def fail(report_id: int, reason: str) -> None:
    unfinished(report_id).update(state=StudyReport.State.FAILED, error=reason, finished=timezone.now())
