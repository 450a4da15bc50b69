"""What runs on this machine, by `ps`: the same on Linux and macOS."""

import re
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path


def table() -> list[tuple[int, int, str, str]]:
    """(process, parent, state, name and command) of everything that runs."""
    rows = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,state=,comm=,args="], capture_output=True, text=True, check=True
    ).stdout
    split = (row.split(None, 3) for row in rows.splitlines())
    return [(int(fields[0]), int(fields[1]), fields[2], fields[3]) for fields in split if len(fields) == 4]


def running(mark: str) -> list[int]:
    """Processes with `mark` in their command, zombies left out."""
    return [process for process, _, state, command in table() if mark in command and not state.startswith("Z")]


def descendants(ancestor: int) -> set[int]:
    rows = table()
    family = {ancestor}
    while grown := {process for process, parent, *_ in rows if parent in family} - family:
        family |= grown
    return family - {ancestor}


def survivors(processes: set[int]) -> set[int]:
    return {process for process, _, state, _ in table() if process in processes and not state.startswith("Z")}


def wait_until(happened, *, seconds: float = 20):
    """The first true answer of `happened`, or the last one after so many seconds."""
    patience = time.monotonic() + seconds
    while not (answer := happened()) and time.monotonic() < patience:
        time.sleep(0.05)
    return answer


def memory(pids: Iterable[int]) -> float:
    """The megabytes that processes take together on Linux: what several share is counted once."""
    shares = (re.findall(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE) for pid in pids)
    return sum(int(kilobytes) for (kilobytes,) in shares) / 1024
