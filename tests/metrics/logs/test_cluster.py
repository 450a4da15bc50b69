"""A report of logs says the same whether Celery workers compute it or a cluster does; and what a cluster is told."""

import importlib.util
import os
import pickle
import shutil
import socket
import subprocess
import sys
import threading
from datetime import timedelta

import polars as pl
import pytest
from django.core.files.storage import default_storage

from ireval_site import environment
from judging.logs.archive import moves
from judging.logs.archive.cluster_files import exported
from judging.models import ArchiveFile, Outbox
from metrics import pipeline, tasks
from metrics.kinds.ab import evidence as ab
from metrics.kinds.clicks import evidence as clicks
from metrics.kinds.clicks.freshness import request_click_report
from metrics.kinds.experiment_reports import request_experiment_report
from metrics.kinds.interleaving import evidence as interleaving
from metrics.kinds.registry import KINDS
from metrics.logs.cluster import ClusterAway, lean, packed, session, wait_for
from metrics.logs.kind import experiment_window
from metrics.models import Report
from tests import servers, spark
from tests.conftest import absent
from tests.metrics.logs.conftest import START
from tests.metrics.logs.test_archived_reports import count_users, experiment, interleave, log  # noqa: F401
from tests.servers import NoServer, free_port
from tests.site.processes import wait_until

pytestmark = pytest.mark.django_db


def on_a_cluster(test):
    """Starting a cluster takes longer than what it computes here."""
    return pytest.mark.slow(pytest.mark.last_database(test))


@pytest.fixture(scope="module")
def bucket_variables():
    with servers.s3() as variables:
        yield variables


@pytest.fixture(scope="module")
def spark_address(bucket_variables):
    """Its workers have the keys of a bucket, which it takes only where files are in one."""
    if not importlib.util.find_spec("pyspark"):
        absent("spark", "its client is not here: requirements-dev.txt")
    try:
        with spark.connect_server(bucket_variables) as address:
            yield address
    except NoServer as problem:
        absent("spark", str(problem))


@pytest.fixture
def cluster(spark_address, settings, monkeypatch):
    """Call it to have reports computed by the cluster from now on."""
    # Spark's client takes a program that was started without a file, as processes beside pytest are, for its own tests.
    monkeypatch.setattr(sys.modules["__main__"], "__file__", __file__, raising=False)
    return lambda: setattr(settings, "LOG_ENGINE", spark_address)


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


