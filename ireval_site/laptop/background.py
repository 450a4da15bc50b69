"""Celery and its beat in one process: `python -m ireval_site.laptop.background --concurrency 2`.

The same as `celery worker` and `celery beat`. It goes without their command line, which takes 7 MB and a tenth of a second. And
without a process for the beat, which takes 30 MB.
"""

import argparse
import os
import sys
import time
from pathlib import Path

from celery.bootsteps import StartStopStep
from celery.worker.autoscale import Autoscaler
from celery.worker.consumer import Consumer

from ireval_site import celery_app
from ireval_site.beat import Scheduler

LOOK_SECONDS = 0.5
UP_SECONDS = 60  # a new process that is not up by then is killed: not for being slow on a busy machine
QUIET_LOOKS = 2  # so often in a row, half a minute apart, there is nothing to do
KEPT_BYTES = 40 * 2**20
END_SECONDS = 1


class Beat(StartStopStep):
    """Sends what is due while there is a connection to the broker."""

    requires = ("celery.worker.consumer.tasks:Tasks",)
    timer = None

    def start(self, parent: Consumer) -> None:
        self.scheduler = Scheduler(celery_app)
        self.scheduler.apply_entry(self.scheduler.schedule["sweep-outbox"])  # what was written without a broker
        self.timer = parent.timer.call_repeatedly(LOOK_SECONDS, self.scheduler.tick)

    def stop(self, parent: Consumer) -> None:
        if self.timer:  # else the connection was lost before this began
            self.timer.cancel()
            self.scheduler.close()


class Scaler(Autoscaler):
    """As many processes as there are tasks, and one while there are none: a new one, where work has left much in the old.

    A report leaves 130 MB of libraries and frames in each process that computed a part of it.
    """

    quiet = 0

    def _maybe_scale(self, req: object = None) -> bool:
        """Asked for each task that arrives, and every `keepalive` seconds: whether there are other processes now."""
        missing = min(self.qty, self.max_concurrency) - self.processes
        if missing > 0:
            self.scale_up(missing)
            return True
        if req is not None:
            return False
        self.quiet = 0 if self.qty else self.quiet + 1
        if self.quiet < QUIET_LOOKS or not self.keeps_much():
            return False
        leaving, until = list(self.pool._pool._pool), time.monotonic() + END_SECONDS
        self._grow(self.min_concurrency)
        self._shrink(len(leaving))
        # Else the next task could be given to one that ends, and be taken for lost.
        while any(process.is_alive() for process in leaving) and time.monotonic() < until:
            time.sleep(0.002)
        return True

    def keeps_much(self) -> bool:
        if self.processes > self.min_concurrency:
            return True
        usual = resident_bytes(os.getpid()) + KEPT_BYTES
        return any(resident_bytes(pid) > usual for pid in self.pool.info["processes"])


def resident_bytes(process: int) -> int:
    """What a process has in memory, shared or not; 0 where the system does not tell it like this, as on macOS."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m ireval_site.laptop.background", description=__doc__)
    parser.add_argument("--concurrency", type=int, required=True, help="tasks that run at once, at most")
    options = parser.parse_args(arguments)
    celery_app.steps["consumer"].add(Beat)
    celery_app.conf.worker_proc_alive_timeout = UP_SECONDS
    alone = {"without_gossip": True, "without_mingle": True}  # there are no others to talk to
    scaled = {"autoscale": (options.concurrency, 1), "autoscaler_cls": Scaler}
    worker = celery_app.Worker(loglevel="WARNING", quiet=True, **alone, **scaled)
    worker.start()
    return worker.exitcode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
