"""Crashes of servers under load: is anything acknowledged lost?

    python -m benchmarks.crashes [--seconds 60]

Four senders post batches of events to two web processes on PostgreSQL (fsync on), each batch until it is acknowledged. Redis is
killed and stays away for --seconds, while a report is asked for. Then PostgreSQL is killed as by a power cut, and started again.
At the end every acknowledged event must be there once, and the report computed.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.faults.load import BATCH, Client, Sender, Stream
from benchmarks.judging import ROOT, server, world
from ireval_site.laptop import broker
from ireval_site.laptop.reaper import Reaper
from tests.servers import Cluster, free_port, reaper_and_folder

SENDERS = 4


class Broker:
    """A Valkey on a port that can be killed and started again."""

    def __init__(self, reaper: Reaper, folder: Path):
        self.reaper, self.folder, self.port = reaper, folder, free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        listening = ["--port", str(self.port), "--bind", "127.0.0.1"]
        self.process = self.reaper.start([*broker.command(self.folder), *listening], stdout=subprocess.DEVNULL)
        broker.wait_until_ready(self.folder)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.reaper.forget(self.process)


@contextlib.contextmanager
def celery(environment: dict[str, str]) -> Iterator[None]:
    command = [*(sys.executable, "-m", "celery", "--app", "ireval_site", "worker", "--beat"), *("--concurrency", "1")]
    process = subprocess.Popen([*command, "--loglevel", "critical"], env=environment, cwd=ROOT)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def survive(seconds: float) -> dict[str, object]:
    """Kill the servers under load; what was found. Raises if anything acknowledged is missing, or there twice."""
    with reaper_and_folder() as (reaper, folder), reaper_and_folder() as (other, place):
        cluster, redis = Cluster(reaper, folder, durable=True), Broker(other, place)
        cluster.start()
        redis.start()
        environment = {
            **os.environ, "IREVAL_DATA": str(place), "SECRET_KEY": "benchmark" * 8, "IREVAL_LOG_LEVEL": "CRITICAL",
            "DJANGO_SETTINGS_MODULE": "ireval_site.settings", "DATABASE_URL": cluster.url, "REDIS_URL": redis.url,
        }  # fmt: skip
        site, key = world(environment, "prepare_site").values()
        over, failures = threading.Event(), Counter[Any]()
        with server("ireval_site.wsgi:application", environment, free_port()) as port, celery(environment):
            authorised = {"Authorization": f"Bearer {key}"}
            senders = [Sender(number, Client(port, authorised, failures)) for number in range(SENDERS)]
            streams = [Stream("events", sender.send, pause=0) for sender in senders]
            threads = [threading.Thread(target=stream.run, args=[over]) for stream in streams]
            for thread in threads:
                thread.start()
            time.sleep(seconds / 6)
            redis.kill()
            experiment = world(environment, "ask_report", site)["experiment"]
            time.sleep(seconds)
            redis.start()
            time.sleep(seconds / 6)
            cluster.kill()
            time.sleep(min(3, seconds / 6))
            cluster.start()
            time.sleep(seconds / 3)
            over.set()
            for thread in threads:
                thread.join()
            state = finished(environment, experiment)
        acknowledged = [sender.batches * BATCH for sender in senders]
        counted = world(environment, "acknowledged", site, *acknowledged)
    assert not (errors := [stream.error for stream in streams if stream.error]), errors
    assert failures, "nothing failed: the servers were not killed under load"
    assert counted["missing"] == 0, counted
    assert counted["events"] == counted["identities"] >= sum(acknowledged), counted
    assert state == "done", state
    return {"acknowledged": sum(acknowledged), **counted, "failures": dict(failures), "report": state}


def finished(environment: dict[str, str], experiment: int) -> str:
    state = ""
    for _ in range(60):
        state = world(environment, "report_state", experiment)["state"]
        if state == "done":
            break
        time.sleep(1)
    return state


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="how long Redis is away")
    print(json.dumps(survive(parser.parse_args().seconds), indent=2))


if __name__ == "__main__":
    main()
