"""Request ids: one name for all that a request causes, from a proxy's log to the tasks that it leaves to Celery."""

import re
import secrets
from collections.abc import Callable
from contextvars import ContextVar

from celery import current_task
from django.http import HttpRequest, HttpResponse

from ireval_site.addresses import is_trusted, parsed

answered: ContextVar[str] = ContextVar("answered", default="")
LONGEST = 64
WELL_FORMED = re.compile(rf"[A-Za-z0-9._-]{{8,{LONGEST}}}")


def request_id() -> str:
    """The id of the request that is being answered, or that asked for the task under way. What the clock calls for has none."""
    return answered.get() or (current_task and current_task.request.get("request_id")) or ""


def with_request_id(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Name each request as the trusted proxy did that sent it, or anew, and tell the name in a header."""

    def answer(request: HttpRequest) -> HttpResponse:
        name = named_by_proxy(request) or secrets.token_hex(8)
        request.request_id = name  # type: ignore[attr-defined]
        before = answered.set(name)
        try:
            response = get_response(request)
        finally:
            answered.reset(before)
        response["X-Request-ID"] = name
        return response

    return answer


def named_by_proxy(request: HttpRequest) -> str:
    name = request.META.get("HTTP_X_REQUEST_ID", "")
    believed = name and WELL_FORMED.fullmatch(name) and is_trusted(parsed(request.META.get("REMOTE_ADDR", "")))
    return name if believed else ""
