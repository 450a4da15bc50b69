"""A reaper ends child processes when the process that started them is gone, by Ctrl-C, SIGTERM or SIGKILL.

A `Reaper` is a small process of its own, in its own session, that reads a pipe. The owner holds the only writing end, so the pipe
ends when the owner does. Then the reaper stops every child and removes every folder that it was told of. Nothing here is special
to Linux. The file runs by its path, without the package, to start at once and stay small.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:  # this file runs without the package
    from ireval_site.laptop.copies import Copy

Child = TypeVar("Child", bound="subprocess.Popen[bytes] | Copy")

GRACE_SECONDS = 8.0
POLL_SECONDS = 0.02


class Reaper:
    """Starts processes that cannot outlive this one."""

    def __init__(self, *, keep_open: IO[str] | None = None) -> None:
        """`keep_open`: a locked file that the reaper shall hold, so that the lock lasts until everything has ended."""
        self._keep_open = keep_open
        self._children: dict[subprocess.Popen[bytes] | Copy, int] = {}  # each with the signal that stops it
        self._folders: list[Path] = []
        self._begin()

    def _begin(self) -> None:
        descriptors = [self._keep_open.fileno()] if self._keep_open else []
        command = [sys.executable, "-I", "-S", str(Path(__file__).resolve())]
        reading, writing = os.pipe()
        try:
            self.process = subprocess.Popen(command, stdin=reading, start_new_session=True, pass_fds=descriptors)  # noqa: S603
        except OSError:
            os.close(writing)
            raise
        finally:
            os.close(reading)
        self._pipe = writing

    def replace_if_dead(self) -> bool:
        """Start another reaper if it was killed, and tell it what runs; True if that was necessary."""
        if self.process.poll() is None:
            return False
        ended = self._pipe
        self._begin()
        os.close(ended)
        for child, stop in self._children.items():
            self._say(f"+{child.pid} {stop}")
        for folder in self._folders:
            self._say(f"={folder}")
        return True

    def start(self, command: Sequence[str], *, stop: signal.Signals = signal.SIGTERM, **popen: Any) -> subprocess.Popen[bytes]:
        """Start a command in a process group of its own; `stop` is the signal that ends it in good order."""

        # preexec_fn is safe here: it only writes to a pipe, and those who use this class run no threads while they start.
        def begin(enlist: Callable[[], None]) -> subprocess.Popen[bytes]:
            return subprocess.Popen(command, start_new_session=True, preexec_fn=enlist, **popen)  # noqa: S603, PLW1509

        return self.add(begin, stop=stop)

    def add(self, begin: Callable[[Callable[[], None]], Child], *, stop: signal.Signals = signal.SIGTERM) -> Child:
        """Begin a child, which calls what `begin` is given as soon as it leads a process group of its own.

        So the child writes itself into the reaper's list before it does anything else. Until then its copy of the pipe keeps the
        reaper waiting, so there is no moment in which a SIGKILL here would leave it behind.
        """
        self.replace_if_dead()

        def enlist() -> None:
            with contextlib.suppress(BrokenPipeError):  # killed a moment ago: the next one is told of all children
                os.write(self._pipe, b"+%d %d\n" % (os.getpid(), stop))
            os.close(self._pipe)
            if self._keep_open:
                self._keep_open.close()

        child = begin(enlist)
        self._children[child] = stop
        return child

    def forget(self, process: "subprocess.Popen[bytes] | Copy") -> None:
        """Take a process off the list once it has ended and was waited for: its number may soon be another process's."""
        del self._children[process]
        self._say(f"-{process.pid}")

    def remove_at_the_end(self, folder: Path) -> None:
        self._folders.append(folder)
        self._say(f"={folder}")

    def close(self) -> None:
        """Stop everything now, and return when it is gone."""
        self.replace_if_dead()
        os.close(self._pipe)
        while self.process.poll() is None:
            for child in self._children:  # whoever is not waited for still counts as alive
                child.poll()
            time.sleep(POLL_SECONDS)

    def _say(self, line: str) -> None:
        with contextlib.suppress(BrokenPipeError):  # killed a moment ago: the next one is told everything
            os.write(self._pipe, f"{line}\n".encode())


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
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state != "Z"


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
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    watch(sys.stdin)
