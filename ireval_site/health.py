"""The health check of a web process."""

import logging
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse

from judging.background.status import is_stopped
from judging.models import ParkedTask

log = logging.getLogger(__name__)

Answers = dict[str, Any]


def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 if this process can serve pages, 503 if the database is away.

    Other problems are in the answer's body: restarting a web server because Celery is down would stop judging too.
    """
    try:
        tasks = background()
    except DatabaseError as error:
        log.warning("the database is away: %s", error)
        return JsonResponse({"status": "failed", "database": "failed"}, status=503)
    well = tasks["background"] == "ok" and not tasks["parked"]
    return JsonResponse({"status": "ok" if well else "degraded", "database": "ok", **tasks})


def background() -> Answers:
    """Whether background work is running or stopped, and how many tasks wait for an administrator."""
    return {"background": "stopped" if is_stopped() else "ok", "parked": ParkedTask.objects.count()}
