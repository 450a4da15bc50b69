"""Traces that SQLite's files hold of rows that are gone.

Each connection overwrites what it deletes (`secure_delete`). The write-ahead log still has former pages, until it is emptied.
"""

import time

from django.db import connection

PATIENCE = 0.2  # seconds; readers are done sooner, usually
LOOK_SECONDS = 0.02


def wipe() -> bool:
    """Empty the write-ahead log. False where somebody read or wrote all the while: a sweep tries again."""
    if connection.vendor != "sqlite":
        return True
    end = time.monotonic() + PATIENCE
    while not (done := truncate_wal()) and time.monotonic() < end:
        time.sleep(LOOK_SECONDS)
    return done


def truncate_wal() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        busy, *_ = cursor.fetchone()
    return not busy
