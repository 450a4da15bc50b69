"""Several Celery workers at one report at the same moment, each with its own connection."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections

from metrics import tasks
from metrics.models import Report

WORKERS = 4


@pytest.mark.django_db(transaction=True)
def test_they_store_each_step_once_and_publish_once(ask, runs, compute):
    report = ask()
    ready = Barrier(WORKERS)

    def work(number: int) -> None:
        ready.wait()
        try:
            tasks.compute_report(report.pk)
            for run in runs if number % 2 else runs[::-1]:
                tasks.compute_run(report.pk, run.pk)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(work, range(WORKERS)))
    report.refresh_from_db()
    assert report.state == Report.State.DONE
    together = report.result
    report.delete()
    alone = compute(ask())
    assert [row["means"] for row in together["rows"]] == [row["means"] for row in alone.result["rows"]]
