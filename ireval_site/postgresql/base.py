"""Django's PostgreSQL backend, without a question that every request would ask first.

Before a request uses a connection, Django sends SELECT 1: the server may have closed it meanwhile. Of the statements that a
judgement takes, that is a quarter. A connection that was asked a moment ago is looked at instead: what the server closed can be
read to its end. Then it is asked as ever, and so it is after an error or a pause.
"""

import select
import time

from django.db.backends.postgresql import base

FRESH_SECONDS = 5


class DatabaseWrapper(base.DatabaseWrapper):
    asked = -float("inf")  # when it was last known to work

    def is_usable(self) -> bool:
        now = time.monotonic()
        is_fresh = now - self.asked < FRESH_SECONDS and not self.errors_occurred
        if not (is_fresh and self.is_silent()) and not super().is_usable():
            return False
        self.asked = now
        return True

    def is_silent(self) -> bool:
        """Whether the server has sent nothing that nobody asked for, such as the end of the connection."""
        if self.connection is None or self.connection.closed:
            return False
        poll = select.poll()
        poll.register(self.connection.pgconn.socket, select.POLLIN)
        return not poll.poll(0)
