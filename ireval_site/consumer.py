"""What a Celery worker takes its tasks with, and what it notes when it is stopped."""

import logging
from functools import partial

from celery.bootsteps import StartStopStep
from celery.worker import WorkController, state
from celery.worker.consumer import Consumer
from django.db import DatabaseError, connection
from kombu import Connection

log = logging.getLogger(__name__)

# Seconds between tries. Celery's own grow to 30, of which each is one without reports after the broker is back.
PAUSES = {"interval_start": 0.5, "interval_step": 0.5, "interval_max": 5}


class PromptConsumer(Consumer):
    """Celery's own, which soon finds a broker that was away."""

    def ensure_connected(self, conn: Connection) -> Connection:
        conn.ensure_connection = partial(conn.ensure_connection, **PAUSES)  # type: ignore[method-assign]
        return super().ensure_connected(conn)


class OrderlyStop(StartStopStep):
    """Excuses the tasks that run when the worker is told to stop: whoever told it kills it before long ones have ended."""

    requires = ("celery.worker.components:Pool",)

    def close(self, parent: WorkController) -> None:
        from judging.background.executions import excuse  # noqa: PLC0415  models can be read only now

        try:
            excuse([request.id for request in state.active_requests])
        except DatabaseError as error:
            log.warning("tasks that are broken off now will count as killed: %s", error)
        connection.close()
