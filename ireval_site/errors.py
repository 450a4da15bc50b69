import sys

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.defaults import page_not_found

from judging.faults import PAUSE_SECONDS, fault_of, told_to_programs


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404 with a page for people, or under /api/ with JSON."""
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": "There is nothing at this address. All addresses: /api/v1/docs/"}, status=404)
    return page_not_found(request, exception)


def failed(request: HttpRequest) -> HttpResponse:
    """Answer 500; or 503, saying why, where the fault is the machine's and passes. Nothing here needs the database."""
    fault = fault_of(sys.exc_info()[1])
    if fault is None:
        return HttpResponse(render_to_string("500.html"), status=500)
    answer: HttpResponse
    if request.path.startswith("/api/"):
        answer = JsonResponse({"detail": told_to_programs(fault)}, status=503)
    elif request.headers.get("X-Requested-With") == "fetch":
        answer = JsonResponse({"error": str(fault)}, status=503)
    else:
        answer = HttpResponse(render_to_string("500.html", {"fault": fault}), status=503)
    answer.headers["Retry-After"] = str(PAUSE_SECONDS)
    return answer
