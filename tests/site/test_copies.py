"""A copy of the launcher is a process like another: it has its own output and signals, and nothing of it outlives its owner."""

import os
import signal
import subprocess
import sys

import pytest

from ireval_site.laptop import copies
from tests.site.processes import running, survivors, wait_until

pytestmark = pytest.mark.skipif(not copies.POSSIBLE, reason="copies are for Linux")

SLEEP = ["timeit", "-n1", "-r1", "import time; print('asleep', flush=True); time.sleep(1000)"]


def owner(code: str, folder) -> subprocess.Popen[str]:
    """A process of its own, since this one runs threads."""
    begin = """
import os, signal, sys, time
from ireval_site.laptop.copies import Copy
from ireval_site.laptop.reaper import Reaper
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup lets it be ignored
signal.signal(signal.SIGTERM, lambda *_: print("an owner's handler", flush=True))
reaper = Reaper(keep_open=open("lock", "w"))
def copy(*arguments):
    with open("log", "ab") as log:
        return reaper.add(lambda enlist: Copy(enlist, list(arguments), name="copy", output=log))
"""
    environment = {**os.environ, "PYTHONPATH": os.getcwd(), "DJANGO_SETTINGS_MODULE": "ireval_site.settings"}
    return subprocess.Popen(
        [sys.executable, "-c", begin + code],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_copy_ends_as_its_command_would(tmp_path):
    code = f"""
fails = copy("py_compile", "missing.py")
sleeps = copy(*{SLEEP})
print(fails.wait(20))
while "asleep" not in open("log").read():
    time.sleep(0.02)
sleeps.terminate()
print(sleeps.wait(20), sleeps.poll(), sleeps.returncode)
"""
    output, errors = owner(code, tmp_path).communicate(timeout=60)
    assert output == f"1\n{-signal.SIGTERM} {-signal.SIGTERM} {-signal.SIGTERM}\n", errors
    assert "missing.py" in (tmp_path / "log").read_text()


def test_another_allocator_is_asked_for_so_many_pieces_and_no_more(monkeypatch):
    asked = []

    class Scattering:
        @staticmethod
        def malloc(size):
            asked.append(size)
            return len(asked) ** 2

    monkeypatch.setattr(copies, "glibc_or_none", lambda: Scattering)
    monkeypatch.setattr(copies, "MOST_PIECES", 50)
    copies.fill_holes()
    assert len(asked) == 50 * len(set(asked))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
def test_no_copy_outlives_its_owner(tmp_path, number):
    process = owner(f"print(copy(*{SLEEP}).pid, flush=True); signal.pause()", tmp_path)
    assert process.stdout
    copied = {int(process.stdout.readline())}
    assert survivors(copied) == copied
    process.send_signal(number)
    process.communicate(timeout=60)
    assert wait_until(lambda: not survivors(copied))
    assert wait_until(lambda: not running(str(tmp_path)))


def test_what_is_loaded_has_no_connection_that_copies_would_share_nor_the_driver_of_another_database(tmp_path):
    code = """
from ireval_site.laptop import copies
copies.load_models()
copies.load_services()
from django.db import connections
print([connection.connection for connection in connections.all()])
print("judging.views.results" in sys.modules, "psycopg" in sys.modules)
"""
    environment = {"IREVAL_DATA": str(tmp_path), "IREVAL_PACKED": str(tmp_path / "packed")}
    output, errors = owner(f"os.environ.update({environment})\n" + code, tmp_path).communicate(timeout=60)
    assert output == f"[None]\nTrue {'DATABASE_URL' in os.environ}\n", errors


def test_files_are_given_back_but_for_what_was_written_to_their_mappings(tmp_path):
    code = """
import ctypes, mmap
from ireval_site.laptop import copies
with open("file", "wb+") as file:
    file.write(b"file" * 25_000)
    file.flush()
    read = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE)
    written = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE)
assert read[:4] == b"file"
assert sum(written[::4096])
written[:4] = b"mine"
start = ctypes.addressof(ctypes.c_char.from_buffer(written))
assert not ctypes.CDLL(None).mprotect(ctypes.c_void_p(start), ctypes.c_size_t(4096), mmap.PROT_READ)  # as a loader does
def resident():
    mappings = open("/proc/self/smaps").read().split(os.path.realpath("file") + "\\n")[1:]
    return [int(mapping.partition("Rss:")[2].split()[0]) for mapping in mappings]
before = resident()
copies.give_back_files()
print(0 in before, 0 in resident(), read[:4], written[:4], flush=True)
import django, decimal  # what was given back is read again
print(django.__name__, decimal.Decimal("0.5"))
"""
    output, errors = owner(code, tmp_path).communicate(timeout=60)
    assert output == "False True b'file' b'mine'\ndjango 0.5\n", errors


MAPPING = b"7f01-7f%02d r--p 00000000 fe:00 4711 /odd \xff/library.so\nRss: %d kB\nAnonymous: %d kB\nSwap: %d kB\n"


def test_what_was_written_is_kept_on_the_swap_too_and_where_a_system_says_nothing():
    smaps = b"".join(
        [
            MAPPING % (2, 8, 0, 0),
            MAPPING % (3, 8, 4, 0),
            MAPPING % (4, 8, 0, 4),
            MAPPING % (5, 0, 0, 0),
            MAPPING.replace(b"r--p", b"rw-p") % (6, 8, 0, 0),
            MAPPING.replace(b"4711 /odd \xff/library.so", b"0 [vdso]") % (7, 8, 0, 0),
            MAPPING.replace(b"r--p", b"r--s") % (8, 8, 0, 0),
            MAPPING.replace(b"r--p", b"r-xp") % (9, 4, 0, 0),
        ]
    )
    assert list(copies.mapped_files(smaps)) == [(0x7F01, 0x7F02), (0x7F01, 0x7F09)]
