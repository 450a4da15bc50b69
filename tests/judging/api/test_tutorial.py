"""The tutorial of docs/reference/api.md, run by a shell as it stands there, against a server."""

import csv
import re
import shutil
import subprocess
import threading
from math import log2
from pathlib import Path

import pytest
from django.db import connection

from ireval_site.celery import app
from judging.models import Judgement, Outbox, Qrels
from tests.conftest import absent

DOCS = Path(__file__).resolve().parents[3] / "docs" / "reference" / "api.md"
PASSWORD = "a long enough password"


@pytest.fixture
def celery(settings):
    """In the place of a Celery worker: a thread that does what the outbox says."""
    settings.REDIS_URL = ""  # without a broker the messages stay in the outbox
    app.loader.import_default_modules()
    stop = threading.Event()

    def work():
        while not stop.wait(0.1):
            for message in Outbox.objects.all():
                message.delete()
                app.tasks[message.task](**message.arguments)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join()


def test_the_tutorial(live_server, researcher, celery, tmp_path):
    if not shutil.which("curl"):
        absent("curl", "the tutorial calls curl, which is not installed")
    script = "set -eu\n" + "\n".join(re.findall(r"^```sh\n(.*?)^```", DOCS.read_text(), re.MULTILINE | re.DOTALL))
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", script],
        cwd=tmp_path,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "SITE": live_server.url, "PASSWORD": PASSWORD},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stderr == ""
    # depth 2 of both runs: {d1, d2, d4} for topic 1, {d3, d4} for topic 2
    assert Judgement.objects.count() == 5
    assert [row["grade"] for row in csv.DictReader((tmp_path / "judgements.csv").open())] == ["2"] * 5
    assert Qrels.objects.get().rows == 5
    assert "1 0 d1 2\n" in done.stdout
    last = done.stdout[done.stdout.rindex("done") :]
    # bm25 found two of the three documents of topic 1, equally relevant, and both of topic 2
    ndcg = ((1 + 1 / log2(3)) / (1 + 1 / log2(3) + 1 / log2(4)) + 1) / 2
    assert f"'nDCG@10': {{'mean': {ndcg:.6f}" in last
    assert re.search(rf"bm25,.*{ndcg:.6f}", last)
