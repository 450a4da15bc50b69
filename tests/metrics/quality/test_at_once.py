"""Several people and Celery workers at one study's report at the same moment, each with a connection of their own."""

import pytest

from judging.models import Outbox
from metrics import tasks
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.studies import newest, request_study_report
from metrics.models import Report
from tests.metrics.test_workers_at_once import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_asked_by_several_it_is_one_report_and_one_message(crowd, settings):
    settings.REDIS_URL = ""  # without a broker the messages stay, to be counted
    assert len({report.pk for report in at_once(lambda number: request_study_report(QUALITY, crowd))}) == 1
    assert Report.objects.count() == 1
    assert Outbox.objects.filter(task="metrics.tasks.begin_report").count() == 1


def test_computed_by_several_it_is_published_once_with_the_same_numbers(crowd, compute):
    report = request_study_report(QUALITY, crowd)
    steps = report.spec["steps"]

    def work(number: int) -> None:
        tasks.begin_report(report.pk)
        for step in steps if number % 2 else steps[::-1]:
            tasks.compute_part(report.pk, step)

    at_once(work)
    together = {part.name: part.result for part in newest(QUALITY, crowd).parts.all()}
    Report.objects.all().delete()
    alone = {part.name: part.result for part in compute(request_study_report(QUALITY, crowd)).parts.all()}
    assert together == alone
