"""The servers that tests bring themselves: real, empty, and gone afterwards, also when the tests were killed."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest

from tests import servers
from tests.conftest import absent
from tests.site.processes import running, wait_until

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def nothing_named(monkeypatch):
    for name in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(("durable", "tuned", "fsync", "most_wal"), [(False, False, "off", "1GB"), (True, True, "on", "8GB")])
def test_postgres_is_empty_unicode_and_as_durable_and_tuned_as_asked(durable, tuned, fsync, most_wal):
    try:
        with servers.postgres(durable=durable, tuned=tuned) as url, psycopg.connect(url) as connection:
            assert connection.execute("show fsync").fetchone() == (fsync,)
            assert connection.execute("show max_wal_size").fetchone() == (most_wal,)
            assert connection.execute("show server_encoding").fetchone() == ("UTF8",)
            assert connection.execute("select count(*) from pg_tables where schemaname = 'public'").fetchone() == (0,)
    except servers.NoServer as problem:
        absent("postgres", str(problem))
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url, connect_timeout=2)


def test_a_server_named_in_the_environment_is_used_instead(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://somewhere/else")
    monkeypatch.setenv("REDIS_URL", "redis://somewhere/0")
    with servers.postgres() as database_url, servers.valkey() as redis_url:
        assert (database_url, redis_url) == ("postgres://somewhere/else", "redis://somewhere/0")


def test_nothing_is_left_when_the_tests_are_killed():
    words = 'echo "$DATABASE_URL $REDIS_URL"; exec sleep 60'
    command = [sys.executable, "-m", "tests.servers", "--postgres", "--valkey", "--", "sh", "-c", words]
    environment = {**os.environ, "TMPDIR": passable_folder()}
    owner = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
    assert owner.stdout
    named = owner.stdout.readline()
    folder = Path(environment["TMPDIR"])
    assert re.match(r"postgres://\S+ redis\+socket:///\S+$", named)
    assert len(running(str(folder))) >= 2
    owner.kill()
    owner.wait()
    owner.stdout.close()
    assert wait_until(lambda: not running(str(folder)) and not list(folder.iterdir()))
    folder.rmdir()


def passable_folder() -> str:
    """A temporary folder that the account of PostgreSQL may pass; pytest's own is closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))
    folder.chmod(0o711)
    return str(folder)
