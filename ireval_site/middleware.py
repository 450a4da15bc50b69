"""What every answer needs, whichever view it comes from."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

Answer = Callable[[HttpRequest], HttpResponse]


def parts_of_pages_vary(get_response: Answer) -> Answer:
    """Tell caches that htmx gets a part of a page at the page's own address, so that none shows the part for the page."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.get("Content-Type", "").startswith("text/html"):
            patch_vary_headers(response, ["HX-Request", "HX-Target"])
        return response

    return answer


def explain_wrong_methods(get_response: Answer) -> Answer:
    """A page where Django would send an empty one: to who opens an address that only a form's button may call."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code != 405 or response.content:
            return response
        page = render(request, "405.html", status=405)
        page["Allow"] = response["Allow"]
        return page

    return answer
