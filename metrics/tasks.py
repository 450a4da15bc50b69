from collections.abc import Callable
from typing import Any

from celery import shared_task
from django.utils import timezone

from judging.background.executions import OutboxTask, from_outbox, periodic
from judging.models import Site
from metrics import computing
from metrics.kinds.quality import computing as quality
from metrics.logs import computing as logs
from metrics.logs import forgetting
from metrics.models import LogReport, Report, StudyReport
from metrics.resuming import resume_stopped


def step_of_report(fail: Callable[[int, str], None]) -> Any:
    """Make a task of the computing of reports; `fail` ends a report, with the reason, when the task is parked."""
    return shared_task(base=OutboxTask, give_up=staticmethod(lambda reason, report, **step: fail(report, reason)))


@step_of_report(computing.fail)
def compute_report(report: int) -> None:
    """Fan a report out into its runs, and publish one that was stopped just before the end."""
    computing.send_runs(report)
    computing.publish_if_complete(report)


@step_of_report(computing.fail)
def compute_run(report: int, run: int) -> None:
    computing.compute_parts(report, run)
    computing.publish_if_complete(report)


@step_of_report(quality.fail)
def compute_study_report(report: int) -> None:
    """Read the evidence, fan the report out into its steps, and publish one that was stopped just before the end."""
    quality.begin(report)
    quality.publish_if_complete(report)


@step_of_report(quality.fail)
def compute_study_step(report: int, step: str) -> None:
    quality.compute_step(report, step)
    quality.publish_if_complete(report)


@step_of_report(logs.fail)
def compute_log_report(report: int) -> None:
    """Settle what the report is of, fan it out into its parts, and publish one that was stopped just before the end."""
    logs.begin(report)
    logs.publish_if_complete(report)


@step_of_report(logs.fail)
def compute_log_part(report: int, number: int) -> None:
    logs.compute_part(report, number)
    logs.publish_if_complete(report)


@from_outbox
def forget_users(site: int) -> None:
    """One of a site's users was erased."""
    for found in Site.objects.filter(pk=site):
        forgetting.forget(found)


@periodic
def sweep_log_reports() -> None:
    forgetting.sweep(timezone.now())


@periodic
def resume_reports() -> int:
    kinds = {
        "metrics.tasks.compute_report": Report.objects.all(),
        "metrics.tasks.compute_study_report": StudyReport.objects.all(),
        "metrics.tasks.compute_log_report": LogReport.objects.all(),
    }
    return sum(resume_stopped(reports, task) for task, reports in kinds.items())
