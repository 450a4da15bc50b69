"""The launcher: one command brings up web server, broker and Celery, and nothing of it stays when it goes."""

import contextlib
import ctypes
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from celery import platforms
from celery.worker import state
from kombu.asynchronous.semaphore import DummyLock

from ireval_site.laptop import background
from tests import migrated
from tests.servers import free_port
from tests.site.processes import descendants, memory, survivors, table, wait_until

ROOT = Path(__file__).resolve().parents[2]


COPIES = ["-m", "ireval_site.laptop.serve"]
AS_ON_MACOS = """
import sys
from ireval_site.laptop import copies, serve
copies.POSSIBLE = False
sys.exit(serve.main(sys.argv[1:]))
"""
COMMANDS = ["-c", AS_ON_MACOS]
# The names of copies, or what stands in commands.
WEB, CELERY = "ireval-web|ireval_site.web", "ireval-celery|laptop.background"
MESSAGE = "INSERT INTO judging_outbox (task, arguments, created) VALUES (?, ?, ?)"
SERVICES = {WEB, CELERY, "valkey-server", "reaper_process.py"}


class Launcher:
    """A launcher with a data folder and a port of its own, whatever servers the environment names."""

    def __init__(self, data: Path, port: int, *, copies: bool, tasks: int = 1) -> None:
        named = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "IREVAL_URL")
        environment = {key: value for key, value in os.environ.items() if key not in named}
        self.port = port
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, *(COPIES if copies else COMMANDS), "--port", str(port), "--celery-workers", str(tasks)],
            env={**environment, "IREVAL_DATA": str(data)},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def read_until(self, words: str) -> str:
        """The first line with these words; fails with everything that was said when there is none."""
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line)
            if words in line:
                return line
        pytest.fail(f"the launcher ended without {words!r}:\n{''.join(self.lines)}")

    def rest(self) -> str:
        """What else it says until it ends; its exit code is then known."""
        return self.process.communicate(timeout=60)[0]


@pytest.fixture
def launch(tmp_path, tmp_path_factory):
    """Start launchers over one data folder; those that a test leaves are killed. It has its tables unless it is to be empty."""
    launchers = []

    def start(port: int | None = None, *, copies: bool = True, empty: bool = False, tasks: int = 1) -> Launcher:
        if not empty and not launchers:
            migrated.copied(tmp_path_factory, tmp_path / "data")
        launchers.append(Launcher(tmp_path / "data", port or free_port(), copies=copies, tasks=tasks))
        return launchers[-1]

    yield start
    for launcher in launchers:
        launcher.process.kill()
        launcher.process.communicate()


@pytest.mark.slow
def test_serves_refuses_a_second_one_restarts_who_died_and_stops(launch, tmp_path):
    launcher = launch(empty=True)
    assert f"http://127.0.0.1:{launcher.port}/" in launcher.read_until("Ready in")
    assert page(launcher.port) == 200
    well = {"status": "ok", "database": "ok", "background": "ok", "parked": False}
    assert wait_until(lambda: health(launcher.port) == well)
    assert encoding(launcher.port, "/static/plotly/plotly-basic.min.js") == "gzip"
    family = descendants(launcher.process.pid)
    if sys.platform == "linux":
        assert memory({launcher.process.pid, *family}) <= 230, "README says 220"

    second = launch()
    assert f"ireval already runs from {tmp_path / 'data'} (process {launcher.process.pid}" in second.rest()
    assert second.process.returncode == 1

    taken = launch(launcher.port)
    assert re.search(rf"Port {launcher.port} is used by another program.*make demo PORT=\d+", taken.rest())
    assert taken.process.returncode == 1

    os.kill(child(launcher, WEB), signal.SIGKILL)
    launcher.read_until("web ended (exit code -9); starting it again")
    assert wait_until(lambda: page(launcher.port) == 200)
    family |= descendants(launcher.process.pid)

    launcher.process.send_signal(signal.SIGTERM)
    rest = launcher.rest()
    assert "Stopping" in rest
    assert launcher.process.returncode == 0
    assert survivors(family) == set()
    assert (tmp_path / "data" / "secret.key").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
def test_starts_commands_where_copies_are_impossible(launch):
    launcher = launch(copies=False)
    launcher.read_until("Ready in")
    assert page(launcher.port) == 200
    family = descendants(launcher.process.pid)
    assert services(family) == SERVICES
    launcher.process.kill()
    assert wait_until(lambda: not survivors(family))


