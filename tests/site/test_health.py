"""The health checks say which part is away, in JSON, and never need what they check."""

import contextlib
import json
import os
import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from celery import current_app
from django.utils import timezone

from ireval_site import condition, health
from judging.background.executions import park
from judging.background.status import SILENT, UNSWEPT, note_end
from judging.models import Execution, Outbox
from tests.servers import free_port

ROOT = Path(__file__).resolve().parents[2]
ASK = """
import sys, django
django.setup()
from django.conf import settings
from django.test import Client
client = Client(raise_request_exception=False, headers={"Host": "localhost", "X-Requested-With": "fetch"})
client.cookies["sessionid"] = "somebody"
answer = client.get(sys.argv[1])
print(answer.status_code, answer.content.decode())
"""


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_a_process_whose_database_is_away_is_alive(tmp_path, database):
    (tmp_path / "ireval.sqlite3").mkdir()  # no file to open
    variables = {"DATABASE_URL": f"postgres://nobody@127.0.0.1:{free_port()}/x"} if database == "postgres" else {}
    assert asked_alone("/healthz", tmp_path, variables) == ("200", {"status": "failed", "database": "failed"})


@contextlib.contextmanager
def server_that_hangs():
    """One that takes connections, as its system does for it, and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.slow
def test_servers_that_hang_are_not_waited_for(tmp_path):
    """Without a limit of its own the answer would come when they do."""
    with server_that_hangs() as database, server_that_hangs() as broker:
        variables = {
            "DATABASE_URL": f"postgres://nobody@127.0.0.1:{database}/x?connect_timeout=100",
            "REDIS_URL": f"redis://127.0.0.1:{broker}/0",
        }
        status, answer = asked_alone("/readyz", tmp_path, variables)
        assert asked_alone("/healthz", tmp_path, variables) == ("200", {"status": "failed", "database": "failed"})
    silent = {"status": "failed", "reason": "no answer"}
    assert status == "503"
    assert answer["parts"] == {
        **dict.fromkeys(("database", "background", "messages", "sweeps", "broker"), silent),
        "disk": {"status": "ok"},
    }


@pytest.mark.slow
def test_a_database_that_hangs_is_said_on_pages_too(tmp_path):
    """Without a limit of its own a page would come after two minutes."""
    with server_that_hangs() as database:
        variables = {"DATABASE_URL": f"postgres://nobody@127.0.0.1:{database}/x"}
        assert asked_alone("/", tmp_path, variables) == ("503", {"error": "The database does not answer."})


def asked_alone(address: str, data: Path, variables: dict[str, str]) -> tuple[str, dict]:
    """What a process of its own answers."""
    named = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "IREVAL_URL")
    others = {key: value for key, value in os.environ.items() if key not in named}
    ours = {"DJANGO_SETTINGS_MODULE": "ireval_site.settings", "IREVAL_DATA": str(data), "SECRET_KEY": "0123456789abcdef" * 4}
    command = [sys.executable, "-c", ASK, address]
    environment = {**others, **ours, **variables}
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    status, _, body = done.stdout.partition(" ")
    assert body, done.stderr
    return status, json.loads(body)


@pytest.fixture
def inspected(monkeypatch, transactional_db):
    """Rows that other threads can read, and as much time as they need."""
    monkeypatch.setattr(health, "PATIENCE_SECONDS", 60)


def test_it_says_whether_background_work_goes_on(client, inspected):
    assert health_of(client) == {"status": "degraded", "database": "ok", "background": "stopped", "parked": False}
    note_end("judging.tasks.sweep_outbox")
    assert health_of(client) == {"status": "ok", "database": "ok", "background": "ok", "parked": False}
    with time_machine.travel(timezone.now() + SILENT + timedelta(seconds=1)):
        assert health_of(client)["background"] == "stopped"
        Execution.objects.create(task="a long one", digest="x", message="m")
        assert health_of(client)["background"] == "ok"  # it keeps all workers busy, so that no sweep has its turn


def test_it_says_that_tasks_were_given_up_and_not_how_many(client, inspected):
    note_end("judging.tasks.sweep_outbox")
    park("a task", {"site": 1}, starts=3, between=(timezone.now(), timezone.now()), reason="killed")
    assert health_of(client) == {"status": "degraded", "database": "ok", "background": "ok", "parked": True}


def test_it_is_ready_when_every_part_works_and_says_why_not(client, inspected, monkeypatch):
    monkeypatch.setattr(condition, "queued", lambda: 0)
    assert unready(client) == {"background": "no sign of life for 60 seconds", "sweeps": "none for 10 minutes"}
    note_end("judging.tasks.sweep_outbox")
    assert unready(client) == {}
    waiting = Outbox.objects.create(task="judging.tasks.check_upload", arguments={"upload": "secret"})
    Outbox.objects.filter(pk=waiting.pk).update(created=timezone.now() - timedelta(minutes=2))
    monkeypatch.setattr(condition, "LITTLE_SPACE", 2**70)
    assert unready(client) == {"messages": "waiting for more than 60 seconds", "disk": f"less than {2**40} GB free"}


def test_a_beat_that_is_gone_is_seen_while_other_tasks_go_on(client, inspected, monkeypatch):
    monkeypatch.setattr(condition, "queued", lambda: 0)  # other tests have the same broker
    note_end("judging.tasks.sweep_outbox")
    with time_machine.travel(timezone.now() + UNSWEPT + timedelta(seconds=1)):
        Execution.objects.create(task="a long one", digest="x", message="m")
        note_end("judging.tasks.check_upload")
        assert unready(client) == {"sweeps": "none for 10 minutes"}
        note_end("judging.tasks.sweep_outbox")
        assert unready(client) == {}


def test_sweeps_that_wait_for_busy_workers_are_no_failure(client, inspected, settings, monkeypatch):
    """As where two long sweeps keep two processes from all others."""
    settings.REDIS_URL = "memory://"
    monkeypatch.setattr(current_app.conf, "broker_write_url", settings.REDIS_URL)
    Execution.objects.create(task="a long one", digest="x", message="m")
    with current_app.connection_for_write() as link:
        current_app.send_task("judging.tasks.sweep_outbox", connection=link)
    try:
        assert unready(client) == {}
        assert condition.sweeps().look
    finally:
        with current_app.connection_for_write() as link:
            link.default_channel.queue_purge(current_app.conf.task_default_queue)
    assert unready(client) == {"sweeps": "none for 10 minutes"}


def test_a_broker_that_is_away_makes_it_unready(client, inspected, settings, monkeypatch):
    note_end("judging.tasks.sweep_outbox")
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    monkeypatch.setattr(current_app.conf, "broker_write_url", settings.REDIS_URL)
    assert unready(client) == {"broker": "no answer"}


@pytest.mark.django_db
def test_whoever_watches_calls_the_host_as_they_like(client, settings):
    """Prometheus and Kubernetes ask by an address of the inside, and without TLS."""
    settings.SECURE_SSL_REDIRECT = True
    assert client.get("/readyz", headers={"Host": "10.0.0.7:8000"}).status_code == 503
    assert client.get("/glossary/", headers={"Host": "10.0.0.7:8000"}).status_code == 400


def unready(client) -> dict[str, str]:
    answer = client.get("/readyz")
    parts = answer.json()["parts"]
    failed = {name: part["reason"] for name, part in parts.items() if part["status"] == "failed"}
    assert list(parts) == ["database", "background", "messages", "sweeps", "broker", "disk"]
    assert (answer.status_code, answer.json()["status"]) == ((503, "failed") if failed else (200, "ok"))
    return failed


def health_of(client) -> dict:
    answer = client.get("/healthz")
    assert answer.status_code == 200
    return answer.json()
