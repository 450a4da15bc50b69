"""Processes that begin as copies of the launcher, once it has loaded the application.

Loading takes more than a second and 120 MB. As commands, seven processes would load it four times; copies load it once, and share
what none of them changes. Only on Linux: system libraries of macOS do not work in a copy.
"""

import contextlib
import ctypes
import gc
import importlib
import mmap
import multiprocessing
import os
import re
import runpy
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import IO, Any

import django
from django.apps import apps
from django.conf import settings
from django.urls import reverse

from ireval_site import celery_app
from ireval_site.startup import loading

PYTHON = [sys.executable, "-m"]
POSSIBLE = sys.platform == "linux"
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
POLL_SECONDS = 0.02
SIDE_BY_SIDE = 12_000  # bytes: three pages
MOST_PIECES = 20_000  # of a size

# What the web server and Celery import when they start.
SERVICES = (
    *("ireval_site.wsgi", "granian.cli", "granian.wsgi", "django.db.models.sql.compiler"),
    *("celery.apps.worker", "celery.beat", "celery.app.amqp", "celery.app.log", "celery.concurrency.prefork"),
    *("ireval_site.consumer", "celery.worker.autoscale", "celery.worker.components", "celery.worker.strategy"),
    *("celery.events.dispatcher", "celery.events.receiver", "ireval_site.beat", "kombu.transport.redis"),
    *("billiard.heap", "billiard.popen_fork", "billiard.sharedctypes", "billiard.synchronize"),
)


def load_models() -> None:
    """Load models, and pack static files: the pages, once loaded, know only those that were there."""
    from ireval_site.static import pack  # noqa: PLC0415  reads settings, which may be wrong

    if "DATABASE_URL" not in os.environ:  # DRF would load PostgreSQL's driver for fields that no model has: 8 MB
        sys.modules["django.contrib.postgres"] = None  # type: ignore[assignment]
    with sharing():
        django.setup()
        if settings.PACKED:
            pack(settings.PACKED)


def load_services() -> None:
    """Load pages and tasks. No connection may be opened: copies would share it."""
    with sharing(), warnings.catch_warnings(action="ignore"):  # as that nobody ran collectstatic; a log is not the terminal
        for module in SERVICES:
            importlib.import_module(module)
        celery_app.loader.init_worker()
        celery_app.finalize()
        reverse("home")  # what Django finds out about addresses and models, it finds out once
        for model in apps.get_models():
            model._meta.get_fields()
            model._meta.fields_map  # noqa: B018  kept by whoever asks for it
    fill_holes()


@contextlib.contextmanager
def sharing() -> Iterator[None]:
    """Keep what is made meanwhile from the garbage collector, which would write to all of it in every copy; free the rest."""
    with loading():
        yield
        gc.collect()
    if glibc := glibc_or_none():  # it alone keeps what was freed: 7 MB
        glibc.malloc_trim(0)


def fill_holes() -> None:
    """Take the small pieces of memory that are free between others, and keep them: 1.4 MB.

    Copies would be given these first, and a page that a copy writes to is no longer shared: 5 MB a process. A size is done when
    the pieces begin to lie side by side.
    """
    if not (glibc := glibc_or_none()):
        return
    glibc.malloc.restype, glibc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    for size in range(32, 1041, 16):
        last = together = 0
        for _ in range(MOST_PIECES):  # another allocator, put in glibc's place, may lay none side by side
            piece = glibc.malloc(size - 8)  # its header takes eight bytes
            together = together + size if piece - last == size else 0
            last = piece
            if together > SIDE_BY_SIDE:
                break


def give_back_files() -> None:
    """Take what is mapped of files out of this process's memory: 30 MB of libraries that it loaded and hardly runs.

    What it needs again is read from the file again. Where it wrote to a mapping, that would be lost: such a one stays.
    """
    system = ctypes.CDLL(None)
    with contextlib.suppress(OSError):  # a system without it keeps them
        for first, past_last in mapped_files(Path("/proc/self/smaps").read_bytes()):
            system.madvise(ctypes.c_void_p(first), ctypes.c_size_t(past_last - first), mmap.MADV_DONTNEED)


READ_ONLY_FILE = re.compile(rb"([0-9a-f]+)-([0-9a-f]+) r-.p \S+ \S+ [1-9]")
# What was written is in memory or on the swap. An emulator of another processor says of nothing that it is in memory.
UNTOUCHED = (rb"^Anonymous: +0 kB$", rb"^Swap: +0 kB$", rb"^Rss: +[1-9]\d* kB$")


def mapped_files(smaps: bytes) -> Iterator[tuple[int, int]]:
    """From where to where each file is mapped that can be read only, of which something is in memory and nothing was written."""
    for mapping in re.split(rb"\n(?=[0-9a-f]+-[0-9a-f]+ )", smaps):
        head = READ_ONLY_FILE.match(mapping)
        if head and all(re.search(sign, mapping, re.MULTILINE) for sign in UNTOUCHED):
            yield int(head[1], 16), int(head[2], 16)


def glibc_or_none() -> Any:
    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") else None


class Copy(ForkProcess):
    """A copy of this process that becomes `python -m …`; for the rest, what the launcher needs of a Popen."""

    def __init__(self, first: Callable[[], None], arguments: list[str], *, name: str, output: IO[bytes] | None) -> None:
        super().__init__(name=name)
        self._first, self._arguments, self._output = first, arguments, output
        # A signal that comes before the copy has handlers of its own waits until then: ours would lose it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        try:
            self.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def run(self) -> None:
        os.setsid()
        self._first()
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        if self._output:
            for standard in (1, 2):
                os.dup2(self._output.fileno(), standard)
        Path("/proc/self/comm").write_text(f"ireval-{self.name}")  # what `top` shows; the command is the launcher's
        multiprocessing.set_start_method("fork", force=True)  # for its own children, whatever this Python prefers
        sys.argv = self._arguments
        runpy.run_module(self._arguments[0], run_name="__main__", alter_sys=True)

    @property
    def returncode(self) -> int | None:
        return self.exitcode

    def poll(self) -> int | None:
        return self.exitcode

    def wait(self, timeout: float) -> int:
        """Wait for this process alone: `join` would wait for its own children, too."""
        latest = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > latest:
                raise subprocess.TimeoutExpired(self._arguments, timeout)
            time.sleep(POLL_SECONDS)
        return code