@pytest.mark.slow
def test_nothing_is_left_of_a_killed_launcher_and_the_next_one_starts(launch):
    port = free_port()
    for pause in (2, 0):  # with Celery's own processes up, and in the middle of their start
        launcher = launch(port)
        launcher.read_until("Ready in")
        time.sleep(pause)
        family = descendants(launcher.process.pid)
        assert services(family) == SERVICES
        launcher.process.kill()
        launcher.process.wait()
        assert wait_until(lambda family=family: not survivors(family))


@pytest.mark.slow
def test_it_goes_on_after_reaper_celery_and_broker_were_killed(launch, tmp_path):
    launcher = launch()
    launcher.read_until("Ready in")
    with contextlib.closing(sqlite3.connect(tmp_path / "data" / "ireval.sqlite3", isolation_level=None)) as database:
        assert is_swept_away(database)
        for name in ("reaper_process.py", CELERY):
            os.kill(child(launcher, name), signal.SIGKILL)
        launcher.read_until("another one took its place")
        launcher.read_until("celery ended (exit code -9); starting it again")
        assert page(launcher.port) == 200
        assert is_swept_away(database)
        os.kill(child(launcher, "valkey-server"), signal.SIGKILL)
        launcher.read_until("broker ended (exit code -9); starting it again")
        assert is_swept_away(database)
    family = descendants(launcher.process.pid)
    assert services(family) == SERVICES
    launcher.process.kill()
    assert wait_until(lambda: not survivors(family))


