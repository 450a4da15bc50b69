"""A database as `migrate` makes it, made once for all processes of a run: a copy takes a moment, migrating takes seconds.

Where the migrations or an empty place are what a test is about, it does not start from this one.
"""

import contextlib
import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILE = "ireval.sqlite3"  # of a data folder
TEMPLATE = "test_migrated"  # as Django's names of test databases begin: the next run makes it anew


def sqlite(factory: pytest.TempPathFactory) -> Path:
    """A file to copy, which no process has open."""

    def make(folder: Path) -> None:
        migrate({"IREVAL_DATA": str(folder)})
        with contextlib.closing(sqlite3.connect(folder / FILE)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # all of it is in the one file

    return once(factory, "sqlite", make) / FILE


def copied(factory: pytest.TempPathFactory, folder: Path) -> None:
    """Make this folder a data folder with a migrated database."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(sqlite(factory), folder / FILE)


def postgres(factory: pytest.TempPathFactory, url: str) -> str:
    """The name of a database on that server, for CREATE DATABASE … TEMPLATE; nobody is connected to it."""

    import psycopg

    def make(folder: Path) -> None:
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(f"DROP DATABASE IF EXISTS {TEMPLATE}")
            server.execute(f"CREATE DATABASE {TEMPLATE}")
        migrate({"IREVAL_DATA": str(folder), "DATABASE_URL": urlunsplit(urlsplit(url)._replace(path=f"/{TEMPLATE}"))})

    once(factory, "postgres", make)
    return TEMPLATE


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """The folder that the first process of the run makes, while the others wait."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"migrated-{name}"
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            make(folder)
            (folder / "made").touch()
    return folder


def migrate(variables: dict[str, str]) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"} | variables
    command = [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity", "0"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
