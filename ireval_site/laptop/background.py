"""Celery and its beat in one process: `python -m ireval_site.laptop.background --concurrency 2`.

The same as `celery worker` and `celery beat`. It goes without their command line, which takes 7 MB and a tenth of a second. And
without a process for the beat, which takes 30 MB.
"""

import argparse
import contextlib
import ctypes
import math
import os
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from celery import platforms
from celery.bootsteps import StartStopStep
from celery.worker import state
from celery.worker.autoscale import Autoscaler
from celery.worker.consumer import Consumer

from ireval_site import celery_app
from ireval_site.beat import Scheduler
from ireval_site.startup import loading

LOOK_SECONDS = 0.5
WAIT_SECONDS = 0.5  # so long a task waits for others before it gets a process
MOST_LOOKS = 4  # at all of these there were too many tasks, if others each time
UP_SECONDS = 60  # a new process that is not up by then is killed: not for being slow on a busy machine
QUIET_LOOKS = 2  # so often in a row, half a minute apart, there is nothing to do
KEPT_BYTES = 40 * 2**20
END_SECONDS = 1
SET_SIGNAL_AT_PARENTS_END = 1  # PR_SET_PDEATHSIG of prctl(2)


class Beat(StartStopStep):
    """Sends what is due while there is a connection to the broker."""

    requires = ("celery.worker.consumer.tasks:Tasks",)
    timer = None

    def start(self, parent: Consumer) -> None:
        self.scheduler = Scheduler(celery_app)
        self.scheduler.apply_entry(self.scheduler.schedule["sweep-outbox"])  # what was written without a broker
        self.timer = parent.timer.call_repeatedly(LOOK_SECONDS, self.look)

    def look(self) -> None:
        """Send all that is due. At one entry a look, those that are due after a start would hold up the outbox for seconds."""
        while self.scheduler.tick() == 0:
            pass

    def stop(self, parent: Consumer) -> None:
        if self.timer:  # else the connection was lost before this began
            self.timer.cancel()
            self.scheduler.close()


class Scaler(Autoscaler):
    """As many processes as there are tasks, and one while there are none: a new one, where work has left much in the old.

    A report leaves 130 MB of libraries and frames in each process that computed a part of it. Another process is for what takes
    long, or comes for long: sweeps that fall due at one moment follow each other.
    """

    quiet = restarts = 0
    looks_at = 0.0  # a moment, so that a look that a lost connection takes along holds up none after it

    def _maybe_scale(self, req: object = None) -> bool:
        """Asked for each task that arrives, and every `keepalive` seconds: whether there are other processes now."""
        if self.missing() > 0:
            self.look_later()
            return False
        if req is not None or not self.is_quiet() or not self.keeps_much():
            return False
        before = list(self.pool._pool._pool)
        self._grow(self.min_concurrency)
        self._shrink(len(before))
        end(process for process in before if process._controlled_termination)
        self.quiet = 0
        return True

    def missing(self) -> int:
        return min(self.qty, self.max_concurrency) - self.processes

    def look_later(self, looks: int = 1) -> None:
        """See to it that there is a look soon, and one only."""
        now = time.monotonic()
        if now >= self.looks_at:
            self.looks_at = now + WAIT_SECONDS
            self.worker.timer.call_after(WAIT_SECONDS, self.look, (frozenset(state.reserved_requests), looks))

    def look(self, before: frozenset[object], looks: int) -> None:
        with self.mutex:
            if (missing := self.missing()) <= 0:
                return
            if looks >= MOST_LOOKS or len(before & set(state.reserved_requests)) > self.processes:
                self.scale_up(missing)
                self.pool.maintain_pool()
            else:
                self.look_later(looks + 1)

    def is_quiet(self) -> bool:
        """Whether there was nothing to do at two looks. The pool forgets what runs when the connection to the broker breaks."""
        if self.restarts != self.worker.consumer.restart_count:
            self.restarts = self.worker.consumer.restart_count
            self.quiet = -math.ceil(celery_app.conf.task_time_limit / self.keepalive)
        else:
            self.quiet = min(self.quiet, 0) if self.qty else self.quiet + 1
        return self.quiet >= QUIET_LOOKS

    def keeps_much(self) -> bool:
        if self.processes > self.min_concurrency:
            return True
        usual = resident_bytes(os.getpid()) + KEPT_BYTES
        return any(resident_bytes(pid) > usual for pid in self.pool.info["processes"])


def end(processes: Iterable[Any]) -> None:
    """End what is ending anyhow, at once: a task could be given to it meanwhile, and would be taken for lost."""
    ending, until = list(processes), time.monotonic() + END_SECONDS
    for process in ending:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    while any(process.is_alive() for process in ending) and time.monotonic() < until:
        time.sleep(0.002)


def resident_bytes(process: int) -> int:
    """What a process has in memory, shared or not; 0 where the system does not tell it like this, as on macOS."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def end_with_parent(number: int) -> None:
    """Let the kernel send this process a signal when its parent ends; OSError where there is no such thing.

    Billiard's own reads the declaration with a parser of C, which takes 5 MB and a tenth of a second of each process.
    """
    if sys.platform != "linux":
        raise OSError
    ctypes.CDLL(None).prctl(SET_SIGNAL_AT_PARENTS_END, number, 0, 0, 0)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m ireval_site.laptop.background", description=__doc__)
    parser.add_argument("--concurrency", type=int, required=True, help="tasks that run at once, at most")
    options = parser.parse_args(arguments)
    celery_app.steps["consumer"].add(Beat)
    platforms._set_pdeathsig = end_with_parent
    celery_app.conf.worker_proc_alive_timeout = UP_SECONDS
    # Else it would take one task at a time once it has lost its broker: as many as there are processes then.
    celery_app.conf.worker_enable_prefetch_count_reduction = False
    alone = {"without_gossip": True, "without_mingle": True}  # there are no others to talk to
    scaled = {"autoscale": (options.concurrency, 1), "autoscaler_cls": Scaler}
    with loading():  # where this is no copy, all of the application
        worker = celery_app.Worker(loglevel="WARNING", quiet=True, **alone, **scaled)
    worker.start()
    return worker.exitcode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
