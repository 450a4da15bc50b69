"""A task that kills the process that runs it, every time."""

import os
import signal

from judging.background.executions import from_outbox


@from_outbox
def die(number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)
