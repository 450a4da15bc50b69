"""The web server of a team: it outlives its workers, and never shares a port with another one."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from ireval_site.laptop.reaper import Reaper
from tests.servers import free_port
from tests.site.processes import descendants, wait_until

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def serve(tmp_path):
    """Start the unit's web server on this machine, over an empty SQLite database."""
    named = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "IREVAL_URL")
    variables = {key: value for key, value in os.environ.items() if key not in named} | {"IREVAL_DATA": str(tmp_path)}
    reaper = Reaper()

    def start(port: int, *arguments: str, **further: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, *web_command(), "--host", "127.0.0.1", "--port", str(port), *arguments]
        return reaper.start(command, env=variables | further, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    yield start
    reaper.close()


def web_command() -> list[str]:
    unit = (ROOT / "deploy" / "systemd" / "ireval-web.service").read_text()
    (line,) = [line for line in unit.splitlines() if line.startswith("ExecStart=")]
    return line.split()[1:3]


def serves(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/static/ireval/icon.svg", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


def test_a_killed_worker_is_followed_by_another_and_a_second_server_is_refused(serve):
    port = free_port()
    first = serve(port, "--workers", "1")
    assert wait_until(lambda: serves(port))

    second = serve(port)
    output = second.communicate(timeout=60)[0].decode()
    assert f"Port {port} is used by another program" in output
    assert second.returncode == 1

    workers = descendants(first.pid)
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    assert wait_until(lambda: descendants(first.pid) - workers and serves(port))
    assert first.poll() is None


def test_all_workers_count_together_and_what_they_counted_goes_with_the_server(serve, tmp_path):
    port, token = free_port(), "read-only-0123456789"
    server = serve(port, "--workers", "2", IREVAL_METRICS_TOKEN=token, TMPDIR=str(tmp_path))
    assert wait_until(lambda: serves(port))
    folders = list(tmp_path.glob("ireval-counts-*"))
    counted = {answers_counted(port, token)}
    assert wait_until(lambda: serves(port) and len(list(folders[0].iterdir())) == 2), "both of them answer"
    before = answers_counted(port, token)
    assert sum(serves(port) for _ in range(10)) == 10
    assert answers_counted(port, token) == before + 10
    assert counted != {0} and len(folders) == 1

    server.terminate()
    server.wait(timeout=30)
    assert list(tmp_path.glob("ireval-counts-*")) == []


def answers_counted(port: int, token: str) -> float:
    """How many files all workers have answered with, whichever is asked."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        line = re.search(r'^ireval_request_seconds_count{route="none",status="2xx"} (.+)$', answer.read().decode(), re.MULTILINE)
    return float(line[1]) if line else 0
