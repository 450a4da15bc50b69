"""The process of a `Reaper`, and what it stops processes with.

The file runs by its path, without the package, to start at once. It imports little, to stay small: a process like this is there
for each launcher.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable

GRACE_SECONDS = 8.0
POLL_SECONDS = 0.02


def stop_all(groups: dict[int, int], *, grace: float = GRACE_SECONDS) -> None:
    """Ask the leader of each process group to stop, wait up to `grace` seconds for it, then kill what is left of the groups.

    A leader looks after its own children; those it left behind when it ended have nobody to wait for.
    """
    for leader, stop in groups.items():
        signal_process(leader, stop)
    patience = time.monotonic() + grace
    while any(map(lives, groups)) and time.monotonic() < patience:
        time.sleep(POLL_SECONDS)
    for group in groups:
        kill_group(group)


def signal_process(process: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)


def kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS answers EPERM for a group of zombies
        os.killpg(group, signal.SIGKILL)


def lives(process: int) -> bool:
    """Whether the process runs; one that has ended and was not yet waited for does not, where /proc can tell."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    try:
        with open(f"/proc/{process}/stat") as status:
            return status.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True


def watch(lines: Iterable[str]) -> None:
    """Keep the list of what the owner started until its pipe ends, then take it all down."""
    groups: dict[int, int] = {}
    folders: list[str] = []
    for line in lines:
        sign, rest = line[0], line[1:].rstrip("\n")
        if sign == "+":
            process, stop = map(int, rest.split())
            groups[process] = stop
        elif sign == "-":
            groups.pop(int(rest), None)
        else:
            folders.append(rest)
    stop_all(groups)
    import shutil  # noqa: PLC0415  half a megabyte until then

    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    watch(sys.stdin)
