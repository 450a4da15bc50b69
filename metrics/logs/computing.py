"""How a log's report is computed: in parts that may run twice, anywhere, and count once.

Records come in meanwhile; those received after the report's moment do not matter. Whoever finds no part missing publishes.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from ireval import ENGINE_VERSION
from judging.background.heartbeat import beating
from judging.collections.storage import MissingFile
from judging.models import Outbox
from metrics.kinds.quality.evidence import as_parquet, from_parquet
from metrics.logs.kinds import Found, kind_of
from metrics.logs.reading import as_fresh_as
from metrics.models import LogReport, LogReportPart


def unfinished(report_id: int) -> QuerySet[LogReport]:
    return LogReport.objects.filter(pk=report_id, state__in=LogReport.UNFINISHED)


def open_parts(report_id: int) -> QuerySet[LogReportPart]:
    return LogReportPart.objects.filter(report__in=unfinished(report_id), sums__isnull=True)


def begin(report_id: int) -> None:
    """Settle what all parts have in common, if nobody has yet, and ask for the parts that are missing."""
    report = unfinished(report_id).filter(as_of__isnull=True).select_related("site", "experiment__site").first()
    if report and report.engine_version != ENGINE_VERSION:
        fail(report_id, f"It was asked of version {report.engine_version} of the engine, and today's is {ENGINE_VERSION}.")
    elif report:
        with beating(unfinished(report_id), "active"), failing_without_files(report_id):
            settle(report)
    send_parts(report_id)


def settle(report: LogReport) -> None:
    now = as_fresh_as(timezone.now())
    common, parts = kind_of(report).plan(report, now)
    with transaction.atomic():
        spec = {**report.spec, **common, "parts": parts}
        if unfinished(report.pk).filter(as_of__isnull=True).update(as_of=now, spec=spec):
            LogReportPart.objects.bulk_create(LogReportPart(report=report, number=number) for number in range(parts))


@transaction.atomic
def send_parts(report_id: int) -> None:
    if not unfinished(report_id).update(state=LogReport.State.RUNNING, active=timezone.now()):
        return
    for number in open_parts(report_id).values_list("number", flat=True):
        Outbox.objects.post("metrics.tasks.compute_log_part", report=report_id, number=number)


def compute_part(report_id: int, number: int) -> None:
    part = open_parts(report_id).filter(number=number).select_related("report__site", "report__experiment__site").first()
    if part is None:
        return
    report = part.report
    with beating(unfinished(report_id), "active"), failing_without_files(report_id):
        sums, rows = kind_of(report).part(report, number, report.spec["parts"])
        kept = None if rows is None else as_parquet(rows)
        if LogReportPart.objects.filter(pk=part.pk, sums__isnull=True).update(sums=sums, rows=kept):
            unfinished(report_id).update(active=timezone.now(), resent=0)


def publish_if_complete(report_id: int) -> None:
    """Of all that find nothing left to do one publishes, and takes away what it supersedes."""
    report = unfinished(report_id).filter(as_of__isnull=False).select_related("site", "experiment__site").first()
    if not report or report.parts.filter(sums__isnull=True).exists():
        return
    with beating(unfinished(report_id), "active"), failing_without_files(report_id):
        result, kept = kind_of(report).result(report, found_in(report))
        publish(report, result, [as_parquet(rows) for rows in kept])


@transaction.atomic
def publish(report: LogReport, result: dict[str, Any], kept: Sequence[bytes]) -> None:
    """In place of the rows that parts were put together from they have those that are kept."""
    now = timezone.now()
    if unfinished(report.pk).update(state=LogReport.State.DONE, finished=now, active=now, result=result):
        LogReport.objects.filter(site=report.site, experiment=report.experiment, kind=report.kind, pk__lt=report.pk).delete()
        report.parts.update(rows=None)
        for number, rows in enumerate(kept):
            report.parts.filter(number=number).update(rows=rows)


def found_in(report: LogReport) -> list[Found]:
    return [(part.sums or {}, None if part.rows is None else from_parquet(part.rows)) for part in report.parts.all()]


@contextmanager
def failing_without_files(report_id: int) -> Iterator[None]:
    """What reads evidence within: the report fails where a file of it is gone, rather than be sent again and again."""
    try:
        yield
    except MissingFile as gone:
        fail(report_id, str(gone))


def fail(report_id: int, reason: str) -> None:
    unfinished(report_id).update(state=LogReport.State.FAILED, error=reason, finished=timezone.now())
