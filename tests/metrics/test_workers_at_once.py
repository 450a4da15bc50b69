"""Several people and Celery workers at one report at the same moment, each with a connection of their own."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import polars as pl
import pytest
from django.db import connections
from django.utils import timezone

from judging.background import heartbeat
from judging.models import Outbox
from metrics import pipeline, tasks
from metrics.kinds.runs import parts
from metrics.kinds.runs.parts import RUNS
from metrics.models import Report

WORKERS = 4

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(work) -> list:
    """What `work` gives, called by several threads that start together, each with its number."""
    ready = Barrier(WORKERS)

    def begin(number: int):
        ready.wait()
        try:
            return work(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(begin, range(WORKERS)))


def test_the_same_question_asked_by_several_is_one_report_and_one_message(ask, runs, settings):
    settings.REDIS_URL = ""  # without a broker the messages stay, to be counted
    assert len({report.pk for report in at_once(lambda number: ask())}) == 1
    assert Report.objects.get().parts.count() == len(runs)
    assert Outbox.objects.count() == 1


def test_they_store_each_step_once_and_publish_once(ask, runs, compute):
    report = ask()

    def work(number: int) -> None:
        tasks.begin_report(report.pk)
        for run in runs if number % 2 else runs[::-1]:
            tasks.compute_part(report.pk, str(run.pk))

    at_once(work)
    report.refresh_from_db()
    assert report.state == Report.State.DONE
    together = report.result
    report.delete()
    alone = compute(ask())
    assert [row["means"] for row in together["rows"]] == [row["means"] for row in alone.result["rows"]]


def test_a_step_that_takes_long_is_not_sent_again_beside_itself(ask, runs, monkeypatch):
    report = ask()
    tasks.begin_report(report.pk)
    silent = timezone.now() - pipeline.PATIENCE * 2
    Report.objects.update(active=silent)
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.01)
    swept = []

    def slow(*evidence) -> pl.DataFrame:
        until = timezone.now() + timedelta(seconds=10)
        while Report.objects.get().active == silent and timezone.now() < until:
            time.sleep(0.01)
        swept.append(tasks.resume_reports())
        return pl.DataFrame({"topic": []})

    monkeypatch.setattr(parts, "per_topic_values", slow)
    pipeline.compute_part(RUNS, report.pk, str(runs[0].pk))
    assert swept == [0]
