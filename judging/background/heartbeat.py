"""Signs of life from long work, so that no sweep sends it again beside itself."""

import contextlib
import logging
import threading
from collections.abc import Iterator
from datetime import timedelta

from django.db import DatabaseError, connection
from django.db.models import Q, QuerySet
from django.utils import timezone

log = logging.getLogger(__name__)

BEAT_SECONDS = 5.0


def silent(field: str, patience: timedelta) -> Q:
    """Rows without a sign of life for so long. One that is to come is none: the clock was put back, and nobody beats."""
    now = timezone.now()
    return Q(**{f"{field}__lt": now - patience}) | Q(**{f"{field}__gt": now + patience})


@contextlib.contextmanager
def beating(row: QuerySet, field: str) -> Iterator[None]:
    """While the block runs, a thread of its own keeps writing the time into the row: some readers say nothing for minutes."""
    over = threading.Event()
    thread = threading.Thread(target=beat, args=[row, field, over], daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def beat(row: QuerySet, field: str, over: threading.Event) -> None:
    while not over.wait(BEAT_SECONDS):
        try:
            row.update(**{field: timezone.now()})
        except DatabaseError as error:  # a busy database; the next beat comes soon
            log.info("no sign of life from %s: %s", row.model.__name__, error)
    connection.close()
