"""The disk runs full, the folder may not be written to, the database is away: what people are told, and that nothing is lost."""

import contextlib
import errno
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

import polars as pl
import psycopg
import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError, EndpointConnectionError
from django.db import InternalError, OperationalError, ProgrammingError

from benchmarks.faults.load import Client
from benchmarks.judging import server, world
from judging.faults import AWAY, BUCKET_AWAY, FULL, READ_ONLY, fault_of
from judging.logs.archive import engine
from tests.conftest import SOAKING, absent
from tests.servers import Cluster, NoServer, free_port, reaper_and_folder
from tests.site import slow_disk, small_disk

ROOT = Path(__file__).resolve().parents[2]
OWN = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]  # a mount that nobody else sees


def caused(error: Exception, by: Exception) -> Exception:
    error.__cause__ = by
    return error


ITSELF = ValueError("raised again from itself")


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (caused(ITSELF, ITSELF), None),
        (OSError(errno.ENOSPC, "No space left on device"), FULL),
        (OSError(errno.EROFS, "Read-only file system"), READ_ONLY),
        (FileNotFoundError(errno.ENOENT, "No such file"), None),
        (OperationalError("database or disk is full"), FULL),
        (OperationalError("attempt to write a readonly database"), READ_ONLY),
        (OperationalError("database is locked"), AWAY),
        (caused(OperationalError("could not extend file"), psycopg.errors.DiskFull()), FULL),
        (caused(InternalError("cannot execute INSERT"), psycopg.errors.ReadOnlySqlTransaction()), READ_ONLY),
        (OperationalError("connection refused"), AWAY),
        (ProgrammingError("no such column"), None),
        (ZeroDivisionError(), None),
        (EndpointConnectionError(endpoint_url="https://files.example"), BUCKET_AWAY),
        (ConnectTimeoutError(endpoint_url="https://files.example"), BUCKET_AWAY),
        (ClientError({"Error": {"Code": "503"}}, "PutObject"), BUCKET_AWAY),
    ],
)
def test_a_fault_of_the_machine_is_told_from_a_mistake_of_ours(error, fault):
    assert fault_of(error) == fault


