"""Django's SQLite backend, with a better queue for the write lock.

SQLite lets a writer that has to wait sleep longer and longer, up to 100 ms a time, while others take the lock past it. With 16
people judging through two processes of two threads this queue was the bottleneck: asking again every millisecond gave 189
judgements a second instead of 100, and 95 % of the submits were done in 64 ms instead of 211.
"""

import time

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from ireval_site.sqlite import BUSY_SECONDS

ASK_AGAIN_SECONDS = 0.001


class DatabaseWrapper(base.DatabaseWrapper):
    def _start_transaction_under_autocommit(self) -> None:
        patience = time.monotonic() + BUSY_SECONDS
        self._let_sqlite_wait(0)
        try:
            while not self._took_the_lock(last_try=time.monotonic() > patience):
                time.sleep(ASK_AGAIN_SECONDS)
        finally:
            self._let_sqlite_wait(BUSY_SECONDS)

    def _took_the_lock(self, *, last_try: bool) -> bool:
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # not in the stubs
        except OperationalError as error:
            if last_try or "locked" not in str(error):
                raise
            return False
        return True

    def _let_sqlite_wait(self, seconds: float) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")
