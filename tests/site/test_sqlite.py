"""SQLite: WAL only where it is safe, and what was acknowledged is there, however many write and whoever is killed."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ireval_site.laptop import sqlite

MODES = {"TRUNCATE": (3, 40, 1), "WAL": (3, 53, 0)}  # by a version that calls for it

# A process that writes as a judge does: read, then write, in one transaction; it says what was committed.
WRITER = """
import random, sys, time
database, times, version = sys.argv[1], int(sys.argv[2]), tuple(map(int, sys.argv[3:]))
from pathlib import Path
from ireval_site.laptop import sqlite
sqlite.use_best_sqlite()
import django.conf
entry = sqlite.database(Path(database))
entry["OPTIONS"]["init_command"] = sqlite.pragmas(version)
django.conf.settings.configure(DATABASES={"default": entry}, INSTALLED_APPS=[])
from django.db import connection, transaction
with connection.cursor() as cursor:
    cursor.execute("pragma journal_mode")
    assert cursor.fetchone()[0].upper() == sqlite.journal_mode(version)
for turn in range(times):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("select n from counter")
        n = cursor.fetchone()[0] + 1
        cursor.execute("update counter set n = %s", [n])
        cursor.execute("insert into act (n) values (%s)", [n])
    print(n, flush=True)
    time.sleep(random.random() / 200)  # SQLite does not queue: writers that never rest can keep one out for ever
"""


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ((3, 40, 1), "TRUNCATE"),  # what many Pythons carry
        ((3, 44, 5), "TRUNCATE"),
        ((3, 44, 6), "WAL"),
        ((3, 45, 0), "TRUNCATE"),  # a newer branch without the repair
        ((3, 50, 6), "TRUNCATE"),
        ((3, 50, 7), "WAL"),
        ((3, 51, 2), "TRUNCATE"),
        ((3, 51, 3), "WAL"),
        ((3, 52, 0), "WAL"),
        ((4, 0, 0), "WAL"),
    ],
)
def test_wal_only_where_the_release_is_repaired(version, expected):
    assert sqlite.journal_mode(version) == expected


def test_every_connection_syncs_fully_and_waits_for_its_turn(tmp_path):
    entry = sqlite.database(tmp_path / "new folder" / "ireval.sqlite3")
    assert entry["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert entry["OPTIONS"]["timeout"] == 20
    assert "mmap_size" not in entry["OPTIONS"]["init_command"]
    connection = sqlite3.connect(entry["NAME"])
    for command in entry["OPTIONS"]["init_command"].split(";"):
        connection.execute(command)
    assert connection.execute("pragma synchronous").fetchone() == (2,)  # FULL
    assert connection.execute("pragma mmap_size").fetchone() == (0,)
    connection.close()


def test_newest_sqlite_is_the_only_one_of_the_process():
    pytest.importorskip("pysqlite3", reason="no wheel of pysqlite3 for this platform")
    code = """
