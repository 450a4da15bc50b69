"""Whoever is killed takes what it started along, at any moment and without leaving files."""

import fcntl
import os
import random
import signal
import subprocess
import sys
import time
import uuid

import pytest

from ireval_site.laptop.reaper import Reaper
from ireval_site.laptop.reaper_process import stop_all
from tests.site.processes import descendants, running, survivors, wait_until

# Starts a shell that has a child of its own, again and again; the mark makes all of them findable.
OWNER = """
import signal, subprocess, sys, time
from ireval_site.laptop.reaper import Reaper
from pathlib import Path
mark, folder = sys.argv[1:]
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also where the tests run under nohup
reaper = Reaper()
reaper.remove_at_the_end(Path(folder))
for _ in range(40):  # bounded: an owner that nobody kills must not fill the machine
    reaper.start(["sh", "-c", f"sleep 1000 & sleep 1001; : {mark}"])
    print("started", flush=True)
time.sleep(30)
"""


@pytest.fixture
def mark():
    return f"mark-{uuid.uuid4()}"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_nothing_outlives_its_owner(tmp_path, mark, number):
    folder = tmp_path / mark
    for _ in range(3):
        folder.mkdir()
        owner = subprocess.Popen(
            [sys.executable, "-c", OWNER, mark, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert owner.stdout and owner.stdout.readline() == "started\n"
        time.sleep(random.random() / 20)  # anywhere between two starts, and within one
        owner.send_signal(number)
        owner.communicate()
        assert wait_until(lambda: not running(mark))
        assert wait_until(lambda: not folder.exists())


def test_closing_stops_what_was_started_and_keeps_what_was_forgotten(mark):
    reaper = Reaper()
    kept = reaper.start(["sleep", "1000"])
    stopped = reaper.start(["sh", "-c", f"sleep 1000; : {mark}"])
    reaper.forget(kept)
    reaper.close()
    assert stopped.poll() == -signal.SIGTERM
    assert running(mark) == []
    assert kept.poll() is None
    kept.kill()
    kept.wait()


def test_each_is_stopped_by_the_signal_it_asked_for(tmp_path):
    reaper = Reaper()
    script = f"trap 'echo interrupted > {tmp_path}/word; exit' INT; echo > {tmp_path}/ready; while :; do sleep 0.05; done"
    reaper.start(["sh", "-c", script], stop=signal.SIGINT)
    assert wait_until((tmp_path / "ready").exists)
    reaper.close()
    assert (tmp_path / "word").read_text() == "interrupted\n"


def test_who_does_not_listen_is_killed_with_all_of_the_group(tmp_path, mark):
    ready = tmp_path / "ready"
    script = f"trap '' TERM; sleep 1000 & echo > {ready}; sleep 1001; : {mark}"
    stubborn = subprocess.Popen(["sh", "-c", script], start_new_session=True)
    assert wait_until(ready.exists)
    family = descendants(stubborn.pid)
    assert len(family) == 2
    stop_all({stubborn.pid: signal.SIGTERM}, grace=0.2)
    assert stubborn.wait() == -signal.SIGKILL
    assert wait_until(lambda: not survivors(family))


def test_a_killed_reaper_is_followed_by_another_that_knows_what_runs(tmp_path, mark):
    """Nothing that was started before or after outlives an owner that is killed later."""
    folder = tmp_path / mark
    folder.mkdir()
    code = """
import os, signal, subprocess, sys
from pathlib import Path
from ireval_site.laptop.reaper import Reaper
mark, folder = sys.argv[1:]
reaper = Reaper()
reaper.remove_at_the_end(Path(folder))
for _ in range(2):
    reaper.start(["sh", "-c", f"sleep 1000; : {mark}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.kill(reaper.process.pid, signal.SIGKILL)
    reaper.process.wait()
assert reaper.replace_if_dead() and not reaper.replace_if_dead()
print("started", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    owner = subprocess.run([sys.executable, "-c", code, mark, str(folder)], capture_output=True, text=True, check=False)
    assert owner.stdout == "started\n", owner.stderr
    assert wait_until(lambda: not running(mark))
    assert wait_until(lambda: not folder.exists())


def test_closing_stops_everything_also_after_the_reaper_was_killed(mark):
    reaper = Reaper()
    stopped = reaper.start(["sh", "-c", f"sleep 1000; : {mark}"])
    reaper.process.kill()
    reaper.process.wait()
    reaper.close()
    assert stopped.poll() == -signal.SIGTERM


def test_a_lock_lasts_until_everything_has_ended(tmp_path):
    """A successor must not start beside the children of a launcher that was killed a moment ago."""
    code = """
import fcntl, os, signal
from ireval_site.laptop.reaper import Reaper
lock = open("lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
reaper = Reaper(keep_open=lock)
slow = "trap 'sleep 1; echo > ended; exit' TERM; echo > ready; while :; do sleep 0.05; done"
reaper.start(["sh", "-c", slow])
while not os.path.exists("ready"):
    pass
os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=False)
    with open(tmp_path / "lock") as lock:
        with pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(lock, fcntl.LOCK_EX)
    assert (tmp_path / "ended").exists()