def test_a_full_disk_is_one_whoever_writes(tmp_path):
    """DuckDB and Polars write files by themselves, and have errors of their own."""
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no device that is full")
    with pytest.raises(engine.Unreadable) as copied, engine.database(tmp_path) as db:
        db.execute("COPY (SELECT 1) TO '/dev/full' (FORMAT parquet)")
    with pytest.raises(engine.Unreadable) as sorted_there, engine.database(tmp_path) as db:
        db.execute("SET max_temp_directory_size = '1KB'; SET memory_limit = '20MB'")
        db.execute("SELECT md5(i::VARCHAR) AS text FROM range(1000000) rows(i) ORDER BY text").fetchone()
    with pytest.raises(pl.exceptions.ComputeError) as written:
        pl.DataFrame({"a": [1]}).write_parquet("/dev/full")
    assert [fault_of(error.value) for error in (copied, sorted_there, written)] == [FULL] * 3
    with pytest.raises(engine.Unreadable) as missing, engine.database(tmp_path) as db:
        db.execute("SELECT * FROM read_parquet('none.parquet')")
    assert fault_of(missing.value) is None


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What a worker, a researcher and a site are told on a small disk that runs full, and may not be written to for a while."""
    if not shutil.which("unshare") or subprocess.run([*OWN, "true"], capture_output=True, check=False).returncode:
        absent("mount", "a small disk needs a mount of its own, which this machine does not allow")
    command = [*OWN, sys.executable, "-m", "tests.site.small_disk", str(tmp_path_factory.mktemp("disk"))]
    done = subprocess.run(command, env=alone(), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "words"), [("full", str(FULL)), ("read-only", str(READ_ONLY))])
def test_everybody_is_told_what_is_the_matter(told, fault, words):
    assert {status for status, _ in told[fault].values()} == {503}
    answers = {name: text for name, (_, text) in told[fault].items()}
    assert words in answers.pop("judge")
    assert json.loads(answers.pop("judge by script")) == {"error": words}
    assert [json.loads(text) for text in answers.values()] == [{"detail": f"{words} Send the same again in a moment."}] * 2


@pytest.mark.slow
def test_the_same_again_is_stored_once_afterwards(told):
    assert {name: status for name, (status, _) in told["afterwards"].items()} == {
        "judge": 302, "judge by script": 200, "upload": 200, "events": 200,
    }  # fmt: skip
    assert {name: told["stored"][name] for name in ("judgements", "received", "records")} == {
        "judgements": 1, "received": [2**20], "records": 1,
    }  # fmt: skip


@pytest.mark.slow
def test_an_import_and_a_report_on_a_full_disk_are_done_once_afterwards(told):
    """Where there is no room at all, neither begins; where there is little, the import breaks off in its middle, and waits."""
    importing, reporting = "judging.tasks.check_upload", "metrics.tasks.begin_report"
    assert told["work on a full disk"] == {importing: str(FULL), reporting: str(FULL)}
    assert told["work with little room"][importing] == ""
    stored = told["stored"]
    assert (stored["uploads"], stored["documents"]) == ({"done": 1}, small_disk.DOCUMENTS)
    assert (stored["reports"], stored["parked"]) == ({"done": 1}, [])


def test_a_launcher_that_cannot_write_says_where(tmp_path):
    place = tmp_path / "a file"
    place.touch()
    command = [sys.executable, "-m", "ireval_site.laptop.serve", "--port", str(free_port())]
    environment = {**os.environ, "IREVAL_DATA": str(place / "data")}
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"Nothing can be kept in {place / 'data'}" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.fixture
def compiler():
    if sys.platform != "linux":
        pytest.skip("a slow disk needs Linux's LD_PRELOAD")
    return shutil.which("cc") or absent("cc", "a slow disk needs a C compiler")


SECONDS = "0.5" if SOAKING else "0.1"  # that the slow disk takes


@pytest.mark.slow
@pytest.mark.soak(short=True)
def test_six_who_judge_at_once_on_a_slow_disk_wait_and_lose_nothing(compiler, tmp_path):
    """Each commit waits for the disk, and the others for the commit; nobody is refused for that."""
    preload = {"IREVAL_DATA": str(tmp_path), "LD_PRELOAD": str(slow_disk.library(compiler, tmp_path))}
    assert judged_slowly(tmp_path, preload) >= slow_disk.ITEMS * slow_disk.OVERLAP, "the disk was as fast as ever"


@pytest.mark.slow
@pytest.mark.soak
def test_six_who_judge_at_once_with_a_postgresql_on_a_slow_disk_lose_nothing(compiler, tmp_path, monkeypatch):
    """Here commits that come together wait together."""
    with a_cluster() as cluster:
        with monkeypatch.context() as patched:
            patched.setenv("LD_PRELOAD", str(slow_disk.library(compiler, cluster.folder)))
            cluster.start()
        waits = judged_slowly(cluster.folder, environment_of(cluster, tmp_path))
    assert waits >= slow_disk.ITEMS * slow_disk.OVERLAP // slow_disk.WORKERS, "the disk was as fast as ever"


def judged_slowly(folder: Path, variables: dict[str, str]) -> int:
    """How often somebody waited for the disk until all was judged, once."""
    command = [sys.executable, "-m", "tests.site.slow_disk", str(folder), SECONDS]
    done = subprocess.run(command, env={**alone(), **variables}, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout.splitlines()[-1])
    waits: int = outcome.pop("waits")
    assert outcome == {
        "statuses": {"302": slow_disk.ITEMS * slow_disk.OVERLAP}, "items": [slow_disk.OVERLAP] * slow_disk.ITEMS, "open": 0,
    }  # fmt: skip
    return waits


@contextlib.contextmanager
def a_cluster():
    """A PostgreSQL of its own that has not been started yet."""
    with reaper_and_folder() as (reaper, folder):
        try:
            cluster = Cluster(reaper, folder, durable=True)
        except NoServer as problem:
            absent("postgres", str(problem))
        yield cluster


def environment_of(cluster: Cluster, folder: Path) -> dict[str, str]:
    return {"DATABASE_URL": cluster.url, "IREVAL_DATA": str(folder), "SECRET_KEY": "benchmark" * 8}


@pytest.mark.slow
@pytest.mark.soak(short=True)
def test_the_database_goes_away_in_the_middle_of_an_upload(tmp_path):
    content = b"".join(b"1 Q0 d%d %d %d.5 bm25\n" % (number, number, 9000 - number) for number in range(1, 9000))
    half = len(content) // 2
    with a_cluster() as cluster:
        cluster.start()
        environment = {**alone(), **environment_of(cluster, tmp_path)}
        facts = world(environment, "prepare_soak", 1, 4, 2)
        with server("ireval_site.wsgi:application", environment, free_port()) as port:
            client = Client(port, {"Authorization": f"Token {facts['token']}"}, Counter())
            announced = {"collection": facts["shelf"], "kind": "run", "filename": "bm25.txt", "size": len(content)}
            address = f"/api/v1/uploads/{client.insist('POST', '/api/v1/uploads/', announced)['id']}/"

            def piece(offset: int) -> tuple[int, str]:
                path = f"http://127.0.0.1:{port}{address}chunk/?offset={offset}"
                headers = {**client.headers, "Content-Type": "application/octet-stream"}
                return answer(urllib.request.Request(path, content[offset : offset + half + 1], headers, method="PUT"))

            assert piece(0)[0] == 200
            cluster.kill()
            assert piece(half + 1) == (
                503,
                json.dumps({"detail": f"{AWAY} Send the same again in a moment."}, separators=(",", ":")),
            )
            time.sleep(60 if SOAKING else 3)
            status, page = answer(urllib.request.Request(f"http://127.0.0.1:{port}/join/{facts['studies'][0]['token']}/"))
            assert status == 503
            assert str(AWAY) in page
            cluster.start()
            assert client.insist("GET", address)["received"] == half + 1
            assert piece(half + 1)[0] == 200
            assert client.insist("POST", f"{address}finish/")["state"] == "waiting"
    pieces = sorted((tmp_path / "files" / "uploads").rglob("*.part"))
    assert b"".join(path.read_bytes() for path in pieces) == content


def answer(request: urllib.request.Request) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def alone() -> dict[str, str]:
    """The environment without the servers that it names."""
    named = ("DATABASE_URL", "REDIS_URL")
    kept = {key: value for key, value in os.environ.items() if key not in named}
    return {**kept, "DJANGO_SETTINGS_MODULE": "ireval_site.settings"}
