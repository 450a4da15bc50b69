from collections.abc import Callable
from typing import Any

from celery import shared_task
from django.utils import timezone

from judging.background import nights, status
from judging.background.executions import OutboxTask, from_outbox, periodic
from judging.models import Collection, Site
from metrics import demo, pipeline
from metrics.kinds import renewal
from metrics.kinds.registry import kind_of
from metrics.kinds.verdict.freshness import catch_up, follow
from metrics.logs import erasure
from metrics.models import Report


def step_of_report(work: Callable[..., None]) -> Any:
    """Make a Celery task of a function that computes a report; the report fails with the reason if the task is parked."""
    give_up = staticmethod(lambda reason, report, **part: pipeline.fail(report, reason))
    again = staticmethod(lambda report, **part: pipeline.wait_again(report))
    return shared_task(base=OutboxTask, give_up=give_up, again=again)(work)


@step_of_report
def begin_report(report: int) -> None:
    """Read the evidence, send the open parts, and publish a report that was stopped just before the end."""
    if kind := kind_of(report):
        pipeline.begin(kind, report)
        pipeline.publish_if_complete(kind, report)


@step_of_report
def compute_part(report: int, part: str) -> None:
    if kind := kind_of(report):
        pipeline.compute_part(kind, report, part)
        pipeline.publish_if_complete(kind, report)
        for published in Report.objects.filter(pk=report):
            follow(published)
            catch_up(published)


@from_outbox
def report_on_demo(collection: int) -> None:
    for demo_collection in Collection.objects.filter(pk=collection):
        demo.request_reports(demo_collection, title="Three rankings under the author's and under workers' grades")


@from_outbox
def forget_users(site: int) -> None:
    """Forget what reports know of single users after one of a site's users was erased."""
    for erased_from in Site.objects.filter(pk=site):
        erasure.forget(erased_from)


@periodic
def sweep_log_reports() -> None:
    erasure.sweep(timezone.now())


@periodic
def resume_reports() -> int:
    return pipeline.resume_stopped()


@periodic
def renew_reports() -> None:
    """Ask again for reports whose evidence has changed, once a night.

    The night counts when it is begun: after a failure, each new start would ask for as many reports again.
    """
    if not nights.is_done(renew_reports.name, renewal.BEGINS):
        with status.at_work(renew_reports.name):
            renewal.renew_reports(timezone.now())
