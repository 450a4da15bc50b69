"""A process is killed while it works on a site's archive: whoever goes on loses nothing, doubles nothing, and leaves no file."""

import json
import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from judging import tasks
from judging.logs.archive import moves
from judging.logs.erasure import erase
from judging.logs.log_import import import_file
from judging.logs.pseudonyms import all_of
from judging.models import ArchiveFile, Event, Outbox, Query, Seen
from tests.judging.logs.sent import click
from tests.judging.logs.test_archive import NOW, everything, log, stored  # noqa: F401

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[3]
CLIENT = 4  # its place in a row of everything


@pytest.fixture(autouse=True)
def swept_before(site):
    """The database is known to be that of the files."""
    tasks.sweep_files()


def killed(site, *work):
    place = [str(connection.settings_dict["NAME"]), default_storage.path(""), str(site.pk)]
    command = [sys.executable, "-m", "tests.judging.logs.dying", *place, *map(str, work)]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "ireval_site.settings"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def readable(site):
    return [everything(site, kind) for kind in ("queries", "events")]


def rows():
    return Query.objects.count(), Event.objects.count()


def named():
    return set(ArchiveFile.objects.values_list("file", flat=True))


def stored_after_a_day():
    long_ago = (timezone.now() - timedelta(days=1.1)).timestamp()
    for name in stored():
        os.utime(default_storage.path(name), (long_ago, long_ago))
    tasks.sweep_files()
    return stored()


def test_while_it_moves_records(site, log):  # noqa: F811
    before = readable(site)
    killed(site, "archive")
    assert rows() == (0, 15)
    assert stored() > named()
    assert readable(site) == before
    assert moves.archive(site, before=NOW) == 15
    assert rows() == (0, 0)
    assert readable(site) == before
    assert stored_after_a_day() == named()


def test_while_it_loads_a_log(site, tmp_path):
    path = tmp_path / "log"
    path.write_text("\n".join(json.dumps(click(f"d{number}", event_id=f"e{number}")) for number in range(12)))
    killed(site, "load", path)
    assert (len(everything(site)), Seen.objects.count()) == (6, 6)
    assert stored() > named()
    assert import_file(site, path, into_archive=True).counts == {"duplicate": 6, "accepted": 6}
    assert {json.loads(row[8])["event_attributes"]["object"]["object_id"] for row in everything(site)} == {
        f"d{number}" for number in range(12)
    }
    assert (len(everything(site)), Seen.objects.count()) == (12, 12)
    assert stored_after_a_day() == named()


@pytest.mark.parametrize(("work", "erased"), [("erase uncommitted", (3, 6, 0)), ("erase", (0, 0, 0))])
def test_while_it_erases_somebody(site, log, work, erased):  # noqa: F811
    """What names nobody is part of the searches of who is erased."""
    moves.archive(site, before=NOW)
    before, theirs = readable(site), {*all_of(site, "client", "c1"), None}
    others = [[row for row in table if row[CLIENT] not in theirs] for table in before]
    killed(site, work)
    assert stored() > named()
    assert readable(site) == (others if work == "erase" else before)
    for message in Outbox.objects.filter(task="judging.tasks.delete_log_files"):
        tasks.delete_log_files(**message.arguments)
    assert (stored() == named()) == (work == "erase")
    assert erase(site, client="c1") == erased
    assert readable(site) == others
    assert stored_after_a_day() == named()
