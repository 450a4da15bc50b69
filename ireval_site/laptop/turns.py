"""One judge page at a time for each process, where the database is SQLite.

Several threads are there for slow visitors: a page that goes out through a bad connection keeps its thread. But threads that
judge at once get in each other's way: each waits for Python's interpreter lock whenever SQLite has given it up, also while
it holds the database's only write lock. In turns, the same threads answer more workers, and sooner.
"""

import io
import threading
from collections.abc import Callable, Iterable
from typing import Any

JUDGING = "/judge/"
MOST_BYTES = 100_000  # of an answer; who sends more sends something else

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
    """Whether the body is here, so that nobody's turn is spent on waiting for it."""
    length = environ.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) > MOST_BYTES or "HTTP_TRANSFER_ENCODING" in environ:
        return False
    environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read(int(length)))
    return True
