"""Turns: each process answers one judge page at a time where the database is SQLite.

Several threads serve slow visitors: a page sent over a bad connection keeps its thread. But threads that judge at once get in
each other's way. Each waits for Python's interpreter lock whenever SQLite has released it, even while it holds the database's
only write lock. In turns, the same threads answer more workers, and sooner.
"""

import io
import threading
from collections.abc import Callable, Iterable
from typing import Any

JUDGING = "/judge/"
MOST_BYTES = 100_000  # no answer of a worker is larger

Environment = dict[str, Any]
Application = Callable[[Environment, Callable], Iterable[bytes]]


def taking_turns(application: Application) -> Application:
    turn = threading.Lock()

    def answer(environ: Environment, start_response: Callable) -> Iterable[bytes]:
        if not environ["PATH_INFO"].startswith(JUDGING) or not came_whole(environ):
            return application(environ, start_response)
        with turn:
            return application(environ, start_response)

    return answer


def came_whole(environ: Environment) -> bool:
    """Read the body into memory, so that no turn is spent waiting for it; False if it is too large or of unknown length."""
    length = environ.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) > MOST_BYTES or "HTTP_TRANSFER_ENCODING" in environ:
        return False
    environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read(int(length)))
    return True
