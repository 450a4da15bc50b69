"""Lines of the log: each says which request or task it belongs to, as text or as JSON."""

import json
import logging
from datetime import UTC, datetime

from celery import current_task

from ireval_site.request_ids import request_id


class Origin(logging.Filter):
    """Adds to a record which request it belongs to, and which task of Celery's."""

    def filter(self, record: logging.LogRecord) -> bool:
        # Django logs the status of an answer after every middleware, and says whose answer it is.
        asked = getattr(getattr(record, "request", None), "request_id", "")
        record.request_id = request_id() or asked or "-"
        record.task = current_task.name if current_task else "-"
        return True


class Json(logging.Formatter):
    """One object per line, of records from which secrets were taken: of text made of it no pattern could be sure."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": getattr(record, "request_id", "-"),
            "task": getattr(record, "task", "-"),
            "exception": record.exc_text,
            "stack": record.stack_info,
        }
        return json.dumps({name: value for name, value in line.items() if value not in (None, "", "-")})
