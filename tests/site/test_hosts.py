"""A web process and a Celery worker on hosts of their own: they share a database, a broker and a bucket, and no folder."""

import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import psycopg
import pytest

from ireval_site.laptop.reaper import Reaper
from tests import servers
from tests.conftest import absent
from tests.docs import shell
from tests.site.processes import wait_until

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "a long enough password"
DOWNLOADS = """
from django.core.files.storage import storages
from judging.collections.storage import qrels_table, run_frame
from judging.models import Judgement, Qrels, Run
from metrics.models import Report
print(type(storages["default"]).__name__)
for run in Run.objects.order_by("name"):
    print(run.name, run_frame(run).rows())
print(qrels_table(Qrels.objects.get()).rows(), Judgement.objects.count(), list(Report.objects.values_list("kind", "state")))
"""


class Host:
    """A data folder of its own, and what its processes are told."""

    def __init__(self, folder: Path, **variables: str):
        folder.mkdir()
        self.folder = folder
        self.environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "IREVAL_DATA": str(folder),
            "IREVAL_PASSWORD": PASSWORD,
            "SECRET_KEY": "a-secret-only-for-this-test-0123456789",
            **variables,
        }

    def manage(self, *words: object) -> str:
        command = [sys.executable, "manage.py", *map(str, words)]
        done = subprocess.run(command, env=self.environment, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self, reaper: Reaper, *words: object) -> None:
        with open(self.folder / "log", "ab") as out:
            reaper.start([sys.executable, "-m", *map(str, words)], env=self.environment, cwd=ROOT, stdout=out, stderr=out)

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def stored(self) -> list[str]:
        """What lies in the folder of stored files but copies."""
        files = (path.relative_to(self.folder).as_posix() for path in self.folder.rglob("files/*/**/*") if path.is_file())
        return [name for name in files if not name.startswith("files/copies/")]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """The variables that name database, broker and bucket."""
    named = {name: os.environ.pop(name) for name in ("DATABASE_URL", "REDIS_URL") if name in os.environ}
    try:
        with servers.postgres() as database, servers.valkey(tcp=True) as broker, servers.s3() as bucket:
            aws = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
            yield {"DATABASE_URL": database, "REDIS_URL": broker, **aws, **bucket}
    except servers.NoServer as problem:
        absent("postgres", str(problem))
    finally:
        os.environ.update(named)


@pytest.mark.slow
def test_hosts_share_no_folder(shared, tmp_path):
    """Import, judge, settle, report and export over the API; then back up, and restore into another database and bucket."""
    web, worker = Host(tmp_path / "web", **shared), Host(tmp_path / "worker", **shared)
    web.manage("migrate", "--no-input", "--verbosity", 0)
    web.manage("create_user", "rita", "--researcher")
    port, reaper = servers.free_port(), Reaper()
    address = f"http://127.0.0.1:{port}"
    try:
        web.start(reaper, "ireval_site.web", "--port", port, "--workers", 1)
        worker.start(reaper, "celery", "--app", "ireval_site", "worker", "--concurrency", 1, "--loglevel", "info")
        up = wait_until(lambda: " ready." in worker.log() and answers(f"{address}/healthz"), seconds=60)
        assert up, web.log() + worker.log()
        printed = shell.run(shell.api_page(), tmp_path, SITE=address, PASSWORD=PASSWORD)
        assert "1 0 d1 2\n" in printed  # settled grades, exported
        assert re.search(r"bm25,.*\d\.\d{6}", printed)  # a report's means
        assert web.stored() == worker.stored() == []
        before = web.manage("shell", "-v", 0, "-c", DOWNLOADS)
        assert before.startswith("Bucket\nbm25 [('1', 'd2'") and "('runs', 'done')" in before
        web.manage("backup", tmp_path / "backup.tar.zst")
    finally:
        reaper.close()
    elsewhere = elsewhere_of(shared)
    third = Host(tmp_path / "third", **elsewhere)
    third.manage("restore", tmp_path / "backup.tar.zst")
    assert third.manage("shell", "-v", 0, "-c", DOWNLOADS) == before
    assert third.stored() == []


def answers(address: str) -> bool:
    try:
        return urllib.request.urlopen(address, timeout=5).status == 200
    except OSError:
        return False


def elsewhere_of(shared: dict[str, str]) -> dict[str, str]:
    """Another database of the same server, and another part of the bucket."""
    server, _, _ = shared["DATABASE_URL"].rpartition("/")
    with psycopg.connect(shared["DATABASE_URL"], autocommit=True) as connection:
        connection.execute("CREATE DATABASE elsewhere")
    return {**shared, "DATABASE_URL": f"{server}/elsewhere", "IREVAL_FILES": f"{shared['IREVAL_FILES']}-elsewhere"}
