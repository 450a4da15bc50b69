"""What programs ask a web process: whether it is alive, and whether the whole installation does its work."""

import logging
import threading
import time
from collections.abc import Callable

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from ireval_site.condition import NEEDED, NO_ANSWER, Finding, background_work, failed_tasks

log = logging.getLogger(__name__)

Checks = dict[str, Callable[[], Finding]]
# Who asks waits for a second, as load balancers do.
PATIENCE_SECONDS = 0.8
# What a process that is alive tells besides: whether background work is stopped, and whether tasks were given up.
TOLD: Checks = {"background": background_work, "parked": failed_tasks}


def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200: this process is alive. What is not well elsewhere is in the body, in as much as strangers may know.

    Starting web servers again because the database or Celery is away would help nobody, and stop judging too.
    """
    inspection = under_way("work", TOLD)
    inspection.join(PATIENCE_SECONDS)
    if inspection.reasons.keys() != TOLD.keys():
        return JsonResponse({"status": "failed", "database": "failed"})
    stopped, parked = (bool(inspection.reasons[part]) for part in TOLD)
    facts = {"database": "ok", "background": "stopped" if stopped else "ok", "parked": parked}
    return JsonResponse({"status": "degraded" if stopped or parked else "ok", **facts})


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
    inspections = [under_way(server, checks) for server, checks in NEEDED.items()]
    for inspection in inspections:
        inspection.join(max(0, until - time.monotonic()))
    return {part: inspection.reasons.get(part, NO_ANSWER) for inspection in inspections for part in inspection.checks}


def under_way(name: str, checks: Checks) -> "Inspection":
    """The inspection that goes on, else a new one: one thread waits for a server that hangs, however often it is asked about."""
    current = latest.get(name)
    if current is None or not current.is_alive():
        current = latest[name] = Inspection(checks)
        current.start()
    return current


class Inspection(threading.Thread):
    """Asks about the parts on one server, one after the other."""

    def __init__(self, checks: Checks):
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