@pytest.mark.slow
def test_what_worked_makes_way_for_one_that_has_not(launch, tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOSCALE_KEEPALIVE", "0.5")  # Celery's own name: seconds between its looks
    launcher = launch(tasks=2)
    launcher.read_until("Ready in")
    long = [message(*(f"{which}-{number}" for number in range(400_000))) for which in "ab"]
    celery, seen = child(launcher, CELERY), set()
    with contextlib.closing(sqlite3.connect(tmp_path / "data" / "ireval.sqlite3", isolation_level=None)) as database:
        assert wait_until(lambda: len(children(celery)) == 1)
        database.executemany(MESSAGE, long)
        assert wait_until(lambda: seen.update(children(celery)) or len(seen) >= 2)
        assert wait_until(lambda: len(now := children(celery)) == 1 and not now & seen)
        assert is_swept_away(database)
        assert wait_until(lambda: database.execute("SELECT count(*) FROM judging_execution").fetchone() == (0,))
        os.kill(child(launcher, "valkey-server"), signal.SIGKILL)  # whoever connects anew still takes several tasks at once
        launcher.read_until("broker ended (exit code -9); starting it again")
        assert is_swept_away(database)
        database.executemany(MESSAGE, long)
        assert wait_until(lambda: len(children(celery)) == 2)


def test_a_process_that_holds_much_is_told_by_its_memory():
    before = background.resident_bytes(os.getpid())
    held = bytearray(os.urandom(1)) * 64_000_000
    assert 0.9 * len(held) <= background.resident_bytes(os.getpid()) - before <= 1.1 * len(held)
    assert background.resident_bytes(-1) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux alone sends such a signal")
def test_the_kernel_ends_who_loses_its_parent():
    told = ctypes.c_int()
    background.end_with_parent(signal.SIGUSR1)
    ctypes.CDLL(None).prctl(2, ctypes.byref(told), 0, 0, 0)  # PR_GET_PDEATHSIG
    background.end_with_parent(0)
    assert told.value == signal.SIGUSR1
    assert hasattr(platforms, "_set_pdeathsig")  # what is put in its place


class Pool:
    """One process, and those that it was told to start."""

    num_processes, maintained = 1, 0

    def grow(self, number: int) -> None:
        self.num_processes += number

    def maintain_pool(self) -> None:
        self.maintained += 1


class Timer:
    """Calls what is due when time passes, which it does not by itself."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waiting: list[tuple[float, Callable[[], None]]] = []

    def call_after(self, seconds: float, look: Callable[..., None], arguments: tuple) -> None:
        self.waiting.append((self.now + seconds, partial(look, *arguments)))

    def wait(self, seconds: float) -> None:
        self.now += seconds
        due = [look for moment, look in self.waiting if moment <= self.now]
        self.waiting = [(moment, look) for moment, look in self.waiting if moment > self.now]
        for look in due:
            look()


@pytest.fixture
def scaler(monkeypatch):
    """Of at most three processes."""
    timer = Timer()
    monkeypatch.setattr(time, "monotonic", lambda: timer.now)
    monkeypatch.setattr(state, "reserved_requests", set())
    return background.Scaler(Pool(), 3, 1, worker=SimpleNamespace(timer=timer), mutex=DummyLock())


def arrive(scaler: background.Scaler, *tasks: str) -> None:
    for task in tasks:
        state.reserved_requests.add(task)
        scaler.maybe_scale(task)


def test_tasks_that_end_within_half_a_second_need_no_further_process(scaler):
    arrive(scaler, "sweep_uploads", "sweep_messages")
    state.reserved_requests.clear()
    scaler.worker.timer.wait(0.5)
    assert scaler.processes == 1
    assert not scaler.worker.timer.waiting
    assert not scaler.pool.maintained


def test_tasks_that_take_longer_have_a_process_each(scaler):
    arrive(scaler, "part-1", "part-2", "part-3", "part-4")
    scaler.worker.timer.wait(0.4)
    assert scaler.processes == 1
    assert len(scaler.worker.timer.waiting) == 1
    scaler.worker.timer.wait(0.1)
    assert (scaler.processes, scaler.pool.maintained) == (3, 1)


def test_short_tasks_have_further_processes_where_they_do_not_end_to_come(scaler):
    arrive(scaler, "task-0", "task-1")
    for number in range(4):
        assert scaler.processes == 1
        state.reserved_requests.discard(f"task-{number}")
        arrive(scaler, f"task-{number + 2}")
        scaler.worker.timer.wait(0.5)
    assert scaler.processes == 2


def test_tasks_that_nobody_announced_are_seen_at_the_next_look(scaler):
    state.reserved_requests.update({"part-1", "part-2"})
    scaler.maybe_scale()
    scaler.worker.timer.wait(0.5)
    assert scaler.processes == 2


def test_a_look_that_never_comes_holds_up_no_other(scaler):
    arrive(scaler, "part-1", "part-2")
    scaler.worker.timer.waiting.clear()
    scaler.worker.timer.wait(0.5)
    arrive(scaler, "part-3")
    scaler.worker.timer.wait(0.5)
    assert scaler.processes == 3


def message(*names: str) -> tuple[str, str, str]:
    """A row of the outbox, which the next sweep sends."""
    return "judging.tasks.delete_log_files", json.dumps({"names": names}), "2020-01-01"


def is_swept_away(database: sqlite3.Connection) -> bool:
    """Whether a message that nobody sent is sent by the sweep that the beat calls for, and its task ends."""
    database.execute(MESSAGE, message())
    return wait_until(lambda: database.execute("SELECT count(*) FROM judging_outbox").fetchone() == (0,))


def test_a_port_in_use_is_said_before_anything_starts(launch, tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        launcher = launch(other.getsockname()[1], empty=True)
        assert "is used by another program. Choose another one: PORT=" in launcher.rest()
    assert launcher.process.returncode == 1
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("port", "says"), [("80000", "There is no port 80000"), ("http", "PORT='http': expected a whole number")]
)
def test_a_port_that_is_none_is_said_in_words(port, says):
    command = [sys.executable, "-m", "ireval_site.laptop.serve"]
    done = subprocess.run(command, env={**os.environ, "PORT": port}, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert says in done.stdout
    assert "Traceback" not in done.stderr


def page(port: int) -> int:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            return answer.status
    except OSError:
        return 0


def health(port: int) -> dict:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
        return json.load(answer)


def encoding(port: int, path: str) -> str | None:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Accept-Encoding": "gzip"}, method="HEAD")
    with urllib.request.urlopen(request, timeout=5) as answer:
        return answer.headers["Content-Encoding"]


def child(launcher: Launcher, name: str) -> int:
    return next(process for process, parent, _, command in table() if parent == launcher.process.pid and re.search(name, command))


def children(process: int) -> set[int]:
    return {number for number, parent, state, _ in table() if parent == process and not state.startswith("Z")}


def services(processes: set[int]) -> set[str]:
    commands = " ".join(command for process, _, _, command in table() if process in processes)
    return {name for name in SERVICES if re.search(name, commands)}
