from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.defaults import page_not_found


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404 with a page for people, or under /api/ with JSON."""
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": "There is nothing at this address. All addresses: /api/v1/docs/"}, status=404)
    return page_not_found(request, exception)
