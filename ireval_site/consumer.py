"""What a Celery worker takes its tasks with: Celery's own, which soon finds a broker that was away."""

from functools import partial

from celery.worker.consumer import Consumer
from kombu import Connection

# Seconds between tries. Celery's own grow to 30, of which each is one without reports after the broker is back.
PAUSES = {"interval_start": 0.5, "interval_step": 0.5, "interval_max": 5}


class PromptConsumer(Consumer):
    def ensure_connected(self, conn: Connection) -> Connection:
        conn.ensure_connection = partial(conn.ensure_connection, **PAUSES)  # type: ignore[method-assign]
        return super().ensure_connected(conn)
