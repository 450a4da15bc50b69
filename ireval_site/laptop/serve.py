"""Everything on one machine with one command: `python -m ireval_site.laptop.serve [--demo]`.

The launcher checks the port, makes the data folder, starts the broker (unless REDIS_URL names one) and brings the database up to
date. Then it starts the web server and Celery, on Linux as copies of itself, and stops all of them when it ends. One launcher
serves one data folder.
"""

import argparse
import http.client
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import IO, NoReturn

from django.core.exceptions import ImproperlyConfigured

from ireval_site import environment
from ireval_site.laptop import broker, copies
from ireval_site.laptop.copies import PYTHON
from ireval_site.laptop.lock import only_launcher
from ireval_site.laptop.reaper import Reaper
from ireval_site.laptop.supervisor import ServiceDied, Supervisor, say
from ireval_site.port import CannotServe, check_port
from ireval_site.shared_counts import share_counts

CODE = Path(__file__).resolve().parents[2]
LOOK_SECONDS = 0.1
START_SECONDS = 60
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  recognised, not chosen
WEB = [*PYTHON, "ireval_site.web"]
BACKGROUND = [*PYTHON, "ireval_site.laptop.background"]


class Stopped(Exception):
    """Somebody asked the launcher to end."""


class Patience:
    """Waits in small steps, and stops waiting when a signal arrives.

    SIGTERM and a closed terminal end the launcher as Ctrl-C does; a signal that nohup ignores stays ignored. The handler sets a
    flag: an exception could surface in the middle of a start and be lost there.
    """

    def __init__(self) -> None:
        self.over = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._end)

    def wait(self, seconds: float) -> None:
        if not self.over:
            time.sleep(seconds)
        if self.over:
            raise Stopped

    def _end(self, *_: object) -> None:
        self.over = True


def main(arguments: list[str]) -> int:
    patience = Patience()
    try:
        options = parse(arguments)
        check_port(options.host, options.port)
        with only_launcher(options.data, options.url) as lock:
            return serve(options, lock, patience)
    except (CannotServe, ImproperlyConfigured) as problem:
        say(str(problem))
    except OSError as problem:  # no such folder, not ours, read-only, full
        say(f"Nothing can be kept in {data_folder()}: {problem}. Make room there, or name another folder: IREVAL_DATA=…")
    return 1


def data_folder() -> Path:
    return Path(os.environ.get("IREVAL_DATA", CODE / "var")).resolve()


def parse(arguments: list[str]) -> argparse.Namespace:
    cores = os.cpu_count() or 1
    parser = argparse.ArgumentParser(prog="python -m ireval_site.laptop.serve", description="Serve ireval on this machine.")
    parser.add_argument("--demo", action="store_true", help="load the demo collection first")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (this machine only)")
    parser.add_argument("--port", type=int, default=environment.number("PORT", 8000), help="port to listen on (8000)")
    parser.add_argument("--web-workers", type=int, default=min(2, cores), help="web server processes")
    parser.add_argument("--web-threads", type=int, default=4, help="threads of each, for visitors with slow connections")
    parser.add_argument("--celery-workers", type=int, default=2, help="tasks that run at once")
    options = parser.parse_args(arguments)
    address = environment.public_address("IREVAL_URL")
    environment.debugging(address)  # one line here, instead of one by each process
    options.data = data_folder()
    options.reachable = "127.0.0.1" if options.host in EVERYWHERE else options.host
    options.url = address or f"http://{options.reachable}:{options.port}/"
    return options


def serve(options: argparse.Namespace, lock: IO[str], patience: Patience) -> int:
    """Serve until asked to stop (exit code 0), or end because something cannot start in the first place (1)."""
    os.chdir(CODE)
    os.environ.update(environment_of_all(options))
    share_counts()
    supervisor = Supervisor(Reaper(keep_open=lock), options.data / "log")
    try:
        run(supervisor, options, patience)
    except Stopped:
        say("Stopping …")
        return 0
    except (CannotServe, broker.NoBroker, ServiceDied) as problem:
        say(str(problem))
        return 1
    finally:
        supervisor.stop()


