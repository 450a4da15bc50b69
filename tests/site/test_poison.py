"""A task that kills its process again and again is parked, by a real Celery worker with a real broker, or an older one.

One that is broken off by whoever stops the worker is not to blame.
"""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from ireval_site.laptop import broker
from ireval_site.laptop.reaper import Reaper
from tests import migrated
from tests.site.processes import wait_until

ROOT = Path(__file__).resolve().parents[2]
# A report of a study, on its way to Celery, and another task behind it.
WORLD = """
import django
django.setup()
from judging.models import Collection, Outbox, Study, User
from metrics.models import Report
from ireval import ENGINE_VERSION
rita = User.objects.create_user("rita")
collection = Collection.objects.create(name="Birds", owner=rita)
study = Study.objects.create(collection=collection, name="Owls", created_by=rita)
report = Report.objects.create(kind="quality", study=study, spec={}, engine_version=ENGINE_VERSION)
Outbox.objects.post("metrics.tasks.begin_report", report=report.pk)
Outbox.objects.post("judging.tasks.build_search_index", collection=0, ranker="bm25")
"""


@pytest.fixture
def celery(request, tmp_path, tmp_path_factory):
    """A Celery worker of that app, with that broker, that has the report before it; gives the process and the database."""
    app, server = request.param
    older = [request.getfixturevalue(server)] if server == "redis_server" else []
    named = ("DATABASE_URL", "SECRET_KEY", "IREVAL_URL")
    reaper, folder = Reaper(), broker.private_folder()
    reaper.remove_at_the_end(folder)
    variables = {key: value for key, value in os.environ.items() if key not in named}
    variables |= {"DJANGO_SETTINGS_MODULE": "ireval_site.settings", "IREVAL_DATA": str(tmp_path), "REDIS_URL": broker.url(folder)}
    migrated.copied(tmp_path_factory, tmp_path)
    try:
        program, *options = broker.command(folder)
        reaper.start([*(older or [program]), *options], stdout=subprocess.DEVNULL)
        broker.wait_until_ready(folder)
        subprocess.run([sys.executable, "-c", WORLD], env=variables, cwd=ROOT, check=True)
        options = ["--concurrency", "1", "--without-gossip", "--without-mingle", "--loglevel", "warning"]
        command = [sys.executable, "-m", "celery", "--app", f"tests.site.{app}", "worker", *options]
        with open(tmp_path / "celery.log", "wb") as log:
            process = reaper.start(command, env=variables, cwd=ROOT, stdout=log, stderr=log)
        with contextlib.closing(sqlite3.connect(tmp_path / "ireval.sqlite3", isolation_level=None)) as database:
            yield process, database
    finally:
        reaper.close()


@pytest.mark.slow
@pytest.mark.parametrize("celery", [("poison", "valkey"), ("poison", "redis_server")], indirect=True)
def test_it_is_parked_and_its_report_failed_and_the_next_task_runs(celery):
    process, database = celery

    def failure() -> str | None:
        return database.execute("SELECT error FROM metrics_report WHERE state = 'failed'").fetchone()

    assert wait_until(failure, seconds=60)
    assert "its process was killed every time" in failure()[0]
    parked = "SELECT task, starts FROM judging_parkedtask"
    assert database.execute(parked).fetchall() == [("metrics.tasks.begin_report", 3)]
    ended = "SELECT count(*) FROM judging_taskend WHERE task = 'judging.tasks.build_search_index'"
    assert wait_until(lambda: database.execute(ended).fetchone() == (1,))
    assert process.poll() is None


@pytest.mark.slow
@pytest.mark.parametrize("celery", [("sleeper", "valkey")], indirect=True)
def test_what_is_broken_off_when_the_worker_is_stopped_counts_as_no_death(celery):
    """The launcher waits for some seconds, systemd and Docker for a minute: what takes longer is killed and begun again."""
    process, database = celery

    def starts(condition: str = "error = ''") -> int:
        query = f"SELECT count(*) FROM judging_execution WHERE task = 'metrics.tasks.begin_report' AND {condition}"
        return database.execute(query).fetchone()[0]

    assert wait_until(starts, seconds=60)
    process.send_signal(signal.SIGTERM)
    assert wait_until(lambda: starts("started < datetime('now', '-23 hours')"))
    process.kill()
    assert starts() == 1  # so that another worker waits until nothing is heard of it
