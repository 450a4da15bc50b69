"""A reaper ends child processes when the process that started them is gone, by Ctrl-C, SIGTERM or SIGKILL.

A `Reaper` is a small process of its own, in its own session, that reads a pipe. The owner holds the only writing end, so the pipe
ends when the owner does. Then the reaper stops every child and removes every folder that it was told of. Nothing here is special
to Linux. What the process itself runs is `reaper_process.py`.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from ireval_site.laptop.reaper_process import POLL_SECONDS

if TYPE_CHECKING:  # loads the application
    from ireval_site.laptop.copies import Copy

Child = TypeVar("Child", bound="subprocess.Popen[bytes] | Copy")

PROCESS = Path(__file__).with_name("reaper_process.py").resolve()


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
        command = [sys.executable, "-I", "-S", str(PROCESS)]
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
