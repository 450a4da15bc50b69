"""A report of logs says the same whether Celery workers compute it or a cluster does; and what a cluster is told."""

from datetime import timedelta

import pytest
from django.core.files.storage import default_storage

from judging.logs.archive import moves
from judging.logs.archive.exports import exported
from judging.logs.intake import receive
from judging.models import Archived, Experiment, Outbox
from metrics import pipeline, tasks
from metrics.kinds.ab import evidence as ab
from metrics.kinds.clicks import evidence as clicks
from metrics.kinds.clicks.freshness import request_click_report
from metrics.kinds.experiments.freshness import request_experiment_report
from metrics.kinds.interleaving import evidence as interleaving
from metrics.kinds.registry import KINDS
from metrics.logs.cluster import lean
from metrics.logs.frames import window_of
from metrics.models import Report
from tests import spark
from tests.conftest import absent
from tests.metrics.logs.conftest import START
from tests.metrics.logs.test_archived_reports import count_users, experiment, interleave, log  # noqa: F401
from tests.servers import NoServer

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def spark_address():
    pytest.importorskip("pyspark")
    try:
        with spark.connect_server() as address:
            yield address
    except NoServer as problem:
        absent("spark", str(problem))


@pytest.fixture
def cluster(spark_address, settings):
    """Call it to have reports computed by the cluster from now on."""

    def use():
        settings.LOG_ENGINE = spark_address

    return use


def computed(report):
    """The report as its tasks leave it, which run in the order in which they were sent."""
    Outbox.objects.all().delete()
    tasks.begin_report(report.pk)
    for message in Outbox.objects.filter(task=pipeline.COMPUTE):
        tasks.compute_part(**message.arguments)
    report.refresh_from_db()
    assert report.is_done, report.error
    return report


def findings(report):
    return report.result, sorted((table.name, bytes(table.content)) for table in report.tables.all())


@pytest.fixture
def both_ways(site, monkeypatch, cluster):
    """What a report finds here and on the cluster, of records of which half are archived; each must be of several parts."""

    def both_ways(request):
        assert moves.archive(site, before=START + timedelta(days=2))
        here = findings(computed(request()))
        cluster()
        report = computed(request())
        assert report.parts.count() > 1
        return here, findings(report)

    return both_ways


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["client", "user"])
def test_an_experiment_is_the_same_on_a_cluster(site, log, experiment, monkeypatch, both_ways, unit):  # noqa: F811
    if unit == "user":
        count_users(site, experiment)
    monkeypatch.setattr(ab, "ROWS_A_PART", 60)
    here, there = both_ways(lambda: request_experiment_report(experiment))
    assert here[0]["everybody"]["searches"] == {"client": 48, "user": 3}[unit]
    assert there == here


@pytest.mark.slow
def test_interleaving_is_the_same_on_a_cluster(site, experiment, monkeypatch, both_ways):  # noqa: F811
    interleave(site, experiment)
    monkeypatch.setattr(interleaving, "ROWS_A_PART", 20)
    here, there = both_ways(lambda: request_experiment_report(experiment))
    assert here[0]["counts"]["impressions"] == 20
    assert there == here


@pytest.mark.slow
def test_clicks_are_the_same_on_a_cluster(site, log, monkeypatch, both_ways):  # noqa: F811
    monkeypatch.setattr(clicks, "ROWS_A_PART", 60)
    here, there = both_ways(lambda: request_click_report(site, days=None))
    assert here[0]["counts"]["searches"] == 48
    assert there == here