def run(supervisor: Supervisor, options: argparse.Namespace, patience: Patience) -> NoReturn:
    begun = time.monotonic()
    start_broker(supervisor)
    prepare(supervisor, options, patience)
    supervisor.start("web", web_command(options))
    wait_for_page(supervisor, options, patience)
    # Only now: two cores bring up the page sooner without them.
    supervisor.start("celery", [*BACKGROUND, "--concurrency", str(options.celery_workers)])
    say(f"Ready in {time.monotonic() - begun:.1f} s: {options.url}")
    if options.host in EVERYWHERE and not os.environ.get("IREVAL_URL"):
        say(
            f"Other machines are refused until IREVAL_URL names this one, as in IREVAL_URL=http://{socket.gethostname()}:{options.port}"
        )
    say(f"Data and logs are in {options.data}. Stop with Ctrl-C.")
    if copies.POSSIBLE:
        copies.give_back_files()
    while True:
        supervisor.look(started=True)
        patience.wait(LOOK_SECONDS)


def environment_of_all(options: argparse.Namespace) -> dict[str, str]:
    """What settings and processes are told, besides what this process was."""
    cores = os.cpu_count() or 1
    ours = {
        "DJANGO_SETTINGS_MODULE": "ireval_site.settings",
        "IREVAL_DATA": str(options.data),
        "IREVAL_PACKED": str(options.data / "packed"),
        "SECRET_KEY": environment.secret_key(options.data, production=False),
        # Tasks compute side by side: with a thread for each core, each would wait for the others.
        "POLARS_MAX_THREADS": os.environ.get("POLARS_MAX_THREADS") or str(max(1, cores // options.celery_workers)),
        "CELERY_SKIP_CHECKS": "1",  # of models: they take a third of a second, and whoever changes models has `make check`
    }
    return {**ours, **({"IREVAL_DEMO": "1"} if options.demo else {})}


def start_broker(supervisor: Supervisor) -> None:
    if os.environ.get("REDIS_URL"):
        return
    folder = broker.private_folder()
    supervisor.reaper.remove_at_the_end(folder)
    os.environ["REDIS_URL"] = broker.url(folder)
    supervisor.start("broker", broker.command(folder), watched=False)
    broker.wait_until_ready(folder)


def prepare(supervisor: Supervisor, options: argparse.Namespace, patience: Patience) -> None:
    """Bring database and static files up to date in a process that prints what it does, while the rest is loaded here."""
    if copies.POSSIBLE:
        copies.load_models()
    command = [*PYTHON, "ireval_site.laptop.prepare", "--site", options.url, *(["--demo"] if options.demo else [])]
    process = supervisor.begin("prepare", command)
    if copies.POSSIBLE:
        copies.load_services()
    while process.poll() is None:
        patience.wait(0.02)
    if process.returncode:
        raise CannotServe("The database could not be made ready; the lines above say why. Nothing was started.")
    supervisor.reaper.forget(process)


def web_command(options: argparse.Namespace) -> list[str]:
    address = ("--host", options.host, "--port", str(options.port))
    return [*WEB, *address, "--workers", str(options.web_workers), "--threads", str(options.web_threads)]


def wait_for_page(supervisor: Supervisor, options: argparse.Namespace, patience: Patience) -> None:
    latest = time.monotonic() + START_SECONDS
    while not answers(options.reachable, options.port):
        if time.monotonic() > latest:
            raise CannotServe(f"No page after {START_SECONDS} seconds; see {supervisor.logs}.")
        supervisor.look(started=False)
        patience.wait(0.02)


def answers(host: str, port: int) -> bool:
    """Whether the application answers. Its database was opened, and brought up to date, before."""
    connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", "/healthz", headers={"Host": "localhost"})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
