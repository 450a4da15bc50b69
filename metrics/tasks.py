from celery import shared_task

from metrics import computing
from metrics.models import Report, StudyReport
from metrics.quality import computing as quality
from metrics.resuming import resume_stopped


@shared_task
def compute_report(report: int) -> None:
    """Fan a report out into its runs, and publish one that was stopped just before the end."""
    computing.send_runs(report)
    computing.publish_if_complete(report)


@shared_task
def compute_run(report: int, run: int) -> None:
    computing.compute_parts(report, run)
    computing.publish_if_complete(report)


@shared_task
def compute_study_report(report: int) -> None:
    """Read the evidence, fan the report out into its steps, and publish one that was stopped just before the end."""
    quality.begin(report)
    quality.publish_if_complete(report)


@shared_task
def compute_study_step(report: int, step: str) -> None:
    quality.compute_step(report, step)
    quality.publish_if_complete(report)


@shared_task
def resume_reports() -> int:
    reports = resume_stopped(Report.objects.all(), "metrics.tasks.compute_report")
    return reports + resume_stopped(StudyReport.objects.all(), "metrics.tasks.compute_study_report")
