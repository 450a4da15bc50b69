"""Signs of life from a long step, so that it is not sent again beside itself."""

import contextlib
import logging
import threading
from collections.abc import Iterator

from django.db import DatabaseError, connection
from django.utils import timezone

from metrics.models import Report

log = logging.getLogger(__name__)

BEAT_SECONDS = 5.0


@contextlib.contextmanager
def beating(report_id: int) -> Iterator[None]:
    """While the block runs, a thread of its own says that the report is being worked on: the engine says nothing for minutes.

    Only `active` is touched, not `resent`: work that kills its worker every time shall be given up, however long it lived.
    """
    stop = threading.Event()
    thread = threading.Thread(target=beat, args=[report_id, stop], daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def beat(report_id: int, stop: threading.Event) -> None:
    while not stop.wait(BEAT_SECONDS):
        try:
            Report.objects.filter(pk=report_id, state__in=Report.UNFINISHED).update(active=timezone.now())
        except DatabaseError as error:  # a busy database; the next beat comes soon
            log.info("no sign of life from report %s: %s", report_id, error)
    connection.close()
