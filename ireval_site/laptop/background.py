"""Celery and its beat in one process: `python -m ireval_site.laptop.background --concurrency 2`.

The same as `celery worker` and `celery beat`. It goes without their command line, which takes 7 MB and a tenth of a second. And
without a process for the beat, which takes 30 MB.
"""

import argparse
import sys

from celery.bootsteps import StartStopStep
from celery.worker.consumer import Consumer

from ireval_site import celery_app
from ireval_site.beat import Scheduler

LOOK_SECONDS = 0.5
UP_SECONDS = 60  # a new process that is not up by then is killed: not for being slow on a busy machine


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


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m ireval_site.laptop.background", description=__doc__)
    parser.add_argument("--concurrency", type=int, required=True, help="tasks that run at once")
    options = parser.parse_args(arguments)
    celery_app.steps["consumer"].add(Beat)
    celery_app.conf.worker_proc_alive_timeout = UP_SECONDS
    alone = {"without_gossip": True, "without_mingle": True}  # there are no others to talk to
    worker = celery_app.Worker(concurrency=options.concurrency, loglevel="WARNING", quiet=True, **alone)
    worker.start()
    return worker.exitcode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
