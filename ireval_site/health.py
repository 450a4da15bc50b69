"""What programs ask a web process: whether it is alive, and whether the whole installation does its work."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from ireval_site.condition import NEEDED, NO_ANSWER, Finding
from judging.background.status import is_stopped
from judging.models import ParkedTask

log = logging.getLogger(__name__)

Answers = dict[str, Any]
# Who asks waits for a second, as load balancers do.
PATIENCE_SECONDS = 0.8


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


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 if every part works, else 503 with the reasons, in as much as strangers may know."""
    reasons = failures()
    parts = {name: {"status": "failed", "reason": reason} if reason else {"status": "ok"} for name, reason in reasons.items()}
    failed = any(reasons.values())
    return JsonResponse({"status": "failed" if failed else "ok", "parts": parts}, status=503 if failed else 200)


def failures() -> dict[str, str]:
    """Why each part does not work; nothing for one that does. One that hangs is not waited for."""
    until = time.monotonic() + PATIENCE_SECONDS
    inspections = [under_way(server) for server in NEEDED]
    for inspection in inspections:
        inspection.join(max(0, until - time.monotonic()))
    return {part: inspection.reasons.get(part, NO_ANSWER) for inspection in inspections for part in inspection.checks}


def under_way(server: str) -> "Inspection":
    """The inspection that goes on, else a new one: one thread waits for a server that hangs, however often it is asked about."""
    current = latest.get(server)
    if current is None or not current.is_alive():
        current = latest[server] = Inspection(NEEDED[server])
        current.start()
    return current


class Inspection(threading.Thread):
    """Asks about the parts on one server, one after the other."""

    def __init__(self, checks: dict[str, Callable[[], Finding]]):
        super().__init__(daemon=True)
        self.checks, self.reasons = checks, dict[str, str]()

    def run(self) -> None:
        try:
            for part, check in self.checks.items():
                finding = check()
                self.reasons[part] = "" if finding.well else finding.reason
        except (DatabaseError, OSError) as error:
            log.warning("no answer: %s", error)
        finally:
            connection.close()


latest: dict[str, Inspection] = {}
