"""The health check says which part is away, in JSON, and never needs what it checks."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.utils import timezone

from judging.background.executions import park
from judging.background.status import SILENT, note_end
from judging.models import Execution
from tests.servers import free_port

ROOT = Path(__file__).resolve().parents[2]
ASK = """
import django
django.setup()
from django.conf import settings
from django.test import Client
client = Client(headers={"Host": "localhost"})
client.cookies["sessionid"] = "somebody"
answer = client.get("/healthz")
print(answer.status_code, answer.content.decode())
"""


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_a_database_that_is_away_is_a_503_that_names_it(tmp_path, database):
    (tmp_path / "ireval.sqlite3").mkdir()  # no file to open
    named = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "IREVAL_URL")
    variables = {key: value for key, value in os.environ.items() if key not in named}
    variables |= {"DJANGO_SETTINGS_MODULE": "ireval_site.settings", "IREVAL_DATA": str(tmp_path)}
    if database == "postgres":
        variables |= {"DATABASE_URL": f"postgres://nobody@127.0.0.1:{free_port()}/x", "SECRET_KEY": "0123456789abcdef" * 4}
    done = subprocess.run([sys.executable, "-c", ASK], env=variables, cwd=ROOT, capture_output=True, text=True, check=False)
    status, _, body = done.stdout.partition(" ")
    assert (status, json.loads(body)) == ("503", {"status": "failed", "database": "failed"}), done.stderr


@pytest.mark.django_db
def test_it_says_whether_background_work_goes_on(client):
    assert health_of(client) == {"status": "degraded", "database": "ok", "background": "stopped", "parked": 0}
    note_end("judging.tasks.sweep_outbox")
    assert health_of(client) == {"status": "ok", "database": "ok", "background": "ok", "parked": 0}
    with time_machine.travel(timezone.now() + SILENT + timedelta(seconds=1)):
        assert health_of(client)["background"] == "stopped"
        Execution.objects.create(task="a long one", digest="x", message="m")
        assert health_of(client)["background"] == "ok"  # it keeps all workers busy, so that no sweep has its turn


@pytest.mark.django_db
def test_it_counts_what_is_parked(client):
    note_end("judging.tasks.sweep_outbox")
    park("a task", {"site": 1}, starts=3, between=(timezone.now(), timezone.now()), reason="killed")
    assert health_of(client) == {"status": "degraded", "database": "ok", "background": "ok", "parked": 1}


def health_of(client) -> dict:
    answer = client.get("/healthz")
    assert answer.status_code == 200
    return answer.json()
