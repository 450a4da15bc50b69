"""How this process is, for whoever watches over it."""

import logging
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse

from judging.background.status import is_stopped
from judging.models import ParkedTask

log = logging.getLogger(__name__)

Answers = dict[str, Any]


def healthz(request: HttpRequest) -> JsonResponse:
    """200 when this process can serve pages, 503 when the database is away.

    What else is wrong stands in the answer: to end or restart a web server because Celery is down would stop judging, too.
    """
    try:
        found = background()
    except DatabaseError as error:
        log.warning("the database is away: %s", error)
        return JsonResponse({"status": "failed", "database": "failed"}, status=503)
    well = found["background"] == "ok" and not found["parked"]
    return JsonResponse({"status": "ok" if well else "degraded", "database": "ok", **found})


def background() -> Answers:
    """Whether reports and imports go on, and how many tasks wait for an administrator."""
    return {"background": "stopped" if is_stopped() else "ok", "parked": ParkedTask.objects.count()}