import sqlite3, json
stock = sqlite3.sqlite_version_info
from ireval_site.laptop import sqlite
sqlite.use_best_sqlite()
import pysqlite3, sqlite3
from django.db.backends.sqlite3.base import Database
print(json.dumps([stock, pysqlite3.sqlite_version_info, sqlite3.sqlite_version_info, Database.sqlite_version_info]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    stock, shipped, imported, django_uses = json.loads(done.stdout)
    assert imported == django_uses == max(stock, shipped)


def test_django_works_on_it(tmp_path):
    """Savepoints, JSON lookups, foreign keys and backups: what the application leans on."""
    code = """
import sys
from pathlib import Path
from ireval_site.laptop import sqlite
sqlite.use_best_sqlite()
import django, django.conf
entry = sqlite.database(Path(sys.argv[1]))
apps = ["django.contrib.contenttypes", "django.contrib.auth"]
django.conf.settings.configure(DATABASES={"default": entry}, INSTALLED_APPS=apps)
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, models, transaction
with transaction.atomic():
    User.objects.create(username="researcher")
    try:
        with transaction.atomic():
            User.objects.create(username="researcher")
    except IntegrityError:
        User.objects.create(username="worker")
names = list(User.objects.order_by("username").values_list("username", flat=True))
assert names == ["researcher", "worker"], names
User.objects.bulk_create(User(username=f"u{n}") for n in range(3000))
assert User.objects.filter(username__in=[f"u{n}" for n in range(900)]).count() == 900
assert connection.features.supports_json_field
with connection.cursor() as cursor:
    cursor.execute("select json_extract('{\\"a\\": [1, 2]}', '$.a[1]')")
    assert cursor.fetchone() == (2,)
    cursor.execute("pragma foreign_keys")
    assert cursor.fetchone() == (1,)
import sqlite3
copy = sqlite3.connect(sys.argv[1] + ".copy")
connection.connection.backup(copy)
assert copy.execute("select count(*) from auth_user").fetchone() == (3002,)
assert copy.execute("pragma integrity_check").fetchone() == ("ok",)
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "site.sqlite3")], check=True)


@pytest.mark.parametrize("mode", MODES)
def test_nothing_is_lost_with_six_writers_at_once(tmp_path, mode):
    file = counting_database(tmp_path, mode)
    writers = [start_writer(file, 25, mode) for _ in range(6)]
    outputs = [writer.communicate()[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 6
    acknowledged = sorted(int(n) for output in outputs for n in output.split())
    assert acknowledged == list(range(1, 151)) == stored(file)


@pytest.mark.parametrize("mode", MODES)
def test_what_was_acknowledged_survives_killed_writers(tmp_path, mode):
    file = counting_database(tmp_path, mode)
    writers = [start_writer(file, 100_000, mode) for _ in range(4)]
    acknowledged = {int(writer.stdout.readline()) for writer in writers if writer.stdout}
    for writer in writers:
        time.sleep(0.05)  # the others go on writing while one dies
        writer.send_signal(signal.SIGKILL)
    acknowledged |= {int(n) for writer in writers for n in writer.communicate()[0].split()}
    survivors = stored(file)
    assert acknowledged <= set(survivors)
    assert survivors == list(range(1, len(survivors) + 1))  # no number twice: no two writers were ever let in at once


def counting_database(folder: Path, mode: str) -> Path:
    if mode == "WAL" and not sqlite.wal_is_safe(best_version()):
        pytest.skip("this Python's SQLite has the WAL-reset bug, and pysqlite3 has no wheel for this platform")
    file = folder / "counter.sqlite3"
    connection = sqlite3.connect(file)
    connection.executescript("create table counter (n integer); insert into counter values (0); create table act (n integer)")
    connection.close()
    return file


def best_version() -> sqlite.Version:
    code = "from ireval_site.laptop import sqlite; sqlite.use_best_sqlite(); print(*sqlite.version_in_use())"
    return tuple(map(int, subprocess.check_output([sys.executable, "-c", code], text=True).split()))


def start_writer(file: Path, times: int, mode: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(file), str(times), *map(str, MODES[mode])]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def stored(file: Path) -> list[int]:
    connection = sqlite3.connect(file)
    try:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
        return [n for (n,) in connection.execute("select n from act order by n")]
    finally:
        connection.close()


def test_a_lock_that_is_not_given_back_ends_the_waiting_with_an_error(tmp_path):
    """The whole wait is bounded, and a connection that gave up works again when the lock is free."""
    code = """
import sys, time
from pathlib import Path
from ireval_site.laptop import sqlite
sqlite.use_best_sqlite()
import django.conf
django.conf.settings.configure(DATABASES={"default": sqlite.database(Path(sys.argv[1]))}, INSTALLED_APPS=[])
from django.db import OperationalError, connection, transaction
from ireval_site.laptop.sqlite import base
base.BUSY_SECONDS = 0.3
import sqlite3
with connection.cursor() as cursor:
    cursor.execute("create table act (n integer)")
other = sqlite3.connect(sys.argv[1], isolation_level=None)
other.execute("begin immediate")
begun = time.monotonic()
try:
    with transaction.atomic():
        raise SystemExit("was let in beside another writer")
except OperationalError as error:
    assert "locked" in str(error)
assert 0.3 <= time.monotonic() - begun < 10
other.execute("commit")
with transaction.atomic(), connection.cursor() as cursor:
    cursor.execute("insert into act values (1)")
other.execute("begin immediate")
begun = time.monotonic()
try:
    with connection.cursor() as cursor:
        cursor.execute("insert into act values (2)")
    raise SystemExit("wrote beside another writer")
except OperationalError as error:
    assert "locked" in str(error)
assert 0.3 <= time.monotonic() - begun < 10
other.execute("commit")
with connection.cursor() as cursor:
    cursor.execute("select n from act")
    assert cursor.fetchall() == [(1,)]
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "ireval.sqlite3")], check=True)


def test_who_holds_the_lock_can_clear_away_a_cursor_of_who_waits_for_it(tmp_path):
    """As the garbage collector does, in whatever thread it runs."""
    if not sqlite.wal_is_safe(best_version()):
        pytest.skip("this Python's SQLite has the WAL-reset bug, and pysqlite3 has no wheel for this platform")
    code = """
import sys, threading, time
from pathlib import Path
from ireval_site.laptop import sqlite
sqlite.use_best_sqlite()
import django.conf
django.conf.settings.configure(DATABASES={"default": sqlite.database(Path(sys.argv[1]))}, INSTALLED_APPS=[])
from django.db import connection, transaction
with connection.cursor() as cursor:
    cursor.execute("create table act (n integer)")
    cursor.executemany("insert into act values (%s)", [(n,) for n in range(1000)])
left, ready = [], threading.Event()
def wait_for_the_lock():
    with connection.cursor() as cursor:
        left.append(cursor.cursor.connection.cursor())
        left[0].execute("select 1")
        ready.set()
        cursor.execute("insert into act values (1000)")
    connection.close()
waiting = threading.Thread(target=wait_for_the_lock)
with transaction.atomic(), connection.cursor() as cursor:
    cursor.execute("select 1")
    waiting.start()
    ready.wait()
    time.sleep(0.3)
    begun = time.monotonic()
    left.clear()
    took = time.monotonic() - begun
waiting.join()
assert took < 5, took
with connection.cursor() as cursor:
    cursor.execute("select count(*) from act")
    assert cursor.fetchone() == (1001,)
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "ireval.sqlite3")], check=True)
