"""A supervisor keeps the processes of one laptop running: it starts them, shows their warnings and restarts those that died.

It polls and runs no threads, so that forking is safe and nothing can hang while everything stops.
"""

import contextlib
import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ireval_site.laptop import copies
from ireval_site.laptop.reaper import Reaper
from ireval_site.laptop.reaper_process import kill_group

# Before a restart; each is twice as long as the one before. Whatever was killed is to work again within 15 seconds.
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 8
QUIET_SECONDS = 10  # a process that ran for so long starts with the first pause again, as Docker has it
WORTH_SHOWING = re.compile(r"\b(WARNING|ERROR|CRITICAL)\b")
LINES_AT_ONCE = 5
LAST_LINES = 15
LOG_BYTES = 10 * 2**20
STOP_SECONDS = 8


class ServiceDied(RuntimeError):
    """A process ended while starting; the message has the last lines of its log."""


@dataclass
class Service:
    """One process of the application and its log."""

    name: str
    command: list[str]
    log: Path
    watched: bool
    process: subprocess.Popen[bytes] | copies.Copy | None = None
    started: float = 0
    pause: float = 0  # before the last restart
    restart_at: float = 0
    read_to: int = 0

    def new_warnings(self) -> list[str]:
        """The lines of the log at level WARNING and above since the last call."""
        with open(self.log, "rb") as log:
            log.seek(self.read_to)
            lines = log.readlines()
        complete = [line for line in lines if line.endswith(b"\n")]
        self.read_to += sum(map(len, complete))
        return [text for line in complete if WORTH_SHOWING.search(text := line.decode(errors="replace").rstrip())]

    def shorten_log(self) -> None:
        """Begin a long log anew; its process writes on into the same file. A line that comes between is lost."""
        if self.log.stat().st_size > LOG_BYTES:
            with contextlib.suppress(OSError):  # the disk may be full, perhaps of this
                shutil.copyfile(self.log, self.log.with_suffix(".log.1"))
            os.truncate(self.log, 0)
            self.read_to = 0

    def next_pause(self, *, ran_seconds: float) -> float:
        """The seconds to wait before the next start of a process that ran for `ran_seconds`."""
        fresh = not self.pause or ran_seconds >= QUIET_SECONDS
        self.pause = FIRST_PAUSE_SECONDS if fresh else min(LONGEST_PAUSE_SECONDS, 2 * self.pause)
        return self.pause

    def last_lines(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join(f"    {line}" for line in lines[-LAST_LINES:])


class Supervisor:
    def __init__(self, reaper: Reaper, logs: Path) -> None:
        logs.mkdir(exist_ok=True)
        self.reaper, self.logs = reaper, logs
        self.services: list[Service] = []

    def start(self, name: str, command: list[str], *, watched: bool = True) -> None:
        """Start a process; its output goes to a log of its own, the former run's log becomes `.log.1`."""
        log = self.logs / f"{name}.log"
        with contextlib.suppress(FileNotFoundError):
            log.replace(log.with_suffix(".log.1"))
        service = Service(name, command, log, watched)
        self.services.append(service)
        self._launch(service)

    def look(self, *, started: bool) -> None:
        """Show new warnings and restart processes that died; ServiceDied for one that died before all had `started`."""
        with contextlib.suppress(OSError):  # there is no room for another process: there will be at a later look
            if self.reaper.replace_if_dead():
                say("The process that takes everything down with this one was killed; another one took its place.")
        for service in self.services:
            with contextlib.suppress(OSError):  # somebody has taken its log away
                if service.watched:
                    show(service)
                service.shorten_log()
            if service.process is None:
                if time.monotonic() >= service.restart_at:
                    self._launch_again(service)
            elif service.process.poll() is not None:
                self._bury(service, started)

    def begin(self, name: str, command: list[str], output: IO[bytes] | None = None) -> subprocess.Popen[bytes] | copies.Copy:
        """Begin a process, which is a copy of this one where it runs code that is loaded here."""
        if copies.POSSIBLE and command[:2] == copies.PYTHON:
            return self.reaper.add(lambda enlist: copies.Copy(enlist, command[2:], name=name, output=output))
        return self.reaper.start(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def stop(self) -> None:
        """Stop the processes in reverse order, so that none misses the broker, then whatever they left behind."""
        for service in reversed(self.services):
            if service.process:
                service.process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    service.process.wait(STOP_SECONDS)
        self.reaper.close()

    def _launch(self, service: Service) -> None:
        with open(service.log, "ab") as log:
            service.process = self.begin(service.name, service.command, log)
        service.started = time.monotonic()

    def _launch_again(self, service: Service) -> None:
        try:
            self._launch(service)
        except OSError as problem:  # no memory, no further process
            pause = service.next_pause(ran_seconds=0)
            service.restart_at = time.monotonic() + pause
            say(f"{service.name} cannot be started: {problem}; trying again in {pause:g} s.", service.name)

    def _bury(self, service: Service, started: bool) -> None:
        assert service.process and service.process.pid
        code = service.process.returncode
        kill_group(service.process.pid)  # its own children would keep the port, and outlive us
        self.reaper.forget(service.process)
        service.process = None
        if not started:
            reason = f"{service.name} ended while starting (exit code {code}). The last lines of {service.log}:"
            raise ServiceDied(f"{reason}\n{service.last_lines()}")
        pause = service.next_pause(ran_seconds=time.monotonic() - service.started)
        service.restart_at = time.monotonic() + pause
        say(f"{service.name} ended (exit code {code}); starting it again in {pause:g} s. Its log: {service.log}", service.name)


def show(service: Service) -> None:
    warnings = service.new_warnings()
    for line in warnings[:LINES_AT_ONCE]:
        say(line, service.name)
    if len(warnings) > LINES_AT_ONCE:
        say(f"… and {len(warnings) - LINES_AT_ONCE} more in {service.log}", service.name)


def say(text: str, name: str = "ireval") -> None:
    with contextlib.suppress(OSError):  # the terminal may be gone; what runs goes on
        print(f"{name:>7} | {text}", flush=True)
