from celery import shared_task

from metrics import computing


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
def resume_reports() -> int:
    return computing.resume_stopped()
