"""How a report is computed: in steps that may run twice, anywhere, and count once.

A step stores its values only where none are stored yet, and the result is published only by the step that finds the report
still unfinished. Whatever is killed in between is sent again by `resuming`; what was stored stays.
"""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from ireval import ENGINE_VERSION
from judging.background.heartbeat import beating
from judging.models import Outbox, ParkedTask
from metrics.kinds.runs import evidence
from metrics.kinds.runs.agreement import rankings_alike
from metrics.kinds.runs.contrasts import differences
from metrics.kinds.runs.curves import traced
from metrics.kinds.runs.values import per_topic_values, summary
from metrics.models import Report, ReportPart

STEPS = ("metrics.tasks.compute_report", "metrics.tasks.compute_run")


def unfinished(report_id: int) -> QuerySet[Report]:
    return Report.objects.filter(pk=report_id, state__in=Report.UNFINISHED)


def open_parts(report_id: int) -> QuerySet[ReportPart]:
    return ReportPart.objects.filter(report_id=report_id, report__state__in=Report.UNFINISHED, values__isnull=True)


@transaction.atomic
def send_runs(report_id: int) -> None:
    """Ask for a step a run that has values missing; several Celery workers share them."""
    if not unfinished(report_id).update(state=Report.State.RUNNING, active=timezone.now()):
        return
    for run_id in open_parts(report_id).order_by("run_id").values_list("run_id", flat=True).distinct():
        Outbox.objects.post("metrics.tasks.compute_run", report=report_id, run=run_id)


def compute_parts(report_id: int, run_id: int) -> None:
    """Evaluate one run, read once, under each of the report's qrels that it has no values for."""
    parts = list(open_parts(report_id).filter(run_id=run_id).select_related("report", "run", "qrels"))
    if not parts:
        return
    try:
        # Not `resent`: work that kills its worker every time shall be given up, however long it lived.
        with beating(unfinished(report_id), "active"):
            evaluate_parts(parts)
    except evidence.Unreadable as reason:
        fail(report_id, str(reason))


def evaluate_parts(parts: list[ReportPart]) -> None:
    report = parts[0].report
    if report.engine_version != ENGINE_VERSION:
        raise evidence.Unreadable(
            f"This report was asked of version {report.engine_version} of the engine, and the Celery workers run version "
            f"{ENGINE_VERSION}. Try again: that asks the same of today's engine."
        )
    ranking = evidence.ranking(parts[0].run)
    for part in parts:
        grades = evidence.grades(part.qrels)
        store(part, values=per_topic_values(ranking, grades, report.spec), curves=traced(ranking, grades, report.spec))


def store(part: ReportPart, *, values: bytes, curves: bytes) -> None:
    if ReportPart.objects.filter(pk=part.pk, values__isnull=True).update(values=values, curves=curves):
        unfinished(part.report_id).update(active=timezone.now(), resent=0)


def publish_if_complete(report_id: int) -> None:
    """Of all the steps that find nothing left to do, one publishes; being computed from stored values, all have the same."""
    report = unfinished(report_id).first()
    if not report or report.parts.filter(values__isnull=True).exists():
        return
    try:
        with beating(unfinished(report_id), "active"):
            found = published(report)
    except evidence.Unreadable as reason:
        fail(report_id, str(reason))
        return
    now = timezone.now()
    unfinished(report_id).update(state=Report.State.DONE, error="", finished=now, active=now, **found)


def published(report: Report) -> dict[str, Any]:
    return {"result": summary(report) | {"rankings": rankings_alike(report)}, "differences": differences(report)}


def fail(report_id: int, reason: str) -> None:
    unfinished(report_id).update(state=Report.State.FAILED, error=reason, finished=timezone.now())


@transaction.atomic
def try_again(report: Report) -> None:
    """Send a failed report on its way once more; the values that it has stay. Two who click at once send it once."""
    waiting = {"state": Report.State.WAITING, "error": "", "finished": None, "resent": 0, "active": timezone.now()}
    if Report.objects.filter(pk=report.pk, state=Report.State.FAILED).update(**waiting):
        ParkedTask.objects.filter(task__in=STEPS, arguments__report=report.pk).delete()
        Outbox.objects.post("metrics.tasks.compute_report", report=report.pk)


def is_complete(report: Report) -> bool:
    """Whether a finished report has all that is computed today; those of earlier times lack curves, differences or agreement."""
    lacks_curves = report.parts.filter(curves__isnull=True).exists()
    return has_differences(report) and has_agreement(report) and not lacks_curves


def is_current(report: Report) -> bool:
    """Whether asking the same question today would give nothing else."""
    return report.engine_version == ENGINE_VERSION and is_complete(report)


def has_differences(report: Report) -> bool:
    return not Report.objects.filter(pk=report.pk, differences__isnull=True).exists()


def has_agreement(report: Report) -> bool:
    return "rankings" in (report.result or {})


@transaction.atomic
def compute_anew(report: Report) -> None:
    """Take away what a finished report has and send it on its way once more. Two who click at once send it once."""
    waiting = {"state": Report.State.WAITING, "finished": None, "resent": 0, "active": timezone.now()}
    if Report.objects.filter(pk=report.pk, state=Report.State.DONE).update(**waiting, result=None, differences=None):
        report.parts.update(values=None, curves=None)
        Outbox.objects.post("metrics.tasks.compute_report", report=report.pk)
