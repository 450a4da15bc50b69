"""Backups that are taken while a process writes: sound, with all that was acknowledged before, and with its files."""

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from judging.backups import postgresql, sqlite
from judging.backups.archive import open_archive, verified_manifest
from tests.site.processes import wait_until

ROUNDS = 5


@contextlib.contextmanager
def writing():
    """The keys of the rows that a writer has been told are stored."""
    acknowledged: list[int] = []
    command = [
        sys.executable,
        "-m",
        "tests.judging.backups.writer",
        str(connection.settings_dict["NAME"]),
        str(settings.MEDIA_ROOT),
    ]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "ireval_site.settings"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
    listener = threading.Thread(target=lambda: acknowledged.extend(map(int, process.stdout)))
    listener.start()
    try:
        yield acknowledged
    finally:
        process.terminate()
        process.wait()
        listener.join()


@pytest.mark.django_db(transaction=True)
def test_a_backup_has_what_was_acknowledged_before_it_began_and_its_files(collection, tmp_path):
    with writing() as acknowledged:
        assert wait_until(lambda: len(acknowledged) > 5, seconds=60)
        grown = 0
        for number in range(ROUNDS):
            before = list(acknowledged)
            path = tmp_path / f"{number}.tar.zst"
            call_command("backup", path)
            manifest, names = verified_manifest(path), runs_in(path, tmp_path)
            assert manifest["missing"] == []
            assert set(before) <= names.keys()
            assert {f"files/{name}" for name in names.values()} == {
                name for name in verified_manifest(path)["members"] if "/runs/" in name
            }
            grown += len(acknowledged) > len(before)
            assert wait_until(lambda before=before: len(acknowledged) > len(before))
    assert grown > 0  # it wrote while at least one of them was made


def runs_in(path: Path, folder: Path) -> dict[int, str]:
    """The runs and their files in the database of a backup, which is checked."""
    wanted = {"sqlite": sqlite.NAME, "postgresql": f"{postgresql.FOLDER}/judging_run"}[connection.vendor]
    with open_archive(path) as members:
        content = next(content.read() for name, content in members if name == wanted)
    return {"sqlite": of_sqlite, "postgresql": of_postgresql}[connection.vendor](content, path, folder)


def of_sqlite(content: bytes, path: Path, folder: Path) -> dict[int, str]:
    copy = folder / "copy.sqlite3"
    copy.write_bytes(content)
    with sqlite.open_database(copy) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        return dict(database.execute("SELECT id, file FROM judging_run"))


def of_postgresql(content: bytes, path: Path, folder: Path) -> dict[int, str]:
    columns = verified_manifest(path)["tables"]["judging_run"]
    rows = [dict(zip(columns, line.split("\t"), strict=True)) for line in content.decode().splitlines()]
    return {int(row["id"]): row["file"] for row in rows}
