"""An installation whose processes may be killed, and how long it took until it went on."""

import contextlib
import os
import re
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.judging import ROOT
from tests.servers import free_port
from tests.site.processes import descendants, table

# Names in `ps`, of commands and of the laptop's copies; and whether its children are victims, too.
VICTIMS = {
    "web": (r"ireval-web|ireval_site\.web", True),
    "celery": (r"ireval-celery|laptop\.background|ireval_site worker", True),
    "beat": (r"ireval_site beat", False),
    "broker": (r"valkey-server", False),
    "postgresql": (r"postgres -D", True),
}
OF_WAY = {"laptop": {"web", "celery", "broker"}, "team": set(VICTIMS)}


@dataclass
class Kills:
    """How often each process was killed, and how long it took until each stream went on."""

    seconds: dict[str, list[dict[str, float]]] = field(default_factory=lambda: defaultdict(list))

    def rows(self) -> Iterator[str]:
        yield "| killed | times | working again: median | longest | the slowest part |"
        yield "|---|---|---|---|---|"
        for name, kills in sorted(self.seconds.items()):
            worst = max(kills, key=lambda parts: max(parts.values()))
            again = [max(parts.values()) for parts in kills]
            slowest = max(worst, key=lambda part: worst[part])
            yield f"| {name} | {len(kills)} | {statistics.median(again):.1f} s | {max(again):.1f} s | {slowest} |"

    @property
    def kinds(self) -> set[str]:
        return {name.partition(":")[0] for name in self.seconds}

    @property
    def longest(self) -> float:
        return max(max(parts.values()) for kills in self.seconds.values() for parts in kills)


@contextlib.contextmanager
def launched(way: str, folder: Path) -> Iterator[tuple[int, int, dict[str, str]]]:
    """The launcher's process, the port, and the environment of the installation."""
    port = free_port()
    named = ("DATABASE_URL", "REDIS_URL", "IREVAL_URL")
    environment = {key: value for key, value in os.environ.items() if key not in named}
    environment |= {
        "IREVAL_DATA": str(folder),
        "SECRET_KEY": "benchmark" * 8,
        "DJANGO_SETTINGS_MODULE": "benchmarks.faults.settings",
    }
    own = ["benchmarks.team", "--folder", str(folder)] if way == "team" else ["benchmarks.faults.laptop"]
    command = [sys.executable, "-m", *own, "--port", str(port)]
    with open(folder / "launcher.log", "w+b") as log:
        process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=log, stderr=log)
        try:
            ready = wait_for_ready(process, folder / "launcher.log")
            if found := re.search(r"(postgres://\S+) (redis://\S+)", ready):
                environment |= {"DATABASE_URL": found[1], "REDIS_URL": found[2]}
            yield process.pid, port, {**environment, "IREVAL_LOG_LEVEL": "ERROR"}
        finally:
            process.terminate()
            process.wait()


def wait_for_ready(process: subprocess.Popen[bytes], log: Path) -> str:
    while "Ready" not in (said := log.read_text()):
        if process.poll() is not None:
            raise SystemExit(f"It did not start:\n{said}")
        time.sleep(0.1)
    return said


def victims(launcher: int) -> dict[str, list[int]]:
    """The processes that may be killed, by name: those that the launcher began, and of some the children."""
    rows, family = table(), descendants(launcher)
    found: dict[str, list[int]] = {}
    for name, (pattern, with_children) in VICTIMS.items():
        for process, parent, state, command in rows:
            if parent == launcher and not state.startswith("Z") and re.search(pattern, command):
                found[name] = [process]
                if with_children:
                    found[f"{name}: a child"] = [child for child, of, *_ in rows if of == process and child in family]
    return {name: processes for name, processes in found.items() if processes}