def test_what_is_sent_to_a_cluster_is_imported_from_one_file(tmp_path):
    script = "import sys; sys.path.insert(0, sys.argv[1]); import ireval; print(ireval.__file__, ireval.compare.__module__)"
    code = packed(tmp_path)
    shown = subprocess.run([sys.executable, "-P", "-c", script, code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert shown.stdout.split() == [f"{code}/ireval/__init__.py", "ireval.significance.comparison"]


@on_a_cluster
@pytest.mark.parametrize("unit", ["client", "user"])
def test_an_experiment_is_the_same_on_a_cluster(site, log, experiment, monkeypatch, both_ways, unit):  # noqa: F811
    if unit == "user":
        count_users(site, experiment)
    monkeypatch.setattr(ab, "ROWS_A_PART", 60)
    here, there = both_ways(lambda: request_experiment_report(experiment))
    assert here[0]["everybody"]["searches"] == {"client": 48, "user": 3}[unit]
    assert there == here


@on_a_cluster
def test_interleaving_is_the_same_on_a_cluster(site, experiment, monkeypatch, both_ways):  # noqa: F811
    interleave(site, experiment)
    monkeypatch.setattr(interleaving, "ROWS_A_PART", 20)
    here, there = both_ways(lambda: request_experiment_report(experiment))
    assert here[0]["counts"]["impressions"] == 20
    assert there == here


@on_a_cluster
def test_clicks_are_the_same_on_a_cluster(site, log, monkeypatch, both_ways):  # noqa: F811
    monkeypatch.setattr(clicks, "ROWS_A_PART", 60)
    here, there = both_ways(lambda: request_click_report(site, days=None))
    assert here[0]["counts"]["searches"] == 48
    assert there == here


@on_a_cluster
def test_a_bucket_is_read_by_the_cluster_itself(
    site, log, experiment, monkeypatch, both_ways, bucket_variables, settings,  # noqa: F811
):  # fmt: skip
    for name, value in bucket_variables.items():
        monkeypatch.setenv(name, value)
    settings.STORAGES = {**settings.STORAGES, "default": environment.file_storage("IREVAL_FILES")}
    monkeypatch.setattr(ab, "ROWS_A_PART", 60)
    here, there = both_ways(lambda: request_experiment_report(experiment))
    assert there == here
    assert stored() == archived() != set() and not any(settings.MEDIA_ROOT.rglob("*.parquet"))


@on_a_cluster
def test_what_failed_on_a_cluster_is_tried_again(site, log, experiment, monkeypatch, cluster):  # noqa: F811
    monkeypatch.setattr(ab, "ROWS_A_PART", 60)
    moves.archive(site, before=START + timedelta(days=2))
    here = findings(computed(request_experiment_report(experiment)))
    cluster()
    report, file = request_experiment_report(experiment), default_storage.path(ArchiveFile.objects.last().file.name)
    tasks.begin_report(report.pk)
    aside = shutil.move(file, f"{file}.aside")
    with pytest.raises(Exception, match=r"No files found|No such file"):
        computed(report)
    assert Report.objects.get(pk=report.pk).state == Report.State.RUNNING
    shutil.move(aside, file)
    assert stored() == archived()
    assert findings(computed(report)) == here


@on_a_cluster
def test_a_job_ends_when_nobody_waits_for_its_report(site, log, experiment, monkeypatch, cluster):  # noqa: F811
    monkeypatch.setattr(ab, "ROWS_A_PART", 30)
    cluster()
    report = request_experiment_report(experiment)
    tasks.begin_report(report.pk)
    parts = list(report.parts.select_related("report__experiment__site"))
    findings = iter(KINDS[Report.Kind.AB].compute(parts))
    assert next(findings).result["everybody"]
    assert stored() > archived() == set()
    report.delete()
    with pytest.raises(pipeline.CannotCompute, match="Nobody waits"):
        next(findings)
    assert stored() == set()


def stored():
    folders = default_storage.listdir("logs")[0]
    return {f"logs/{folder}/{file}" for folder in folders for file in default_storage.listdir(f"logs/{folder}")[1]}


def archived():
    return set(ArchiveFile.objects.values_list("file", flat=True))


def test_one_task_takes_all_parts(log, experiment, monkeypatch, settings):  # noqa: F811
    monkeypatch.setattr(ab, "ROWS_A_PART", 60)
    settings.LOG_ENGINE = "sc://nowhere"
    report = request_experiment_report(experiment)
    tasks.begin_report(report.pk)
    assert report.parts.count() > 1
    asked = Outbox.objects.filter(task=pipeline.COMPUTE).values_list("arguments", flat=True)
    assert list(asked) == [{"report": report.pk, "part": pipeline.ALL}]


def test_a_cluster_that_is_away_is_named_without_its_token(monkeypatch):
    monkeypatch.setattr("metrics.logs.cluster.PATIENCE_SECONDS", 0)
    port = free_port()
    with pytest.raises(ClusterAway, match=rf"^Nobody listens at 127\.0\.0\.1:{port}, which (?!.*abc)"):
        wait_for(f"sc://127.0.0.1:{port}/;token=abc")


@pytest.fixture
def silent_cluster(settings, monkeypatch):
    """One that takes connections and says nothing."""
    if not importlib.util.find_spec("pyspark"):
        absent("spark", "its client is not here: requirements-dev.txt")
    monkeypatch.setattr(sys.modules["__main__"], "__file__", __file__, raising=False)  # as above
    monkeypatch.setattr("metrics.logs.cluster.LOOK_SECONDS", 0.1)
    monkeypatch.setattr("metrics.logs.cluster.STOP_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.LOG_ENGINE = f"sc://127.0.0.1:{server.getsockname()[1]}"
        yield


@pytest.fixture
def asked(log, experiment, silent_cluster):  # noqa: F811
    """The report, begun, and the tallies of its parts, which nobody has asked for yet."""
    report = request_experiment_report(experiment)
    tasks.begin_report(report.pk)
    parts = list(report.parts.select_related("report__experiment__site"))
    return report, iter(KINDS[Report.Kind.AB].compute(parts))


@on_a_cluster
def test_processes_that_are_forked_beside_a_session_live(cluster):
    """One in a hundred died before it began, of the threads that gRPC starts in a fork."""
    cluster()
    with session(lambda: None):
        ends = {subprocess.run(["true"], check=False, preexec_fn=os.getpid).returncode for _ in range(500)}
    assert ends == {0}


def test_a_cluster_that_says_nothing_is_given_up(asked, monkeypatch):
    before = threading.enumerate()
    monkeypatch.setattr("metrics.logs.cluster.SILENT_SECONDS", 1.0)
    with pytest.raises(ClusterAway, match="IREVAL_LOG_ENGINE names has said nothing for 1 seconds"):
        next(asked[1])
    assert stored() == archived()
    assert wait_until(lambda: not [thread for thread in threading.enumerate() if thread not in before])


def test_a_silent_cluster_holds_up_nobody_once_its_report_is_gone(asked):
    report, tallies = asked
    report.delete()
    with pytest.raises(pipeline.CannotCompute, match="Nobody waits"):
        next(tallies)
    assert stored() == archived()


def test_a_cluster_learns_no_secret(site, log, experiment):  # noqa: F811
    report = request_experiment_report(experiment)
    tasks.begin_report(report.pk)
    told = pickle.dumps(lean(Report.objects.with_subject().get(pk=report.pk)))
    assert b"first_ordinal" in told
    for kept in (site.secret, site.name, experiment.salt, site.owner.password):
        assert kept and kept.encode() not in told


def test_what_is_in_the_database_lies_beside_the_archive_for_so_long(site, log, experiment):  # noqa: F811
    moves.archive(site, before=START + timedelta(days=2))
    report = request_experiment_report(experiment)
    tasks.begin_report(report.pk)
    report.refresh_from_db()
    with exported(experiment_window(report).selection) as files:
        assert stored() == {file.file.name for file in files} > archived()
        assert sum(file.rows for file in files if file.kind == "queries") == 48
        rows = [row for file in files if not file.pk for row in pl.read_parquet(file.file.path).iter_rows(named=True)]
        assert rows and not any(row["raw"] for row in rows)
    assert stored() == archived()
