"""SQLite set up for many people who judge at once.

Measured with Django's defaults, half of the writes failed under load: a transaction that begins by reading cannot always
become a writer. IMMEDIATE takes the write lock at once and waits for its turn. `mmap_size` stays off: it lost commits.
"""

import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

Version = tuple[int, ...]

# A WAL that is reset while another connection checkpoints could lose commits; from these patch releases on it cannot.
WAL_REPAIRED = {(3, 44): 6, (3, 50): 7, (3, 51): 3}
BUSY_SECONDS = 20


def wal_is_safe(version: Version) -> bool:
    """Whether this release of SQLite is free of the WAL-reset bug.

    >>> wal_is_safe((3, 51, 3)), wal_is_safe((3, 51, 2)), wal_is_safe((3, 50, 7)), wal_is_safe((3, 49, 9))
    (True, False, True, False)
    """
    branch, patch = version[:2], version[2]
    return branch > max(WAL_REPAIRED) or (branch in WAL_REPAIRED and patch >= WAL_REPAIRED[branch])


def journal_mode(version: Version) -> str:
    """WAL where it is safe (readers and a writer side by side), else TRUNCATE (slower, never had the bug)."""
    return "WAL" if wal_is_safe(version) else "TRUNCATE"


def use_best_sqlite() -> None:
    """Let Django use pysqlite3's SQLite where it is newer than Python's own and safe. Call before Django's first import of it.

    Many Pythons carry a SQLite whose WAL cannot be trusted. Afterwards `import sqlite3` finds pysqlite3 in this process:
    two copies of SQLite on one file would break each other's locks.
    """
    try:
        import pysqlite3  # noqa: PLC0415  absent on platforms without a wheel
        from pysqlite3 import dbapi2  # noqa: PLC0415
    except ImportError:
        return
    if dbapi2.sqlite_version_info > sqlite3.sqlite_version_info and wal_is_safe(dbapi2.sqlite_version_info):
        sys.modules["sqlite3"], sys.modules["sqlite3.dbapi2"] = pysqlite3, dbapi2


def version_in_use() -> Version:
    from sqlite3 import sqlite_version_info  # noqa: PLC0415  whichever use_best_sqlite chose

    return sqlite_version_info


def database(path: Path) -> dict[str, Any]:
    """The entry of Django's DATABASES for this file."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return {
        "ENGINE": "ireval_site.laptop.sqlite",
        "NAME": path,
        "CONN_MAX_AGE": None,
        # A file, so that a test's threads meet as processes do; one for each process that runs tests.
        "TEST": {"NAME": path.with_name(f"test-{os.getpid()}.sqlite3")},
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": BUSY_SECONDS,
            "init_command": pragmas(version_in_use()),
        },
    }


def pragmas(version: Version) -> str:
    """The statements that each connection starts with. FULL: an acknowledged judgement is on the disk, even after a power cut.

    `fullfsync` makes that true on macOS, where a plain fsync stops at the disk's own cache; elsewhere it does nothing.
    `secure_delete` overwrites deleted and moved rows, so that the file keeps no copy of an erased person's data.
    """
    mode = journal_mode(version)
    return f"PRAGMA journal_mode={mode}; PRAGMA synchronous=FULL; PRAGMA fullfsync=ON; PRAGMA secure_delete=ON"
