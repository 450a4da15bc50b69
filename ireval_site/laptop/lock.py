"""A lock of the data folder, so that one launcher serves it."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ireval_site.laptop.reaper_process import lives
from ireval_site.port import CannotServe

HAND_OVER_SECONDS = 12  # what a killed launcher's children may take to end
LOOK_SECONDS = 0.1


@contextlib.contextmanager
def only_launcher(data: Path, url: str) -> Iterator[IO[str]]:
    """Hold the data folder's lock; the reaper holds it too, so that a successor waits for a killed launcher's children."""
    data.mkdir(mode=0o700, parents=True, exist_ok=True)  # password hashes and judgements are nobody else's
    with open(data / "launcher.lock", "a+") as lock:
        take(lock, data)
        lock.seek(0)
        lock.truncate()
        lock.write(f"{os.getpid()} {url}")
        lock.flush()
        yield lock


def take(lock: IO[str], data: Path) -> None:
    patience = time.monotonic() + HAND_OVER_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            process, _, url = lock.read().partition(" ")
            if (process and lives(int(process))) or time.monotonic() > patience:
                raise CannotServe(
                    f"ireval already runs from {data} (process {process}, {url}). "
                    "Stop it, or give this one a folder of its own: IREVAL_DATA=…"
                ) from None
            time.sleep(LOOK_SECONDS)
        else:
            return
